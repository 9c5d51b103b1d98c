import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { openMailer } from '../../src/mail/mailer.ts'
import { smtpServer } from '../support/smtp.ts'

// A stop waits two seconds at most; loading this at the first mail can take as long.
await import('nodemailer')
const from = 'hearth@hearth.test'
const mail = (n: number) => ({ to: `ann${n}@example.org`, subject: 'Hello', text: `mail ${n}` })

test('a stop waits for the mails that were sent before it', async () => {
  const smtp = await smtpServer()
  onTestFinished(() => smtp.close())
  const failures: string[] = []
  const mailer = openMailer(smtp.url, from, (reason) => failures.push(reason))
  for (const n of [1, 2, 3]) mailer.send('ann', mail(n))
  await mailer.close()
  const to = smtp.mails.map((each) => each.to)
  expect([to, failures]).toEqual([[['ann1@example.org'], ['ann2@example.org'], ['ann3@example.org']], []])
})

test('a stop does not wait for a mail server that hangs', async () => {
  const silent = createServer((socket) => {
    onTestFinished(() => void socket.destroy())
    socket.on('error', () => {})
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void silent.close())
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  const failures: string[] = []
  const mailer = openMailer(`smtp://127.0.0.1:${port}`, from, (reason) => failures.push(reason), 20_000)
  mailer.send('ann', mail(1))
  await mailer.close()
  expect(failures).toEqual([])
})
