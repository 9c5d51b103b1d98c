// The yardstick of the gateway: a bare `ws` server that sends one frame to every socket for each POST.

import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { WebSocketServer } from 'ws'

const frame = (await readFile(process.env.BARE_FRAME!)).toString()
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    for (const socket of sockets.clients) socket.send(frame)
    response.end('{}')
  })
})
const sockets = new WebSocketServer({ server, perMessageDeflate: false })
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as { port: number }
  console.log(`bare answers at http://127.0.0.1:${port}`)
})
process.on('SIGTERM', () => process.exit(0))
