import { expect, test } from 'vitest'
import { sendMedia } from '../support/media.ts'
import { filePart } from '../support/multipart.ts'
import { picture } from '../support/pictures.ts'
import { houseRoom } from '../support/world.ts'
import { expectAccessible, messageOf, openPage, twoInHouse } from './support.ts'

test('a picture has its place before it is loaded, and is shown large on a click', async () => {
  const { ann, bob, den, path } = await twoInHouse()
  const file = await picture('jpeg', { width: 960, height: 480 })
  await sendMedia(bob, den.room_id, filePart(file, 'hill.jpg', 'image/jpeg'), {
    name: 'content',
    value: 'see',
  })
  await sendMedia(bob, den.room_id, filePart('text', 'notes.txt'))
  const page = await openPage('/app/friends', { as: ann })
  let pass = () => {}
  const held = new Promise<void>((resolve) => {
    pass = resolve
  })
  await page.route(/hill/, async (route) => {
    await held
    await route.continue()
  })
  await page.getByRole('link', { name: 'Den' }).click()
  const image = messageOf(page, 'see').getByRole('img', { name: 'Picture hill.jpg' })
  await image.waitFor()
  expect(await image.boundingBox()).toMatchObject({ width: 480, height: 240 })
  pass()
  const naturalWidth = () =>
    image.evaluate((each) => (each as unknown as { naturalWidth: number }).naturalWidth)
  await expect.poll(naturalWidth).toBe(960)
  expect(await image.boundingBox()).toMatchObject({ width: 480, height: 240 })
  await page.getByRole('link', { name: 'File notes.txt' }).getByText('4 B').waitFor()

  await image.click()
  const dialog = page.getByRole('dialog', { name: 'hill.jpg' })
  const large = dialog.getByRole('img')
  expect((await large.boundingBox())?.width).toBeGreaterThan(700)
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
  // The focus is back on the picture.
  expect(await page.evaluate('document.activeElement?.className')).toBe('media')

  const phone = await openPage(path, { as: ann, viewport: { width: 375, height: 667 } })
  await messageOf(phone, 'see').getByRole('img', { name: 'Picture hill.jpg' }).click()
  const onPhone = phone.getByRole('dialog', { name: 'hill.jpg' }).getByRole('img')
  expect((await onPhone.boundingBox())?.width).toBeLessThan(343)
  await onPhone.click()
  await expect.poll(() => phone.getByRole('dialog').count()).toBe(0)
  expect(await phone.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(375)
})

test('the size of a file has the decimal sign of the language', async () => {
  const { ann, bob, den, path } = await twoInHouse()
  await sendMedia(bob, den.room_id, filePart('x'.repeat(1_572_864), 'book.txt'))
  const english = await openPage(path, { as: ann })
  await english.getByRole('link', { name: 'File book.txt' }).getByText('1.5 MiB').waitFor()
  const german = await openPage(path, { as: ann, locale: 'de-DE' })
  await german.getByRole('link', { name: 'Datei book.txt' }).getByText('1,5 MiB').waitFor()
})

/** A square film of a moment, made by the browser. */
const film = `new Promise((resolve) => {
  const canvas = document.createElement('canvas')
  canvas.width = canvas.height = 64
  const context = canvas.getContext('2d')
  const recorder = new MediaRecorder(canvas.captureStream(25), { mimeType: 'video/webm' })
  let frames = 0
  recorder.ondataavailable = async ({ data }) => resolve([...new Uint8Array(await data.arrayBuffer())])
  const draw = () => {
    context.fillStyle = frames % 2 ? 'red' : 'blue'
    context.fillRect(0, 0, 64, 64)
    frames += 1
    if (frames === 20) recorder.stop()
    else requestAnimationFrame(draw)
  }
  recorder.start()
  draw()
})`

test('a video plays in its place, whose size does not change when it is loaded', async () => {
  const { ann, bob, den, path } = await twoInHouse()
  const page = await openPage('/app/friends', { as: ann })
  const file = Buffer.from((await page.evaluate(film)) as number[])
  const text = { name: 'content', value: 'look' }
  expect((await sendMedia(bob, den.room_id, filePart(file, 'wave.webm', 'video/webm'), text)).status).toBe(
    200,
  )
  const { promise: held, resolve: pass } = Promise.withResolvers<void>()
  await page.route(/wave/, async (route) => {
    await held
    await route.continue()
  })
  await page.getByRole('link', { name: 'Den' }).click()
  const video = messageOf(page, 'look').getByLabel('wave.webm')
  await video.waitFor()
  type Video = {
    controls: boolean
    videoWidth: number
    currentTime: number
    muted: boolean
    play(): Promise<void>
  }
  const read = (what: 'controls' | 'videoWidth' | 'currentTime') =>
    video.evaluate((each, name) => (each as unknown as Video)[name], what)
  expect(await read('controls')).toBe(true)
  const before = await video.boundingBox()
  expect(before).toMatchObject({ width: 480, height: 270 })
  pass()
  await expect.poll(() => read('videoWidth')).toBe(64)
  expect(await video.boundingBox()).toEqual(before)
  await video.evaluate((each) => {
    const found = each as unknown as Video
    found.muted = true
    return found.play()
  })
  await expect.poll(() => read('currentTime')).toBeGreaterThan(0)
  await expectAccessible(page)
  const phone = await openPage(path, { as: ann, viewport: { width: 375, height: 667 } })
  const onPhone = messageOf(phone, 'look').getByLabel('wave.webm')
  await onPhone.waitFor()
  const narrow = (await onPhone.boundingBox())!
  expect(narrow.width).toBeLessThan(343)
  expect(narrow.width / narrow.height).toBeCloseTo(16 / 9, 1)
})

test('a file that is too large is refused when it is chosen', async () => {
  const { ann, path } = await twoInHouse()
  const page = await openPage(path, { as: ann })
  await page.getByRole('textbox', { name: 'Message general' }).waitFor()
  // Made in the page: such a file is long under way from here.
  await page.evaluate(`{
    const chosen = new DataTransfer()
    chosen.items.add(new File([new Uint8Array(25 * 1024 ** 2 + 1)], 'film.mov'))
    chosen.items.add(new File(['plan'], 'plan.txt'))
    chosen.items.add(new File([], 'nothing.txt'))
    const field = document.querySelector('input[type="file"]')
    field.files = chosen.files
    field.dispatchEvent(new Event('change', { bubbles: true }))
  }`)
  const refused = 'Too large to be sent: film.mov. A file may have 25 MiB.'
  await page.getByRole('dialog').getByText(refused).waitFor()
  await page.getByRole('dialog').getByText('Empty files cannot be sent: nothing.txt.').waitFor()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  const files = page.getByRole('list', { name: 'Files' })
  await files.getByText('plan.txt').waitFor()
  expect(await files.getByText(/film|nothing/).count()).toBe(0)
  // As for a text: how much of it is too much.
  await page.getByRole('textbox', { name: 'Message general' }).fill('x'.repeat(4_100))
  await page.getByText('100 characters too many').waitFor()
})

test('chosen files stay with their room and their person', async () => {
  const { ann, bob, den, path } = await twoInHouse()
  await houseRoom(den, { name: 'other' })
  const page = await openPage(path, { as: ann })
  const field = page.locator('input[type="file"]')
  await field.setInputFiles({ name: 'plan.txt', mimeType: 'text/plain', buffer: Buffer.from('plan') })
  const files = page.getByRole('list', { name: 'Files' })
  await files.getByText('plan.txt').waitFor()
  await page.getByRole('link', { name: 'other' }).click()
  const composer = page.getByRole('textbox', { name: 'Message other' })
  await composer.fill('without a file')
  expect(await files.count()).toBe(0)
  await composer.press('Enter')
  const log = page.getByRole('log', { name: 'Messages in other' })
  await log.getByRole('article').and(page.locator(':not([data-state])')).waitFor()
  expect(await log.getByRole('link', { name: 'plan.txt' }).count()).toBe(0)
  await page.getByRole('link', { name: 'general' }).click()
  await files.getByText('plan.txt').waitFor()

  // Somebody else logs in on the same page.
  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('button', { name: 'Log out' }).click()
  const dialog = page.getByRole('dialog', { name: 'Log out' })
  await dialog.getByText('1 file is not sent.').waitFor()
  await dialog.getByRole('button', { name: 'Log out' }).click()
  await page.getByLabel('E-mail or username').waitFor()
  await page.evaluate(
    `dispatchEvent(new StorageEvent('storage', { key: 'hearth.token', newValue: '${bob.token}' }))`,
  )
  await page.getByRole('link', { name: 'Den' }).click()
  await page.getByRole('textbox', { name: 'Message general' }).waitFor()
  expect(await files.count()).toBe(0)
})
