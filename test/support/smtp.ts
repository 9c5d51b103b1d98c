import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

/** `text`: the headers and, decoded, the plain text below them; `html`: the same as HTML. */
type ReceivedMail = { from: string; to: string[]; text: string; html: string }

/**
 * An SMTP server on 127.0.0.1 that accepts every mail, or answers `toRecipients` to each of their addresses; `next` waits
 * for the next unread mail.
 */
export async function smtpServer({ toRecipients = '250 ok' } = {}) {
  const mails: ReceivedMail[] = []
  const waiting: { email: string | undefined; take(mail: ReceivedMail): void }[] = []
  const server = createServer((socket) => {
    let mail: ReceivedMail = { from: '', to: [], text: '', html: '' }
    let rest = ''
    let isContent = false
    socket.on('error', () => {})
    socket.write('220 double\r\n')
    socket.on('data', (bytes) => {
      const lines = (rest + bytes).split('\r\n')
      rest = lines.pop()!
      for (const line of lines) socket.write(answer(line))
    })

    function answer(line: string): string {
      if (isContent && line === '.') {
        isContent = false
        receive({ ...mail, ...decoded(mail.text) })
        mail = { from: '', to: [], text: '', html: '' }
        return '250 taken\r\n'
      }
      if (isContent) {
        // A dot at the beginning of a line is sent twice.
        mail.text += `${line.replace(/^\./, '')}\n`
        return ''
      }
      if (/^MAIL FROM:/i.test(line)) mail.from = line.slice(10)
      if (/^RCPT TO:/i.test(line)) {
        mail.to.push(/<(.*)>/.exec(line)![1]!)
        return `${toRecipients}\r\n`
      }
      if (/^DATA/i.test(line)) {
        isContent = true
        return '354 go on\r\n'
      }
      if (/^QUIT/i.test(line)) {
        socket.end('221 bye\r\n')
        return ''
      }
      return '250 ok\r\n'
    }
  })
  function receive(mail: ReceivedMail): void {
    const place = waiting.findIndex(({ email }) => isTo(mail, email))
    if (place === -1) mails.push(mail)
    else waiting.splice(place, 1)[0]!.take(mail)
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `smtp://127.0.0.1:${port}/?ignoreTLS=true`,
    /** Mails that `next` has not returned. */
    mails,
    /** The next mail, or the next one to this address. */
    async next(email?: string): Promise<ReceivedMail> {
      const place = mails.findIndex((mail) => isTo(mail, email))
      if (place !== -1) return mails.splice(place, 1)[0]!
      return new Promise((take) => waiting.push({ email, take }))
    },
    /** The mails to this address that `next` has not returned. */
    mailsTo: (email: string) => mails.filter((mail) => isTo(mail, email)),
    async close() {
      server.close()
      await once(server, 'close')
    },
  }
}

function isTo({ to }: ReceivedMail, email: string | undefined): boolean {
  return email === undefined || to.includes(email)
}

/** The parts of a mail, decoded. */
function decoded(mail: string): { text: string; html: string } {
  const [headers, ...rest] = mail.split('\n\n')
  const boundary = /boundary="([^"]+)"/.exec(headers!)?.[1]
  if (boundary === undefined) return { text: decodePart(mail), html: '' }
  const parts = rest
    .join('\n\n')
    .split(`--${boundary}`)
    .map((part) => decodePart(part.replace(/^\n/, '')))
  const [plain, html] = ['text/plain', 'text/html'].map(
    (type) => parts.find((part) => part.includes(type)) ?? '',
  )
  return { text: `${headers}\n\n${bodyOf(plain!)}`, html: bodyOf(html!) }
}

function bodyOf(part: string): string {
  return part.slice(part.indexOf('\n\n') + 2)
}

/** A part without the soft line breaks and escapes of quoted-printable. */
function decodePart(part: string): string {
  const [headers] = part.split('\n\n')
  if (!/^Content-Transfer-Encoding: quoted-printable$/m.test(headers!)) return part
  const escaped = bodyOf(part)
    .replace(/=\n/g, '')
    .replace(/=([0-9A-F]{2})/g, '%$1')
  return `${headers}\n\n${decodeURIComponent(escaped)}`
}

/** The code to type in a mail. */
export function codeIn(mail: ReceivedMail): string {
  const code = /^[0-9A-Z]{5}-[0-9A-Z]{5}$/m.exec(mail.text)?.[0]
  if (!code) throw new Error(`no code in ${mail.text}`)
  return code
}

/** The code in the link of a mail, which leads to this page of the web client. */
export function linkedCodeIn(mail: ReceivedMail, page: string): string {
  const [, path, code] = /^https?:\/\/[^/\s]+(\/\S*)#code=([0-9a-f]{32})$/m.exec(mail.text) ?? []
  if (!code || path !== page) throw new Error(`no link to ${page} in ${mail.text}`)
  return code
}
