import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

/** `text`: the headers and, decoded, the text below them. */
type ReceivedMail = { from: string; to: string[]; text: string }

/** An SMTP server on 127.0.0.1 that accepts every mail; `next` waits for the next unread one. */
export async function smtpServer() {
  const mails: ReceivedMail[] = []
  const waiting: { email: string | undefined; take(mail: ReceivedMail): void }[] = []
  const server = createServer((socket) => {
    let mail: ReceivedMail = { from: '', to: [], text: '' }
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
        receive({ ...mail, text: decoded(mail.text) })
        mail = { from: '', to: [], text: '' }
        return '250 taken\r\n'
      }
      if (isContent) {
        // A dot at the beginning of a line is sent twice.
        mail.text += `${line.replace(/^\./, '')}\n`
        return ''
      }
      if (/^MAIL FROM:/i.test(line)) mail.from = line.slice(10)
      if (/^RCPT TO:/i.test(line)) mail.to.push(/<(.*)>/.exec(line)![1]!)
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

/** A mail without the soft line breaks and escapes of quoted-printable. */
function decoded(text: string): string {
  const [headers, ...parts] = text.split('\n\n')
  if (!/^Content-Transfer-Encoding: quoted-printable$/m.test(headers!)) return text
  const escaped = parts
    .join('\n\n')
    .replace(/=\n/g, '')
    .replace(/=([0-9A-F]{2})/g, '%$1')
  return `${headers}\n\n${decodeURIComponent(escaped)}`
}

/** The code in a mail. */
export function codeIn(mail: ReceivedMail): string {
  const code = /^[0-9a-f]{32}$/m.exec(mail.text)?.[0]
  if (!code) throw new Error(`no code in ${mail.text}`)
  return code
}
