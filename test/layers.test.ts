import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, test } from 'vitest'

const src = join(import.meta.dirname, '../src')

/** Folders that are no resource: what every resource may lean on. */
const shared = ['auth', 'cli', 'db', 'events', 'gateway', 'http', 'images', 'mail', 'storage'] as const

/** The layers of a resource, and the resources' and shared parts each may import. */
const allowed: Record<string, readonly string[]> = {
  routes: [
    'operations',
    'permissions',
    'queries',
    'schemas',
    'forms',
    'http',
    'auth',
    'errors',
    'ids',
    'events',
    'images',
    'mail',
    'storage',
  ],
  operations: [
    'operations',
    'permissions',
    'queries',
    'schemas',
    'forms',
    'db',
    'auth',
    'images',
    'storage',
    'events',
    'ids',
    'queue',
    'lists',
    'errors',
  ],
  forms: ['forms', 'permissions', 'queries', 'schemas', 'events', 'ids'],
  permissions: ['permissions', 'queries', 'schemas'],
  queries: ['queries', 'db', 'ids', 'auth'],
  schemas: ['schemas', 'http'],
  gateway: [
    'gateway',
    'operations',
    'permissions',
    'queries',
    'schemas',
    'forms',
    'db',
    'auth',
    'http',
    'events',
    'ids',
    'deadline',
    'queue',
    'errors',
    'config',
  ],
  http: ['http', 'db', 'errors', 'ids', 'deadline', 'config'],
  auth: ['auth', 'http', 'db', 'errors', 'ids', 'queue', 'config', 'environment'],
  images: ['images', 'storage', 'errors', 'ids', 'queue'],
  mail: ['mail'],
  storage: ['storage', 'errors', 'db'],
  events: ['events', 'schemas', 'db', 'deadline', 'ids'],
  db: ['db', 'ids', 'errors', 'deadline'],
  errors: [],
  ids: [],
  memory: [],
  deadline: [],
  queue: ['errors'],
  lists: ['queue'],
  config: ['environment'],
  environment: [],
}

/** Files above all layers: the process and its commands. They import what they need. */
const upper = ['main', 'server', 'server-process', 'workers', 'failures', 'app', 'cli']

/** Libraries a layer never imports. */
const forbiddenLibraries: Record<string, readonly string[]> = {
  routes: ['kysely', 'pg'],
  operations: ['fastify'],
  forms: ['fastify', 'kysely', 'pg'],
  permissions: ['fastify', 'kysely', 'pg', '@sinclair/typebox'],
  queries: ['fastify', '@sinclair/typebox'],
  schemas: ['fastify', 'kysely', 'pg'],
  db: ['fastify'],
}

/** Resources whose schemas others may build on, from the lowest up. */
const schemaOrder = ['users', 'roles', 'members', 'entities', 'rooms', 'houses', 'messages']

type Import = { file: string; target: string; typeOnly: boolean; library: boolean }

function listImports(): Import[] {
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
  return files.flatMap((file) => {
    const text = readFileSync(join(src, file), 'utf8')
    const statements = text.matchAll(
      /^(?:import|export)\s+(type\s)?[^'";]*?from\s+'([^']+)'|import\('([^']+)'\)/gms,
    )
    return [...statements].map(([, typeOnly, from, lazily]) => {
      const target = (from ?? lazily)!
      const library = !target.startsWith('.')
      const path = library ? target : normalize(join(dirname(file), target))
      return { file, target: path, typeOnly: typeOnly !== undefined, library }
    })
  })
}

/** The layer of a file of ours: a shared folder, a root file, or the file's name within a resource. */
function layerOf(file: string): string {
  const [folder, name] = file.split('/') as [string, string | undefined]
  if (name === undefined) return folder.replace(/\.ts$/, '')
  if ((shared as readonly string[]).includes(folder)) return folder
  return name
    .replace(/\.ts$/, '')
    .replace(/^.*-(?=routes$|operations$|queries$|schemas$|forms$|permissions$)/, '')
}

const imports = listImports()
const own = imports.filter((one) => !one.library)

describe('layers', () => {
  test('every file of src has a layer', () => {
    const known = new Set([...Object.keys(allowed), ...upper])
    const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.ts'),
    )
    expect(files.filter((file) => !known.has(layerOf(file)))).toEqual([])
  })

  test('imports point down', () => {
    const climbing = own.filter(({ file, target }) => {
      const layer = layerOf(file)
      return !upper.includes(layer) && !allowed[layer]?.includes(layerOf(target))
    })
    expect(climbing.map(({ file, target }) => `${file} → ${target}`)).toEqual([])
  })

  test('permissions import nothing but types and other permissions', () => {
    const wrong = own.filter(({ file, target, typeOnly }) => {
      return layerOf(file) === 'permissions' && !typeOnly && layerOf(target) !== 'permissions'
    })
    expect(wrong).toEqual([])
  })

  test('operations take only types from schemas', () => {
    const values = own.filter(({ file, target, typeOnly }) => {
      return layerOf(file) === 'operations' && layerOf(target) === 'schemas' && !typeOnly
    })
    expect(values.map(({ file, target }) => `${file} → ${target}`)).toEqual([])
  })

  test('schemas build on each other in one direction', () => {
    const climbing = own.filter(({ file, target }) => {
      if (layerOf(file) !== 'schemas' || layerOf(target) !== 'schemas') return false
      const [from, to] = [file, target].map((path) => schemaOrder.indexOf(dirname(path)))
      return from !== -1 && (to === -1 || to! > from!)
    })
    expect(climbing.map(({ file, target }) => `${file} → ${target}`)).toEqual([])
  })

  test('no layer reaches for a library that is not its own', () => {
    const wrong = imports.filter(({ file, target, library }) => {
      const banned = forbiddenLibraries[layerOf(file)] ?? []
      return library && banned.some((name) => target === name || target.startsWith(`${name}/`))
    })
    expect(wrong.map(({ file, target }) => `${file} → ${target}`)).toEqual([])
  })

  test('nothing imports node:http but its types: all that it exports, an HTTP client of 13 MB, would come with it', () => {
    const values = imports.filter(({ target, typeOnly }) => /^(?:node:)?https?$/.test(target) && !typeOnly)
    expect(values.map(({ file }) => file)).toEqual([])
  })

  test('migrations import kysely and nothing of src', () => {
    const dir = join(import.meta.dirname, '../migrations')
    const targets = readdirSync(dir).flatMap((file) => {
      return [...readFileSync(join(dir, file), 'utf8').matchAll(/from\s+'([^']+)'/g)].map((match) => match[1])
    })
    expect(new Set(targets)).toEqual(new Set(['kysely']))
  })
})
