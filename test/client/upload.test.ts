import { afterEach, expect, test, vi } from 'vitest'
import { Api } from '../../src/client/api.ts'
import { listen, portOf } from '../support/gateway.ts'
import { house, user } from '../support/world.ts'

const app = await listen()
const address = `http://127.0.0.1:${portOf(app)}`

/** An XMLHttpRequest on top of fetch, which sends the requests of a browser. */
class BrowserUpload {
  readonly upload = { onprogress: null as ((event: { loaded: number; total: number }) => void) | null }
  responseType = ''
  response: ArrayBuffer | undefined
  status = 0
  onload: (() => void) | null = null
  onerror: (() => void) | null = null
  readonly #abort = new AbortController()
  readonly #headers: Record<string, string> = {}
  #method = ''
  #url = ''
  #answered = new Headers()

  open(method: string, url: string): void {
    this.#method = method
    this.#url = url
  }
  setRequestHeader(name: string, value: string): void {
    this.#headers[name] = value
  }
  getAllResponseHeaders(): string {
    return [...this.#answered].map(([name, value]) => `${name}: ${value}\r\n`).join('')
  }
  abort(): void {
    this.#abort.abort()
  }
  send(body: FormData): void {
    const { signal } = this.#abort
    const request = { method: this.#method, headers: this.#headers, body, signal }
    this.upload.onprogress?.({ loaded: 0, total: 8 })
    if (signal.aborted) return
    fetch(this.#url, request).then(
      async (answer) => {
        this.upload.onprogress?.({ loaded: 8, total: 8 })
        this.status = answer.status
        this.#answered = answer.headers
        this.response = await answer.arrayBuffer()
        this.onload?.()
      },
      () => this.onerror?.(),
    )
  }
}

afterEach(() => {
  vi.unstubAllGlobals()
})

async function scene() {
  vi.stubGlobal('XMLHttpRequest', BrowserUpload)
  const ann = await user()
  const den = await house({ owner: ann })
  const api = new Api({ address, token: ann.token })
  return { api, params: { id: den.room_id }, body: { file: new Blob(['a file']), filename: 'a.txt' } }
}

test('an upload reports its progress', async () => {
  const { api, params, body } = await scene()
  const progress: number[][] = []
  const onProgress = (...bytes: number[]) => progress.push(bytes)
  const { attachment } = await api.call('sendMediaMessage', { params, body, onProgress })
  expect(attachment!.filename).toBe('a.txt')
  expect(progress).toEqual([
    [0, 8],
    [8, 8],
  ])
})

test('a refused upload throws the error', async () => {
  const { api, body } = await scene()
  const call = api.call('sendMediaMessage', { params: { id: '1' }, body, onProgress: () => {} })
  await expect(call).rejects.toMatchObject({ code: 'room_not_found' })
})

test('an aborted upload throws the reason', async () => {
  const { api, params, body } = await scene()
  const abort = new AbortController()
  const onProgress = () => abort.abort(new Error('cancelled'))
  const call = api.call('sendMediaMessage', { params, body, onProgress, signal: abort.signal })
  await expect(call).rejects.toThrow('cancelled')
})

test('an upload that reaches no server is unreachable', async () => {
  const { params, body } = await scene()
  const api = new Api({ address: 'http://127.0.0.1:1' })
  const call = api.call('sendMediaMessage', { params, body, onProgress: () => {} })
  await expect(call).rejects.toMatchObject({ code: 'unreachable' })
})
