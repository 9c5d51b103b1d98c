import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { pictureName } from '../../src/images/picture.ts'
import { picture } from '../support/pictures.ts'
import { eraseOnceFound } from '../support/store.ts'
import { app, call, db, failure, folder, house, store, user } from '../support/world.ts'

const missing = failure('not_found', 'Not found')

/** A user with a picture, and its path. */
async function pictured(kind: 'icon' | 'header') {
  const ann = await user()
  const sent = (await picture('png')).toString('base64')
  const file: string = (await call(ann, 'PATCH', '/users/@me', { [kind]: sent })).body.data[kind]
  return { ann, file, url: `/users/${ann.id}/${kind}s/${file}` }
}

test.each(['icon', 'header'] as const)('the %s of a user is served as it is stored', async (kind) => {
  const { ann, file, url } = await pictured(kind)
  for (const path of [url, `/v1${url}`]) {
    const reply = await app.inject({ url: path })
    expect(reply.statusCode).toBe(200)
    const lies = join(folder, 'files', pictureName(`users/${kind}s`, ann.id, file))
    expect(reply.rawPayload.equals(await readFile(lies))).toBe(true)
    expect((await sharp(reply.rawPayload).metadata()).format).toBe('webp')
    expect(reply.headers).toMatchObject({
      'content-type': 'image/webp',
      'content-length': String(reply.rawPayload.length),
      'cache-control': 'public, max-age=31536000, immutable',
      etag: `"${file.slice(0, 40)}"`,
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'access-control-allow-origin': '*',
    })
  }
})

test('the icon of a house is served', async () => {
  const den = await house({ owner: await user() })
  const icon = `${'a'.repeat(40)}.webp`
  await store.write(pictureName('houses/icons', den.id, icon), Buffer.from('bytes'))
  await db.updateTable('houses').set({ icon }).where('id', '=', den.id).execute()
  const answer = await call(null, 'GET', `/houses/${den.id}/icons/${icon}`)
  expect([answer.status, answer.text]).toEqual([200, 'bytes'])
  expect((await call(null, 'GET', `/users/${den.id}/icons/${icon}`)).body).toEqual(missing)
})

test('HEAD answers the same headers without the picture', async () => {
  const { url } = await pictured('icon')
  const [head, get] = [await call(null, 'HEAD', url), await call(null, 'GET', url)]
  expect(head.status).toBe(200)
  expect(head.text).toBe('')
  for (const name of ['content-type', 'content-length', 'etag', 'cache-control']) {
    expect(head.headers[name]).toBe(get.headers[name])
  }
})

test('If-None-Match with the present ETag answers 304', async () => {
  const { url, file } = await pictured('icon')
  const etag = `"${file.slice(0, 40)}"`
  for (const known of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
    const answer = await call(null, 'GET', url, undefined, { headers: { 'if-none-match': known } })
    expect([answer.status, answer.text]).toEqual([304, ''])
    expect(answer.headers).toMatchObject({ etag, 'cache-control': 'public, max-age=31536000, immutable' })
  }
  const answer = await call(null, 'GET', url, undefined, { headers: { 'if-none-match': '"other"' } })
  expect(answer.status).toBe(200)
})

test('a replaced or removed picture answers not_found at once, also with If-None-Match', async () => {
  const { ann, url, file } = await pictured('icon')
  for (const icon of [(await picture('gif')).toString('base64'), null]) {
    await call(ann, 'PATCH', '/users/@me', { icon })
    const headers = { 'if-none-match': `"${file.slice(0, 40)}"` }
    const answer = await call(null, 'GET', url, undefined, { headers })
    expect([answer.status, answer.body]).toEqual([404, missing])
    expect(answer.headers['cache-control']).toBeUndefined()
  }
})

test('a picture is served only under its owner and its kind', async () => {
  const { ann, file } = await pictured('icon')
  const bob = await user()
  for (const path of [
    `/users/${bob.id}/icons/${file}`,
    `/users/${ann.id}/headers/${file}`,
    `/houses/${ann.id}/icons/${file}`,
    `/users/@me/icons/${file}`,
    `/users/${ann.username}/icons/${file}`,
    `/users/x/icons/${file}`,
  ]) {
    const answer = await call(ann, 'GET', path)
    expect([path, answer.status, answer.body]).toEqual([path, 404, missing])
  }
})

test('a picture whose file is missing answers not_found', async () => {
  const { ann, file, url } = await pictured('icon')
  await store.remove(pictureName('users/icons', ann.id, file))
  expect((await call(null, 'GET', url)).body).toEqual(missing)
})

test('a picture that is erased during the request answers not_found without caching', async () => {
  const { ann, file, url } = await pictured('icon')
  const restore = eraseOnceFound(store, pictureName('users/icons', ann.id, file))
  const answer = await call(null, 'GET', url)
  restore()
  expect([answer.status, answer.body]).toEqual([404, missing])
  expect(answer.headers).not.toHaveProperty('cache-control')
  expect(answer.headers).not.toHaveProperty('etag')
})

test('no file name reaches outside the store or a folder', async () => {
  const { ann, file } = await pictured('icon')
  await writeFile(join(folder, 'secret.webp'), 'secret')
  for (const name of [
    '..%2f..%2f..%2f..%2fsecret.webp',
    '%2e%2e%2fsecret.webp',
    '%00',
    `${file}%00`,
    file.toUpperCase(),
    file.replace('.webp', ''),
    `x${file}`,
    'null',
    'undefined',
    '',
  ]) {
    for (const prefix of [
      `/users/${ann.id}/icons/`,
      `/users/${ann.id}/headers/`,
      `/houses/${ann.id}/icons/`,
    ]) {
      const answer = await call(null, 'GET', prefix + name)
      expect([name, answer.status, answer.body]).toEqual([name, 404, missing])
    }
  }
})
