import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, normalize } from 'node:path'
import { describe, expect, test } from 'vitest'

const src = join(import.meta.dirname, '../src')

/** Folders that are no resource: what every resource may lean on. */
const shared = [
  'auth',
  'cli',
  'client',
  'concurrency',
  'config',
  'database',
  'events',
  'gateway',
  'http',
  'images',
  'mail',
  'markdown',
  'process',
  'push',
  'storage',
  'web',
] as const

/** The layers of a resource, and the resources' and shared parts each may import. */
const allowed: Record<string, readonly string[]> = {
  routes: [
    'operations',
    'permissions',
    'queries',
    'schemas',
    'serializers',
    'http',
    'auth',
    'errors',
    'ids',
    'text',
    'events',
    'images',
    'mail',
    'push',
    'storage',
  ],
  operations: [
    'operations',
    'permissions',
    'queries',
    'schemas',
    'serializers',
    'database',
    'auth',
    'images',
    'storage',
    'events',
    'ids',
    'text',
    'markdown',
    'concurrency',
    'errors',
    'push',
  ],
  serializers: ['serializers', 'permissions', 'queries', 'schemas', 'events', 'ids'],
  permissions: ['permissions', 'queries', 'schemas'],
  queries: ['queries', 'database', 'events', 'ids', 'text', 'auth'],
  schemas: ['schemas', 'http'],
  gateway: [
    'gateway',
    'operations',
    'permissions',
    'queries',
    'schemas',
    'serializers',
    'database',
    'auth',
    'http',
    'events',
    'ids',
    'concurrency',
    'errors',
    'config',
  ],
  client: ['client', 'schemas', 'gateway', 'http'],
  web: ['web', 'client', 'permissions', 'markdown'],
  http: ['http', 'database', 'errors', 'ids', 'text', 'concurrency', 'config'],
  auth: ['auth', 'http', 'database', 'errors', 'ids', 'text', 'concurrency', 'config'],
  images: ['images', 'http', 'storage', 'errors', 'ids', 'concurrency'],
  storage: ['storage', 'errors', 'database'],
  mail: ['mail', 'concurrency'],
  markdown: ['markdown'],
  push: ['push', 'concurrency'],
  events: ['events', 'schemas', 'database', 'concurrency', 'ids'],
  database: ['database', 'ids', 'errors', 'concurrency'],
  concurrency: ['concurrency', 'errors'],
  config: ['config', 'database'],
  errors: [],
  ids: [],
  text: [],
}

/** Files above all layers: the process and its commands. They import what they need. */
const upper = ['process', 'app', 'cli']

/** Libraries a layer never imports. */
const forbiddenLibraries: Record<string, readonly string[]> = {
  routes: ['kysely', 'pg'],
  operations: ['fastify'],
  serializers: ['fastify', 'kysely', 'pg'],
  permissions: ['fastify', 'kysely', 'pg', '@sinclair/typebox'],
  queries: ['fastify', '@sinclair/typebox'],
  schemas: ['fastify', 'kysely', 'pg'],
  database: ['fastify'],
}

/** Resources whose schemas others may build on, from the lowest up. */
const schemaOrder = [
  'users',
  'houses/roles',
  'houses/members',
  'houses/entities',
  'rooms',
  'rooms/house-rooms',
  'rooms/private-rooms',
  'houses',
  'messages',
]

/** Folders of the web client, from the lowest up: each imports only what is before it, and the files of its root. */
const webOrder = [
  'texts',
  'state',
  'shell',
  'rooms',
  'friends',
  'settings',
  'houses',
  'messages',
  'accounts',
  'administration',
  'app',
]

const isTypeScript = (file: string) => /\.tsx?$/.test(file)

type Import = { file: string; target: string; typeOnly: boolean; library: boolean }

function listImports(): Import[] {
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(isTypeScript)
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
  const folder = file.split('/')[0]!
  const name = basename(file)
  if (name === folder) return folder.replace(/\.ts$/, '')
  if ((shared as readonly string[]).includes(folder)) return folder
  return name
    .replace(/\.ts$/, '')
    .replace(/^.*-(?=routes$|operations$|queries$|schemas$|serializers$|permissions$)/, '')
}

