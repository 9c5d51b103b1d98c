import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { afterAll, expect, onTestFinished, test, vi } from 'vitest'
import { openMailer } from '../../src/mail/mailer.ts'
import { smtpServer } from '../support/smtp.ts'

// Loading it at the first mail can take as long as a stop waits.
await import('nodemailer')
const from = 'hearth@hearth.test'
const smtp = await smtpServer()
afterAll(() => smtp.close())
const mail = (n: number) => ({ to: `ann${n}@example.org`, subject: 'Hello', text: `mail ${n}` })

test('a stop waits for the mails that were sent before it', async () => {
  const failures: string[] = []
  const mailer = openMailer(smtp.url, from, (reason) => failures.push(reason))
  for (const n of [1, 2, 3]) mailer.send('ann', mail(n))
  await mailer.close()
  const to = smtp.mails.splice(0).map((each) => each.to)
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

test('an address is taken as one, whatever is in it', async () => {
  const mailer = openMailer(smtp.url, from, () => {})
  mailer.send('ann', { ...mail(1), to: 'ann@example.org,eve@example.net' })
  await mailer.close()
  expect(smtp.mails.splice(0).flatMap((each) => each.to)).not.toContain('eve@example.net')
})

test.each(['<ann@example.org', '>ann@example.org', 'ann<@example.org'])(
  'a mail to %s reaches nobody else',
  async (to) => {
    const failures: string[] = []
    const mailer = openMailer(smtp.url, from, (reason) => failures.push(reason))
    mailer.send('ann', { ...mail(1), to })
    await mailer.close()
    expect([smtp.mails.splice(0), failures]).toEqual([[], ['the address contains < or >']])
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
  const mailer = openMailer(smtp.url, from, () => {})
  for (let n = 0; n < 900; n += 1) mailer.send('ann', mail(n))
  mailer.send('bob', { ...mail(0), to: 'bob@example.org' })
  const before: string[] = []
  for (let to = ''; to !== 'bob@example.org'; before.push(to)) to = (await smtp.next()).to[0]!
  expect(before.length).toBeLessThan(20)
  await mailer.close()
  smtp.mails.length = 0
})
