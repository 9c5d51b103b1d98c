import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { resident } from '../../support/accounts.ts'
import { otherApp } from '../../support/other-app.ts'
import { ownWorld } from '../../support/own-world.ts'
import { smtpServer } from '../../support/smtp.ts'
import { db } from '../../support/world.ts'

await ownWorld()
// A stop waits two seconds at most; loading this at the first mail can take as long.
await import('nodemailer')

const path = '/auth/forgot-password'

function waitingMails(people: { id: string }[]) {
  const ids = people.map(({ id }) => id)
  return db.selectFrom('mails').select('kind').where('user_id', 'in', ids).execute()
}

test('a stop waits for the mails that were sent before it', async () => {
  const smtp = await smtpServer()
  onTestFinished(() => smtp.close())
  const { app, call } = await otherApp({ smtpUrl: smtp.url })
  const people = [await resident('ann'), await resident('bob'), await resident('cem')]
  for (const { email } of people) await call(null, 'POST', path, { email })
  await expect.poll(() => smtp.mails.length).toBeGreaterThan(0)
  await app.close()
  expect(smtp.mails.map((each) => each.to[0]).sort()).toEqual(people.map(({ email }) => email).sort())
  expect(await waitingMails(people)).toEqual([])
})

test('a stop does not wait for a mail server that hangs, and keeps the mail', async () => {
  const silent = createServer((socket) => {
    onTestFinished(() => void socket.destroy())
    socket.on('error', () => {})
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void silent.close())
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  const { app, call } = await otherApp({ smtpUrl: `smtp://127.0.0.1:${port}` })
  const ann = await resident('ann')
  await call(null, 'POST', path, { email: ann.email })
  await once(silent, 'connection')
  await app.close()
  expect(await waitingMails([ann])).toEqual([{ kind: 'reset_password' }])
})
