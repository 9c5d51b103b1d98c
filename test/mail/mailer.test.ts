import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { MailRefused, openMailer, reasonOfMail } from '../../src/mail/mailer.ts'
import { resetMail } from '../../src/mail/mails.ts'
import { smtpServer } from '../support/smtp.ts'

const from = 'hearth@hearth.test'
const mail = { to: 'ann@example.org', subject: 'Hello', text: 'a mail', html: '<p>a mail</p>' }

/** A mail server, and a mailer that sends to it. */
async function withServer(options?: Parameters<typeof smtpServer>[0]) {
  const smtp = await smtpServer(options)
  const mailer = openMailer(smtp.url, from)
  onTestFinished(async () => {
    mailer.close()
    await smtp.close()
  })
  return { smtp, mailer }
}

const failureOf = (sending: Promise<void>): Promise<unknown> =>
  sending.then(
    () => undefined,
    (error) => error,
  )

test('an address is taken as one, whatever is in it', async () => {
  const { smtp, mailer } = await withServer()
  await failureOf(mailer.send({ ...mail, to: 'ann@example.org,eve@example.net' }))
  await mailer.send(mail)
  expect(smtp.mails.flatMap((each) => each.to)).not.toContain('eve@example.net')
})

test.each(['<ann@example.org', '>ann@example.org', 'ann<@example.org'])(
  'a mail to %s reaches nobody else',
  async (to) => {
    const { smtp, mailer } = await withServer()
    const failure = await failureOf(mailer.send({ ...mail, to }))
    expect([failure, smtp.mails]).toEqual([new MailRefused('the address contains < or >'), []])
  },
)

test.each([
  ['550 5.1.1 no such user', true, 'EENVELOPE 550'],
  ['450 4.2.0 greylisted, come back later', false, 'EENVELOPE 450'],
])('%j is an answer for good: %s; the reason has no address', async (toRecipients, isFinal, reason) => {
  const { mailer } = await withServer({ toRecipients })
  const failure = await failureOf(mailer.send(mail))
  expect([failure instanceof MailRefused, reasonOfMail(failure)]).toEqual([isFinal, reason])
})

test.each([
  ['never greets', '', '', 100],
  ['falls silent after its greeting', '220 double\r\n', '', 100],
  ['takes longer than its address allows', '', '?greetingTimeout=100', 600_000],
])('a mail server that %s is given up', async (_what, greeting, query, patienceMs) => {
  const silent = createServer((socket) => {
    onTestFinished(() => void socket.destroy())
    socket.on('error', () => {}).write(greeting)
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void silent.close())
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  const mailer = openMailer(`smtp://127.0.0.1:${port}${query}`, from, patienceMs)
  expect(reasonOfMail(await failureOf(mailer.send(mail)))).toBe('ETIMEDOUT')
})

test('a mail server that is away is named with what the connection came to', async () => {
  const mailer = openMailer('smtp://127.0.0.1:1', from)
  expect(reasonOfMail(await failureOf(mailer.send(mail)))).toBe('connect ECONNREFUSED 127.0.0.1:1')
})

test('a mail has both forms, and no vacation responder answers it', async () => {
  const { smtp, mailer } = await withServer()
  const about = { email: mail.to, username: 'ann', server: `https://chat.example.org/<b>&"'` }
  const page = 'https://chat.example.org/app/new-password'
  await mailer.send(resetMail({ ...about, code: 'abc', shortCode: '7K2QF-M9X4T', page }))
  const { text, html } = await smtp.next()
  expect(text).toMatch(/^Auto-Submitted: auto-generated$/m)
  expect(text).toContain(`\n\n${page}#code=abc\n\n`)
  expect(text).toContain('\n\n7K2QF-M9X4T\n\n')
  expect(html).toContain(`<a href="${page}#code=abc"`)
  expect(html).toContain('>7K2QF-M9X4T<')
  expect(html).toContain('https://chat.example.org/&lt;b&gt;&amp;&quot;&#39;')
  expect(html).not.toContain('<b>')
})
