import sharp from 'sharp'
import { expect, test } from 'vitest'
import { sendMedia } from '../../support/media.ts'
import { listRows } from '../../support/messages.ts'
import { filePart, multipart, type Part } from '../../support/multipart.ts'
import { otherApp } from '../../support/other-app.ts'
import { heic, largeHeic, photo, turnedHeif } from '../../support/pictures.ts'
import { isDiscarded } from '../../support/store.ts'
import { app, failure, house, store, user } from '../../support/world.ts'

const asFile = { name: 'as_file', value: 'true' }
const secret = /Secret/

async function room() {
  const ann = await user()
  const { room_id } = await house({ owner: ann })
  return { ann, room_id }
}

/** Sends a file. Returns its attachment, and what is served. */
async function send(content: Buffer, filename: string, ...parts: Part[]) {
  const { ann, room_id } = await room()
  const { body } = await sendMedia(ann, room_id, ...parts, filePart(content, filename))
  const { attachment } = body.data
  const served = await app.inject(attachment.media_url.replace('http://hearth.test', ''))
  return { ann, room_id, attachment, served }
}

test.each(['jpeg', 'png', 'webp', 'avif'] as const)('a %s is sent without its metadata', async (format) => {
  const { attachment, served } = await send(await photo(format), `hill.${format}`)
  expect(served.rawPayload.toString('latin1')).not.toMatch(secret)
  expect(served.headers['content-type']).toBe(`image/${format}`)
  expect(attachment).toMatchObject({
    filename: `hill.${format}`,
    size: served.rawPayload.length,
    content_type: `image/${format}`,
    dimensions: { width: 60, height: 40, type: `image/${format}` },
  })
})

test('the file that arrived is erased once it is cleaned', async () => {
  const { room_id, attachment } = await send(await photo('jpeg'), 'hill.jpg')
  const names: string[] = []
  for await (const name of store.list()) if (name.startsWith(`attachments/${room_id}/`)) names.push(name)
  const kept = `attachments/${room_id}/${attachment.media_url.slice(-32)}`
  expect(names).toContain(kept)
  expect(await isDiscarded(kept)).toBe(false)
  for (const name of names) if (name !== kept) expect(await isDiscarded(name)).toBe(true)
})

test('the size of a turned photo is as it is shown, cleaned or sent as a file', async () => {
  const turned = await photo('jpeg', 6)
  for (const parts of [[], [asFile]]) {
    const { attachment } = await send(turned, 'hill.jpg', ...parts)
    expect(attachment.dimensions).toEqual({ width: 40, height: 60, type: 'image/jpeg' })
  }
})

test('a WebP that is stored turned is sent upright, with its colours', async () => {
  const { attachment, served } = await send(await photo('webp', 6), 'hill.webp')
  expect(served.rawPayload.toString('latin1')).not.toMatch(secret)
  const { orientation, ...metadata } = await sharp(served.rawPayload).metadata()
  expect(metadata).toMatchObject({ format: 'webp', width: 40, height: 60, hasProfile: true })
  expect(orientation).toBe(undefined)
  expect(attachment.dimensions).toEqual({ width: 40, height: 60, type: 'image/webp' })
})

test('as_file keeps every byte, wherever it stands in the body; anything but true and false is refused', async () => {
  const bytes = await photo('jpeg')
  const { served } = await send(bytes, 'hill.jpg', asFile)
  expect(served.rawPayload.equals(bytes)).toBe(true)
  const { ann, room_id } = await room()
  const after = await sendMedia(ann, room_id, filePart(bytes, 'hill.jpg'), asFile)
  expect(after.body.data.attachment.size).toBe(bytes.length)
  const off = await sendMedia(ann, room_id, filePart(bytes, 'hill.jpg'), { ...asFile, value: 'false' })
  expect(off.body.data.attachment.size).toBeLessThan(bytes.length)
  const wrong = await sendMedia(ann, room_id, filePart(bytes, 'hill.jpg'), { ...asFile, value: 'yes' })
  expect(wrong.body).toEqual(failure('invalid_schema', 'Invalid fields (as_file)'))
})

