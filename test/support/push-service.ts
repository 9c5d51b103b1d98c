import { createECDH, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, expect } from 'vitest'
import { type Address, isPublicAddress, type PushNetwork } from '../../src/push/network.ts'
import { otherApp } from './other-app.ts'
import { certificate, certificateKey } from './push-certificate.ts'
import { decryptPush, readVapid, type Vapid } from './push-encryption.ts'
import type { callOn, Person } from './world.ts'

setDefaultCACertificates([...getCACertificates('default'), certificate])

// biome-ignore lint/suspicious/noExplicitAny: what is pushed is what the tests find out
type Payload = any
export type ReceivedPush = { headers: IncomingHttpHeaders; vapid: Vapid; payload: Payload }

/** A browser that has subscribed: what it gives the server, and the pushes that came for it. */
export type Browser = {
  subscription: { endpoint: string; keys: { p256dh: string; auth: string } }
  pushes: ReceivedPush[]
  /** Settles when there are so many, and returns them. */
  received(count: number): Promise<Payload[]>
  /** What its push service answers in place of 201. */
  answer: (response: ServerResponse) => void
  requests: number
}

/** A push service on 127.0.0.1, which decrypts what it is sent as the browser would. */
export async function startPushService(address = '127.0.0.1') {
  const browsers = new Map<string, Browser & { decrypt(body: Buffer): string }>()
  let connections = 0
  const server = createServer({ key: certificateKey, cert: certificate }, async (request, response) => {
    const browser = browsers.get(request.url!)
    if (!browser) return response.writeHead(404).end()
    browser.requests += 1
    const body = Buffer.concat(await request.toArray())
    const payload = JSON.parse(browser.decrypt(body))
    browser.pushes.push({
      headers: request.headers,
      vapid: readVapid(request.headers.authorization!),
      payload,
    })
    browser.answer(response)
  })
  server.on('connection', () => {
    connections += 1
  })
  server.listen(0, address)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    port,
    /** How often somebody has connected. */
    get connections() {
      return connections
    },
    /** Subscribes a browser at a host of this service. */
    subscribe(host = 'push.test'): Browser {
      const pair = createECDH('prime256v1')
      const p256dh = pair.generateKeys('base64url')
      const auth = randomBytes(16)
      const path = `/${randomBytes(8).toString('hex')}`
      const pushes: ReceivedPush[] = []
      const browser = {
        subscription: {
          endpoint: `https://${host}:${port}${path}`,
          keys: { p256dh, auth: auth.toString('base64url') },
        },
        pushes,
        async received(count: number) {
          await expect.poll(() => pushes.length).toBe(count)
          return pushes.map(({ payload }) => payload)
        },
        answer: (response: ServerResponse) => void response.writeHead(201).end(),
        requests: 0,
        decrypt: (body: Buffer) => decryptPush(body, pair, auth),
      }
      browsers.set(path, browser)
      return browser
    },
  }
}

/** A network in which hosts have the addresses given, or 127.0.0.1; of the private addresses only this one is allowed. */
export function testNetwork(hosts: Record<string, () => string[]> = {}): PushNetwork & { asked: string[] } {
  const asked: string[] = []
  return {
    asked,
    async resolve(hostname) {
      asked.push(hostname)
      const addresses = hosts[hostname]?.() ?? ['127.0.0.1']
      return addresses.map((address): Address => ({ address, family: address.includes(':') ? 6 : 4 }))
    },
    isAllowed: (address) => address === '127.0.0.1' || isPublicAddress(address),
  }
}

/** An app that pushes over such a network, and how to call it. */
export function pushingApp(network: PushNetwork = testNetwork()) {
  return otherApp({ vapidSubject: 'mailto:ops@hearth.test' }, { pushNetwork: network })
}

/** Subscribes a browser to the pushes of somebody. Returns the id. */
export async function subscribeTo(
  call: ReturnType<typeof callOn>,
  person: Person,
  browser: Browser,
): Promise<string> {
  const { status, body } = await call(person, 'POST', '/users/@me/push-subscriptions', browser.subscription)
  expect(status).toBe(200)
  return body.data.id
}
