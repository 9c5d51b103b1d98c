import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import chromiumPackage from '@sparticuz/chromium'
import { type Browser, chromium } from 'playwright-core'

const fonts = join(import.meta.dirname, 'fonts')

/**
 * Starts the Chromium of CHROMIUM_PATH, else that of the development packages, with the fonts of the tests alone. Writes
 * its settings into a folder.
 */
export async function launchBrowser(folder: string): Promise<Browser> {
  const fontSettings = join(folder, 'fonts.conf')
  await writeFile(fontSettings, describeFonts(join(folder, 'font-cache')))
  return chromium.launch({
    executablePath: await browserPath(),
    args: ['--no-sandbox', '--disable-gpu'],
    env: { ...process.env, FONTCONFIG_FILE: fontSettings },
  })
}

/** Where the browser is; that of the package is unpacked by the first call. */
export async function browserPath(): Promise<string> {
  return process.env.CHROMIUM_PATH ?? chromiumPackage.executablePath()
}

function describeFonts(cache: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  <dir>${fonts}</dir>
  <cachedir>${cache}</cachedir>
  <alias><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>
  <alias><family>system-ui</family><prefer><family>DejaVu Sans</family></prefer></alias>
  <alias><family>sans-serif</family><prefer><family>DejaVu Sans</family></prefer></alias>
</fontconfig>
`
}