/** The files that import each other, directly or over others; each circle by the file that closes it. */
function circlesOf(edges: readonly Import[]): string[] {
  const targets = Map.groupBy(edges, ({ file }) => file)
  const finished = new Set<string>()
  const circles: string[] = []
  const visit = (file: string, path: readonly string[]) => {
    const start = path.indexOf(file)
    if (start !== -1) circles.push([...path.slice(start), file].join(' → '))
    if (start !== -1 || finished.has(file)) return
    for (const { target } of targets.get(file) ?? []) visit(target, [...path, file])
    finished.add(file)
  }
  for (const file of targets.keys()) visit(file, [])
  return circles
}

const imports = listImports()
const own = imports.filter((one) => !one.library)

describe('layers', () => {
  test('every file of src has a layer', () => {
    const known = new Set([...Object.keys(allowed), ...upper])
    const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(isTypeScript)
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

  test('the typed client takes only types of schemas, and no library but for types', () => {
    const wrong = imports.filter(({ file, target, typeOnly }) => {
      if (layerOf(file) !== 'client' || target.startsWith('client/')) return false
      const isSchemas = /schemas\.ts$/.test(target) || target === 'http/schemas/params.ts'
      return !typeOnly || !(isSchemas || target === '@sinclair/typebox')
    })
    expect(wrong.map(({ file, target }) => `${file} → ${target}`)).toEqual([])
  })

  test('the web client takes no library but these, and of the server only permissions and Markdown', () => {
    const wrong = imports.filter(({ file, target, library }) => {
      if (layerOf(file) !== 'web' || /^(?:web|client|markdown)\//.test(target)) return false
      return library
        ? !/^(?:preact|@preact\/signals|lean-qr|lowlight|emojibase-data|@tanstack\/virtual-core)(?:\/|$)/.test(
            target,
          )
        : target !== 'houses/permissions.ts'
    })
    expect(wrong.map(({ file, target }) => `${file} → ${target}`)).toEqual([])
  })

  test('folders of the web client build on each other in one direction', () => {
    const placeOf = (file: string) => webOrder.indexOf(/^web\/([^/]+)\//.exec(file)?.[1] ?? '')
    const climbing = own.filter(({ file, target }) => {
      const [from, to] = [placeOf(file), placeOf(target)]
      return file.startsWith('web/') && file !== 'web/main.tsx' && to > from && (from !== -1 || to > 1)
    })
    expect(climbing.map(({ file, target }) => `${file} → ${target}`)).toEqual([])
    const folders = readdirSync(join(src, 'web'), { withFileTypes: true }).filter((each) =>
      each.isDirectory(),
    )
    const names = folders.map(({ name }) => name).filter((name) => name !== 'public' && name !== 'styles')
    expect(names.sort()).toEqual(webOrder.toSorted())
  })

  test('the state of the web client imports nothing that renders', () => {
    const wrong = own.filter(({ file, target }) => {
      return file.startsWith('web/') && file.endsWith('.ts') && target.endsWith('.tsx')
    })
    expect(wrong.map(({ file, target }) => `${file} → ${target}`)).toEqual([])
  })

  test('no files import each other in a circle, not even for types', () => {
    expect(circlesOf(own)).toEqual([])
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

  test('only what shares the port, and answers for all of it, knows of workers', () => {
    const files = imports.filter(({ target }) => target === 'node:cluster').map(({ file }) => file)
    expect(files.sort()).toEqual([
      'http/metrics/worker-metrics.ts',
      'process/server.ts',
      'process/workers.ts',
    ])
  })

  test('migrations import kysely and nothing of src', () => {
    const dir = join(import.meta.dirname, '../migrations')
    const targets = readdirSync(dir).flatMap((file) => {
      return [...readFileSync(join(dir, file), 'utf8').matchAll(/from\s+'([^']+)'/g)].map((match) => match[1])
    })
    expect(new Set(targets)).toEqual(new Set(['kysely']))
  })
})
