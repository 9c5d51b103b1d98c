// The server and the web client, both with reload: `npm run dev`, then open the address that it prints.
import { spawn } from 'node:child_process'
import { createServer } from 'vite'
import config from '../src/web/vite.config.js'

const { PORT = '8080' } = process.env
const api = spawn(process.execPath, ['--watch', '--watch-preserve-output', 'start.js'], {
  stdio: 'inherit',
})
const target = `http://127.0.0.1:${PORT}`
const vite = await createServer({
  ...config,
  logLevel: 'info',
  server: { host: '127.0.0.1', proxy: { '^/(?!app/)': { target, ws: true, xfwd: true } } },
})
await vite.listen()
vite.printUrls()

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, async () => {
    api.kill(signal)
    await vite.close()
    process.exit(0)
  })
}
