import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openMailer } from '../../src/mail/mailer.ts'
import { smtpServer } from '../support/smtp.ts'

const from = 'hearth@hearth.test'
const mail = (n: number) => ({ to: `ann${n}@example.org`, subject: 'Hello', text: `mail ${n}` })

/** A mail server, and a mailer that sends to it. */
async function withServer() {
  const smtp = await smtpServer()
  const failures: string[] = []
  const mailer = openMailer(smtp.url, from, (reason) => failures.push(reason))
  onTestFinished(async () => {
    await mailer.close()
    await smtp.close()
  })
  return { smtp, mailer, failures }
}

test('an address is taken as one, whatever is in it', async () => {
  const { smtp, mailer } = await withServer()
  mailer.send('ann', { ...mail(1), to: 'ann@example.org,eve@example.net' })
  mailer.send('ann', mail(2))
  await smtp.next('ann2@example.org')
  expect(smtp.mails.flatMap((each) => each.to)).not.toContain('eve@example.net')
})

test.each(['<ann@example.org', '>ann@example.org', 'ann<@example.org'])(
  'a mail to %s reaches nobody else',
  async (to) => {
    const { smtp, mailer, failures } = await withServer()
    mailer.send('ann', { ...mail(1), to })
    mailer.send('ann', mail(2))
    await smtp.next('ann2@example.org')
    expect([smtp.mails, failures]).toEqual([[], ['the address contains < or >']])
  },
)

test('mails of an account go out one after the other', async () => {
  const comers: (number | undefined)[] = []
  const silent = createServer((socket) => {
    comers.push(socket.remotePort)
    onTestFinished(() => void socket.destroy())
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void silent.close())
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  const mailer = openMailer(`smtp://127.0.0.1:${port}`, from, () => {})
  for (const n of [1, 2, 3]) mailer.send('ann', mail(n))
  await once(silent, 'connection')
  // Whoever had begun to connect together with the first comes before this one.
  const last = connect(port, '127.0.0.1')
  await expect.poll(() => last.localPort !== undefined && comers.includes(last.localPort)).toBe(true)
  expect(comers).toHaveLength(2)
  last.destroy()
})

test.each([
  ['never greets', '', '', 100],
  ['falls silent after its greeting', '220 double\r\n', '', 100],
  ['takes longer than its address allows', '', '?greetingTimeout=100', 600_000],
])('a mail server that %s does not hold up the next mail', async (_what, greeting, query, patienceMs) => {
  const silent = createServer((socket) => {
    onTestFinished(() => void socket.destroy())
    socket.on('error', () => {}).write(greeting)
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void silent.close())
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  const failures: string[] = []
  const url = `smtp://127.0.0.1:${port}${query}`
  const mailer = openMailer(url, from, (reason) => failures.push(reason), patienceMs)
  for (const n of [1, 2]) mailer.send('ann', mail(n))
  await vi.waitUntil(() => failures.length === 2, { timeout: 60_000 })
  expect(failures).toEqual(['ETIMEDOUT', 'ETIMEDOUT'])
})

test('reports each mail that fails or exceeds a queue of a thousand, and sends later ones', async () => {
  const failures: string[] = []
  const mailer = openMailer('smtp://127.0.0.1:1', from, (reason) => failures.push(reason))
  for (let n = 0; n < 1_002; n += 1) mailer.send('ann', mail(n))
  await vi.waitUntil(() => failures.length === 1_002, { timeout: 50_000 })
  expect(failures.filter((reason) => reason === 'too many mails are waiting')).toHaveLength(1)
  mailer.send('ann', mail(1))
  await expect.poll(() => failures.length).toBe(1_003)
  expect(new Set(failures)).toEqual(new Set(['too many mails are waiting', 'ESOCKET']))
})

test('mails of one account, however many, delay those of another by one at most', async () => {
  const { smtp, mailer } = await withServer()
  for (let n = 0; n < 100; n += 1) mailer.send('ann', mail(n))
  mailer.send('bob', { ...mail(0), to: 'bob@example.org' })
  await smtp.next('bob@example.org')
  expect(smtp.mails.length).toBeLessThan(20)
})
