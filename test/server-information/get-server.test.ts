import { expect, test } from 'vitest'
import { otherApp } from '../support/other-app.ts'
import { call } from '../support/world.ts'

test('a server with the default settings is described', async () => {
  const { body } = await call(null, 'GET', '/server')
  expect(body.data).toEqual({
    name: 'hearth.test',
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    registration: 'open',
    house_creation: 'everybody',
    mail: false,
    oidc: false,
    push_key: null,
    limits: {
      name: 64,
      house_name: 100,
      text: 512,
      content: 4000,
      json_bytes: 256 * 1024,
      picture_bytes: 8 * 1024 * 1024,
      attachment_bytes: 25 * 1024 * 1024,
    },
  })
})

test('what the settings say is shown', async () => {
  const other = await otherApp({
    registration: 'invite',
    houseCreation: 'admins',
    smtpUrl: 'smtp://127.0.0.1:1',
    oidc: { issuer: 'http://127.0.0.1:1', clientId: 'x', clientSecret: 'x', linksByEmail: false },
  })
  const { body } = await other.call(null, 'GET', '/server')
  expect(body.data).toMatchObject({
    registration: 'invite',
    house_creation: 'admins',
    mail: true,
    oidc: true,
  })
})
