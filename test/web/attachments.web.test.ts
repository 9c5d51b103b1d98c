import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { sendMedia } from '../support/media.ts'
import { filePart } from '../support/multipart.ts'
import { photo, picture, turnedHeif } from '../support/pictures.ts'
import { call, db, houseRoom } from '../support/world.ts'
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

test('no picture is shown larger than the box that its message reserves, whatever its proportions', async () => {
  const { ann, bob, den, path } = await twoInHouse()
  const files = {
    'turned.jpg': await photo('jpeg', 6),
    'turned.avif': turnedHeif(await photo('avif'), 1),
    'turned.png': await photo('png', 6),
    'turned.webp': await photo('webp', 6),
    'wide.png': await picture('png', { width: 900, height: 300 }),
  }
  for (const [name, file] of Object.entries(files)) {
    await sendMedia(bob, den.room_id, filePart(file, name), { name: 'content', value: name })
  }
  const wrong = { width: 300, height: 900, type: 'image/png' }
  await sql`update messages set attachment = attachment || ${JSON.stringify({ dimensions: wrong })}::jsonb
    where room_id = ${den.room_id} and content = 'wide.png'`.execute(db)
  for (const width of [1280, 375]) {
    const page = await openPage(path, { as: ann, viewport: { width, height: 800 } })
    for (const [name, size] of Object.entries({
      'turned.jpg': [40, 60],
      'turned.avif': [40, 60],
      'turned.png': [40, 60],
      'turned.webp': [40, 60],
      'wide.png': [107, 320],
    })) {
      const image = messageOf(page, name).getByRole('img', { name: `Picture ${name}` })
      const naturalWidth = () =>
        image.evaluate((each) => (each as unknown as { naturalWidth: number }).naturalWidth)
      await expect.poll(naturalWidth).toBeGreaterThan(0)
      const box = (await image.boundingBox())!
      expect([name, box.width, box.height]).toEqual([name, ...size])
    }
  }
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

test('a photo is sent without its metadata, or as a file with every byte', async () => {
  const { ann, den, path } = await twoInHouse()
  const page = await openPage(path, {
    as: ann,
    viewport: { width: 375, height: 667 },
    mayFail: /status of 400/,
  })
  const bytes = await photo('jpeg', 6)
  const field = page.locator('input[type="file"]')
  await field.setInputFiles([
    { name: 'clean.jpg', mimeType: 'image/jpeg', buffer: bytes },
    { name: 'whole.jpg', mimeType: 'image/jpeg', buffer: bytes },
    { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('x') },
  ])
  const files = page.getByRole('list', { name: 'Files' })
  const row = (name: string) => files.getByRole('listitem').filter({ hasText: name })
  const choice = files.getByRole('checkbox', { name: 'Send as a file: whole.jpg' })
  await choice.check()
  expect(await row('notes.txt').getByRole('checkbox').count()).toBe(0)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await expect.poll(() => files.count()).toBe(0)
  expect(await sizes()).toEqual({
    'clean.jpg': expect.closeTo(bytes.length - 700, -3),
    'whole.jpg': bytes.length,
    'notes.txt': 1,
  })
  expect((await sizes())['clean.jpg']).toBeLessThan(bytes.length)

  const damaged = Buffer.concat([bytes.subarray(0, 40), Buffer.alloc(500)])
  await field.setInputFiles([{ name: 'broken.jpg', mimeType: 'image/jpeg', buffer: damaged }])
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await row('broken.jpg').getByRole('alert').getByText('This picture is damaged').waitFor()
  await row('broken.jpg').getByRole('checkbox', { name: 'Send as a file' }).check()
  await row('broken.jpg').getByRole('button', { name: 'Try again' }).click()
  await expect.poll(async () => (await sizes())['broken.jpg']).toBe(damaged.length)

  const many = Array.from({ length: 12 }, (_, index) => ({
    name: `${index}.jpg`,
    mimeType: 'image/jpeg',
    buffer: bytes,
  }))
  await field.setInputFiles(many)
  await files.getByText('11.jpg').waitFor()
  const send = await page.getByRole('button', { name: 'Send', exact: true }).boundingBox()
  expect(send!.y + send!.height).toBeLessThan(667)

  async function sizes(): Promise<Record<string, number>> {
    type Sent = { attachment: { filename: string; size: number } }
    const { data } = (await call(ann, 'GET', `/rooms/${den.room_id}/messages`)).body as { data: Sent[] }
    return Object.fromEntries(data.map(({ attachment }) => [attachment.filename, attachment.size]))
  }
})
