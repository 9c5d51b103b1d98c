import type { Example } from '../../../src/http/openapi/examples.ts'
import { filePart, multipart } from '../multipart.ts'
import { call } from '../world.ts'
import { settle } from './settle.ts'
import { standIns } from './stand-ins.ts'
import { type Name, people } from './village.ts'

/** How to ask for one operation in the village. */
type Recipe = {
  /** Mira if not said; `null` has no token. */
  by?: Name | null
  params?: Record<string, string>
  query?: Record<string, string>
  body?: object
  /** What must have happened before; what it gives is sent in place of `body`, which is only shown. */
  first?: () => Promise<object | undefined>
  /** Sends the body as multipart, with this file. */
  file?: { name: string; content: string }
}
/** By operationId. */
export type Recipes = Record<string, Recipe>

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

let isAsSettled = false

/** Asks in a village where nothing has happened yet, and gives what is to be shown of it. */
export async function follow(recipe: Recipe, method: Method, path: string): Promise<Example> {
  if (!isAsSettled) await settle()
  const { by = 'mira', params = {}, query, body, first, file } = recipe
  isAsSettled = method === 'GET' && !first
  const sent = (await first?.()) ?? body
  const url = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? `no-${name}`),
  )
  const search = query ? `?${new URLSearchParams(query)}` : ''
  const device = { headers: { 'user-agent': 'Hearth desktop 1.4' } }
  const caller = by && people[by]
  const answer = file
    ? await call(caller, method, url + search, undefined, withFile(file, body))
    : await call(caller, method, url + search, sent, device)
  return {
    ...(Object.keys(params).length > 0 && { params }),
    ...(query && { query }),
    ...(file ? { body: { ...body, file: file.name } } : body && { body }),
    status: answer.status,
    ...(answer.body && { answer: standIns(answer.body) }),
  }
}

function withFile(file: NonNullable<Recipe['file']>, fields: object = {}) {
  const parts = Object.entries(fields).map(([name, value]) => ({ name, value: String(value) }))
  return multipart(...parts, filePart(file.content, file.name))
}