test('a picture whose metadata cannot be found is refused, and can be sent as a file', async () => {
  const { ann, room_id } = await room()
  const damaged = Buffer.concat([(await photo('png')).subarray(0, 60), Buffer.alloc(2_000, 0x7f)])
  const answer = await sendMedia(ann, room_id, filePart(damaged, 'hill.png'))
  expect([answer.status, answer.body]).toEqual([400, failure('invalid_schema', 'Invalid fields (file)')])
  expect(await listRows(room_id)).toEqual([])
  const sent = await sendMedia(ann, room_id, filePart(damaged, 'hill.png'), asFile)
  expect(sent.body.data.attachment.size).toBe(damaged.length)
})

test.each([
  ['as it lies', heic, [64, 48], 'left'],
  ['turned by a quarter', turnedHeif(heic, 1), [48, 64], 'bottom'],
] as const)('a HEIC %s is sent as a JPEG, upright, with its colours', async (_name, bytes, size, red) => {
  const { attachment, served } = await send(bytes, 'IMG_0001.HEIC')
  const [width, height] = size
  expect(attachment).toMatchObject({
    filename: 'IMG_0001.jpg',
    content_type: 'image/jpeg',
    size: served.rawPayload.length,
    dimensions: { width, height, type: 'image/jpeg' },
  })
  expect(served.rawPayload.toString('latin1')).not.toMatch(secret)
  const picture = sharp(served.rawPayload)
  expect(await picture.metadata()).toMatchObject({ format: 'jpeg', width, height, hasProfile: true })
  const half =
    red === 'left' ? { left: 0, top: 0, width: 30, height } : { left: 0, top: 34, width, height: 30 }
  const { channels } = await sharp(await picture.extract(half).png().toBuffer()).stats()
  expect(channels[0]!.mean).toBeGreaterThan(180)
  expect(channels[2]!.mean).toBeLessThan(60)
})

test('a HEIC sent as a file is a download with every byte', async () => {
  const { attachment, served } = await send(heic, 'IMG_0001.HEIC', asFile)
  expect(served.rawPayload.equals(heic)).toBe(true)
  expect(attachment).toMatchObject({ filename: 'IMG_0001.HEIC', content_type: 'application/octet-stream' })
})

test('a HEIC that cannot be read is a download without its metadata', async () => {
  const broken = Buffer.from(heic)
  broken.fill(0, broken.length - 276 - 91, broken.length - 276)
  const { attachment, served } = await send(broken, 'IMG_0001.HEIC')
  expect(attachment).toMatchObject({ filename: 'IMG_0001.HEIC', content_type: 'application/octet-stream' })
  expect(served.rawPayload.toString('latin1')).not.toMatch(secret)
})

test('a picture that becomes larger counts as it is stored', async () => {
  const { ann, room_id } = await room()
  const limited = await otherApp({ rateLimit: true, uploads: { burst: 20_000, refillMs: 1_000_000 } })
  const send = (...parts: Part[]) => {
    const body = multipart(filePart(largeHeic, 'a.heic'), ...parts)
    return limited.call(ann, 'POST', `/rooms/${room_id}/media_messages`, undefined, body)
  }
  expect((await send()).body.error.code).toBe('rate_limit')
  expect(await listRows(room_id)).toEqual([])
  expect((await send(asFile)).status).toBe(200)
})

test('a HEIC of a person whose time for pictures is used up is a download without its metadata', async () => {
  const { ann, room_id } = await room()
  const limited = await otherApp({ rateLimit: true })
  await limited.app.limits.pictures.count(ann.id, { count: 700 })
  const { payload, headers } = multipart(filePart(heic, 'a.heic'))
  const { body } = await limited.call(ann, 'POST', `/rooms/${room_id}/media_messages`, undefined, {
    payload,
    headers,
  })
  expect(body.data.attachment).toMatchObject({ filename: 'a.heic', content_type: 'application/octet-stream' })
  const served = await app.inject(body.data.attachment.media_url.replace('http://hearth.test', ''))
  expect(served.rawPayload.toString('latin1')).not.toMatch(secret)
})
