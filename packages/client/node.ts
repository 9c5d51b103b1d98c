// The package in Node. For versions before 22, which have no WebSocket, it contains that of the package ws.
import { createRequire } from 'node:module'
import { Gateway as AnyGateway, type GatewayOptions } from '../../src/client/gateway.ts'

export * from './index.ts'

export class Gateway extends AnyGateway {
  constructor(options: GatewayOptions) {
    super({ ...options, WebSocket: options.WebSocket ?? globalThis.WebSocket ?? loadWebSocket() })
  }
}

function loadWebSocket(): typeof WebSocket {
  return createRequire(import.meta.url)('./websocket.cjs')
}
