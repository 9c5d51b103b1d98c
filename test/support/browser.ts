import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import chromiumPackage from '@sparticuz/chromium'
import { type Browser, chromium } from 'playwright-core'

/** Starts a Chromium: that of CHROMIUM_PATH, else one on the PATH, else that of the development packages. */
export async function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: await browserPath(), args: ['--no-sandbox', '--disable-gpu'] })
}

/** Where the browser is; one of a package is unpacked by the first call. */
export async function browserPath(): Promise<string> {
  const installed = process.env.CHROMIUM_PATH ?? ['chromium', 'google-chrome'].map(onPath).find(Boolean)
  return installed ?? chromiumPackage.executablePath()
}

function onPath(name: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter)
  return folders.map((folder) => join(folder, name)).find(canRun)
}

function canRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
