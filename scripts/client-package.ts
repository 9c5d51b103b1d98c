// Builds the package hearth-client from src/client into packages/client/dist: `npm pack` in packages/client runs it.
import { execFileSync } from 'node:child_process'
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { build } from 'vite'
import { writeSchemaTypes } from './client-package/schema-types.ts'

const root = join(import.meta.dirname, '..')
const target = join(root, 'packages/client/dist')
/** The folder with all sources of the package, with plain types in place of schemas. */
const staging = join(root, 'packages/client/dist/source')
const ws = join(root, 'node_modules/ws')

/** Sources of the package: the entries, the client, and the permissions, which depend on nothing. */
async function listSources(): Promise<string[]> {
  const client = (await readdir(join(root, 'src/client'))).map((name) => join(root, 'src/client', name))
  const entries = ['index.ts', 'node.ts'].map((name) => join(root, 'packages/client', name))
  return [...entries, ...client, join(root, 'src/houses/permissions.ts')]
}

/** A source whose imports fit one folder with all sources. */
function flatten(text: string): string {
  return text.replace(/(from ')(\.[^']*)(')/g, (_, before: string, path: string, after: string) => {
    const name = basename(path)
    return `${before}./${name === 'params.ts' ? 'schemas.ts' : name}${after}`
  })
}

async function stage(): Promise<void> {
  const sources = await listSources()
  for (const source of sources) {
    await writeFile(join(staging, basename(source)), flatten(await readFile(source, 'utf8')))
  }
  await writeFile(join(staging, 'schemas.ts'), await writeSchemaTypes(sources))
}

/** Compiles the sources to JavaScript for Node 20 and browsers, with types. */
function compile(): void {
  const options = {
    target: 'ES2022',
    lib: 'ES2024,DOM,DOM.Iterable',
    module: 'NodeNext',
    types: 'node',
    rewriteRelativeImportExtensions: 'true',
    verbatimModuleSyntax: 'true',
    strict: 'true',
    noUncheckedIndexedAccess: 'true',
    skipLibCheck: 'true',
    declaration: 'true',
    rootDir: staging,
    outDir: target,
  }
  const flags = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value])
  const files = ['index.ts', 'node.ts'].map((name) => join(staging, name))
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  execFileSync(process.execPath, [tsc, '--ignoreConfig', ...flags, ...files], { stdio: 'inherit' })
}

/** Bundles the client of the package ws into one file, for versions of Node without WebSocket. */
async function bundleWebSocket(): Promise<void> {
  await build({
    configFile: false,
    logLevel: 'warn',
    ssr: { noExternal: true, external: ['bufferutil', 'utf-8-validate'] },
    build: {
      ssr: join(ws, 'lib/websocket.js'),
      outDir: target,
      emptyOutDir: false,
      copyPublicDir: false,
      target: 'node20',
      rolldownOptions: { output: { format: 'cjs', entryFileNames: 'websocket.cjs' } },
    },
  })
  await copyFile(join(ws, 'LICENSE'), join(target, 'websocket.LICENSE'))
}

await rm(target, { recursive: true, force: true })
await mkdir(staging, { recursive: true })
await stage()
compile()
await bundleWebSocket()
await copyFile(join(root, 'LICENSE'), join(target, 'LICENSE'))
await rm(staging, { recursive: true })
