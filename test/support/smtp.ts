import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

type ReceivedMail = { from: string; to: string[]; text: string }

/** An SMTP server on 127.0.0.1 that accepts every mail; `next` waits for the next unread one. */
export async function smtpServer() {
  const mails: ReceivedMail[] = []
  const waiting: ((mail: ReceivedMail) => void)[] = []
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
        const waiter = waiting.shift()
        if (waiter) waiter(mail)
        else mails.push(mail)
        mail = { from: '', to: [], text: '' }
        return '250 taken\r\n'
      }
      if (isContent) {
        mail.text += `${line}\n`
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
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `smtp://127.0.0.1:${port}/?ignoreTLS=true`,
    /** Mails that `next` has not returned. */
    mails,
    async next(): Promise<ReceivedMail> {
      return mails.shift() ?? new Promise((resolve) => waiting.push(resolve))
    },
    async close() {
      server.close()
      await once(server, 'close')
    },
  }
}

/** The code in a mail. */
export function codeIn(mail: ReceivedMail): string {
  return /^[0-9a-f]{32}$/m.exec(mail.text)![0]
}
