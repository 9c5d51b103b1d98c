import { mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { listScreens } from './screens/list.ts'
import { makeScene } from './screens/scene.ts'
import { expectAccessibleIn, openPage } from './support.ts'

/** Where pictures are made, if they are to be made. */
const folder = process.env.PICTURES_FOLDER
const kept = join(import.meta.dirname, '../../docs/pictures')
const largestBytes = 60_000
const desktop = { viewport: { width: 1280, height: 800 } }
const tablet = { viewport: { width: 768, height: 1024 } }
const phone = { viewport: { width: 375, height: 667 }, isMobile: true, hasTouch: true }

const scene = await makeScene()
// Somebody else who is there.
await openPage('/app/friends', { as: scene.bob })
if (folder !== undefined) await mkdir(folder, { recursive: true })
const screens = listScreens(scene)
test.each(screens)('$name has nothing that axe finds, wide and narrow, light and dark', async (screen) => {
  const { name, path, show, unread, ...options } = screen
  for (const device of folder === undefined ? [desktop] : [desktop, tablet, phone]) {
    await unread?.()
    const page = await openPage(path, { ...options, ...device })
    await show(page)
    if (folder === undefined) await inspect(page)
    else await take(page, join(folder, `${name}-${device.viewport.width}`))
    await page.context().close()
  }
})

async function inspect(page: Page): Promise<void> {
  await expectAccessibleIn(page, 'light')
  await expectAccessibleIn(page, 'dark', ['color-contrast'])
  await page.setViewportSize(phone.viewport)
  await expectAccessibleIn(page, 'dark')
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(
    phone.viewport.width,
  )
}

test('docs/pictures has all of them, and nothing else', async () => {
  const names = screens.flatMap(({ name }) =>
    [desktop, tablet, phone].flatMap(({ viewport }) =>
      ['light', 'dark'].map((theme) => `${name}-${viewport.width}-${theme}.webp`),
    ),
  )
  const files = await readdir(kept)
  expect(files.toSorted()).toEqual(names.toSorted())
  for (const file of files) expect((await stat(join(kept, file))).size, file).toBeLessThan(largestBytes)
})

/** Takes pictures of a screen in both themes. */
async function take(page: Page, path: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    const picture = await sharp(await page.screenshot({ caret: 'hide' }))
      .webp({ quality: 60, effort: 6 })
      .toBuffer()
    await writeFile(`${path}-${colorScheme}.webp`, picture)
  }
}
