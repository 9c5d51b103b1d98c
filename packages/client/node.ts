// The package in Node. For versions before 22, which have no WebSocket, it contains that of the package ws.
import { createRequire } from 'node:module'
import { checkAddress } from '../../src/client/arguments.ts'
import { Gateway as AnyGateway, type GatewayOptions } from '../../src/client/gateway.ts'

export * from './index.ts'

export class Gateway extends AnyGateway {
  constructor(options: GatewayOptions) {
    checkAddress(options.address)
    super({ ...options, WebSocket: options.WebSocket ?? globalThis.WebSocket ?? loadWebSocket() })
  }
}

function loadWebSocket(): typeof WebSocket {
  return createRequire(import.meta.url)('./websocket.cjs')
}
