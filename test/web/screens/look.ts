import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { expectAccessibleIn, openPage, ownServer } from '../support.ts'
import { listScreens } from './list.ts'
import { makeScene } from './scene.ts'
import type { Screen } from './screen.ts'

/** Whether `npm run generate` asks for pictures. */
const isGenerating = process.env.GENERATE === 'pictures'
const folder = join(import.meta.dirname, '../../../docs/pictures')
const largestBytes = 60_000
const desktop = { viewport: { width: 1280, height: 800 } }
const tablet = { viewport: { width: 768, height: 1024 } }
const phone = { viewport: { width: 375, height: 667 }, isMobile: true, hasTouch: true }

/** The tests of every second screen, from the first (0) or the second (1) on: two files share them. */
export async function testScreens(from: 0 | 1): Promise<void> {
  await ownServer()
  const scene = await makeScene()
  // Somebody else who is there.
  await openPage('/app/friends', { as: scene.bob })
  const screens = listScreens(scene)
  const { ann, den, leaveUnread } = scene
  /** Has what is unread be the same whatever screens were shown before. */
  const prepare = (screen: Screen) => (screen.unread ?? (() => leaveUnread(ann, den.room_id)))()
  const half = screens.filter((_, place) => place % 2 === from)
  const names = screens.flatMap(({ name }) =>
    [desktop, tablet, phone].flatMap(({ viewport }) =>
      ['light', 'dark'].map((theme) => `${name}-${viewport.width}-${theme}.webp`),
    ),
  )
  if (isGenerating) {
    for (const file of await readdir(folder)) {
      if (!names.includes(file)) await rm(join(folder, file), { force: true })
    }
    test.each(half)('pictures of $name', (screen) => takePictures(screen, () => prepare(screen)))
    return
  }
  test.each(half)('$name has nothing that axe finds, and looks as in docs/pictures', async (screen) => {
    await prepare(screen)
    const page = await open(screen, desktop)
    await expectAccessibleIn(page, 'light')
    const picture = await page.screenshot({ caret: 'hide' })
    const difference = await differenceOf(picture, join(folder, `${screen.name}-1280-light.webp`))
    expect(difference, 'run `npm run generate pictures`, and look at them').toBeLessThan(largestDifference)
    await page.setViewportSize(phone.viewport)
    await expectAccessibleIn(page, 'dark')
    const width = await page.evaluate('document.documentElement.scrollWidth')
    expect(width).toBeLessThanOrEqual(phone.viewport.width)
  })
  test('docs/pictures has all screens, and nothing else', async () => {
    const files = await readdir(folder)
    expect(files.toSorted()).toEqual(names.toSorted())
    for (const file of files) expect((await stat(join(folder, file))).size, file).toBeLessThan(largestBytes)
  })
}

async function open(screen: Screen, device: typeof desktop): Promise<Page> {
  const { path, show, as, mayFail } = screen
  const page = await openPage(path, { as, mayFail, ...device, reducedMotion: 'reduce' })
  await show(page)
  await page.evaluate('Promise.all(Array.from(document.images, (each) => each.decode().catch(() => {})))')
  return page
}

/** What of a page is compared with its picture: so many fields, each by its mean lightness. */
const fields = { width: 64, height: 40 }
/** Of a page that has not changed: names have other colours, and a line another width. In levels of 255. */
const largestDifference = 4

/** The mean difference of the lightness of two pictures of a page, where it is largest: of a field and its neighbours. */
async function differenceOf(picture: Buffer, path: string): Promise<number> {
  const [one, other] = await Promise.all([picture, await readFile(path)].map(lightnessOf))
  const differences = one!.map((lightness, place) => Math.abs(lightness - other![place]!))
  return differences.reduce((sum, each) => sum + each, 0) / differences.length
}

async function lightnessOf(picture: Buffer): Promise<Uint8Array> {
  return sharp(picture)
    .resize({ ...fields, fit: 'fill' })
    .greyscale()
    .raw()
    .toBuffer()
}

/** Takes pictures of a screen at each size, in both themes. */
async function takePictures(screen: Screen, prepare: () => Promise<unknown>): Promise<void> {
  for (const device of [desktop, tablet, phone]) {
    await prepare()
    const page = await open(screen, device)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      const picture = await sharp(await page.screenshot({ caret: 'hide' }))
        .webp({ quality: 60, effort: 6 })
        .toBuffer()
      await writeFile(join(folder, `${screen.name}-${device.viewport.width}-${colorScheme}.webp`), picture)
    }
    await page.context().close()
  }
}
