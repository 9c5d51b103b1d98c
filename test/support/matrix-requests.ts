import type { Row } from './matrix.ts'
import { filePart, multipart } from './multipart.ts'
import type { Scene } from './scenes.ts'
import { type Answer, call } from './world.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Sends the request of a row as one of the scene's callers. */
export async function ask(row: Row, scene: Scene, name: string): Promise<Answer> {
  return (await prepare(row, scene, name))()
}

/** Makes what the request of a row needs, and returns how to send it. */
export async function prepare(row: Row, scene: Scene, name: string): Promise<() => Promise<Answer>> {
  const caller = name === 'nobody' ? null : scene.people[name]!
  const params: Record<string, string> = { ...scene.ids, ...(scene.idFor[name] && { id: scene.idFor[name] }) }
  for (const [param, make] of Object.entries(row.at ?? {})) params[param] = await make(scene, caller)
  const [method, path] = row.route.split(' ') as [Method, string]
  const url = path.replaceAll(/\{(\w+)\}/g, (_, param: string) => params[param] ?? `no ${param} in the scene`)
  if (row.file) return () => call(caller, method, url, undefined, multipart(filePart('x')))
  const body = typeof row.body === 'function' ? await row.body(scene, caller) : row.body
  return () => call(caller, method, url + (row.query ?? ''), body)
}
