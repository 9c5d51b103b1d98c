import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { otherApp } from '../support/other-app.ts'
import { call } from '../support/world.ts'

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))

test('says what the server is, offers and limits, to everybody', async () => {
  const answer = await call(null, 'GET', '/server')
  expect(answer.status).toBe(200)
  const { limits, ...rest } = answer.body.data
  expect(rest).toEqual({
    name: 'hearth.test',
    version,
    registration: 'open',
    house_creation: 'everybody',
    mail: false,
    oidc: false,
    addresses: ['http://hearth.test'],
    push_key: null,
  })
  expect(limits).toMatchObject({
    name: 64,
    house_name: 100,
    content: 4000,
    password: 256,
    houses: 100,
    restrictions: 1_000,
    reactions: 20,
    pins: 50,
    webhooks: 25,
    body_bytes: 262_144,
    picture_bytes: 8 * 1024 * 1024,
    attachment_bytes: 26_214_400,
  })
  expect(Object.values(limits).every(Number.isInteger)).toBe(true)
})

test('says what the settings decide', async () => {
  const other = await otherApp({
    registration: 'invite',
    houseCreation: 'admins',
    smtpUrl: 'smtp://127.0.0.1:1',
    publicUrl: 'https://chat.example.org',
    formerUrls: ['http://old.example', 'https://older.example:8443'],
    oidc: { issuer: 'http://127.0.0.1:1', clientId: 'x', clientSecret: 'x', linksByEmail: false },
  })
  const { body } = await other.call(null, 'GET', '/server')
  expect(body.data).toMatchObject({
    registration: 'invite',
    house_creation: 'admins',
    mail: true,
    oidc: true,
    addresses: ['https://chat.example.org', 'http://old.example', 'https://older.example:8443'],
  })
})
