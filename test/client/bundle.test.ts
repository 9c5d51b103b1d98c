import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build, type Rolldown } from 'vite'
import { expect, test } from 'vitest'

const client = join(import.meta.dirname, '../../src/client')
/** The size of the bundle, compressed. */
const maxBytes = 8_000

test('the bundle for browsers has no dependency, and is small', async () => {
  const entry = ['api', 'gateway', 'messages', 'errors'].map((name) => join(client, `${name}.ts`))
  const output = (await build({
    configFile: false,
    logLevel: 'silent',
    build: { write: false, minify: true, lib: { entry, formats: ['es'] } },
  })) as Rolldown.RolldownOutput[]
  const chunks = output.flatMap(({ output }) => output).filter((file) => file.type === 'chunk')
  const own = new Set(chunks.map(({ fileName }) => fileName))
  const foreign = chunks.flatMap(({ imports, dynamicImports }) => [...imports, ...dynamicImports])
  expect(foreign.filter((name) => !own.has(name))).toEqual([])
  const modules = chunks.flatMap(({ moduleIds }) => moduleIds).filter((id) => !id.includes('\0'))
  expect(modules.filter((id) => !id.startsWith(client))).toEqual([])
  const code = chunks.map((chunk) => chunk.code).join('\n')
  expect(code).not.toMatch(/\b(?:process|Buffer|require|__dirname)\b/)
  expect(gzipSync(code).length).toBeLessThan(maxBytes)
})
