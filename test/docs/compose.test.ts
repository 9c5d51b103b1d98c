import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { settingNames } from '../../src/config/environment.ts'

const root = join(import.meta.dirname, '../..')
const files = ['docker-compose.yml', 'docker-compose.cluster.yml'] as const
const texts = await Promise.all(files.map((file) => readFile(join(root, file), 'utf8')))
const [single, cluster] = texts as [string, string]
const example = await readFile(join(root, '.env.example'), 'utf8')

/** What is below a name that stands behind this indentation. */
function blockOf(compose: string, name: string, indent = ''): string {
  return new RegExp(`^${indent}${name}:.*\n((?:${indent} .*\n|\n)+)`, 'm').exec(compose)![1]!
}

/** The names of the services. */
function servicesOf(compose: string): string[] {
  return [...blockOf(compose, 'services').matchAll(/^ {2}([\w-]+):/gm)].map((line) => line[1]!)
}

/** A service with the blocks that it names as `<<: *name`, which stand as `x-name`. */
function service(compose: string, name: string): string {
  return merged(compose, blockOf(blockOf(compose, 'services'), name, '  '))
}

function merged(compose: string, block: string): string {
  return block.replaceAll(/^ +<<: \*(\w+)$/gm, (_line, name) =>
    merged(compose, blockOf(compose, `x-${name}`)),
  )
}

const hearths = {
  'docker-compose.yml': ['hearth'],
  'docker-compose.cluster.yml': ['hearth-1', 'hearth-2', 'hearth-3'],
}

describe.each(files)('%s', (file) => {
  const compose = file === 'docker-compose.yml' ? single : cluster
  const services = servicesOf(compose)

  test.each(hearths[file])('passes on every setting to %s except those that the image sets', (name) => {
    const passed = [...service(compose, name).matchAll(/^ +([A-Z_]+): /gm)].map((line) => line[1])
    const setByImage = ['HOST', 'PORT', 'DATA_DIR']
    expect(passed.sort()).toEqual(
      settingNames
        .filter((each) => !setByImage.includes(each))
        .concat(ofLibraries)
        .sort(),
    )
  })

  test.each(services)('runs %s without capabilities and with limits', (name) => {
    const block = service(compose, name)
    expect(block).toMatch(/^ +cap_drop: \[ALL\]$/m)
    expect(block).toMatch(/^ +security_opt: \["no-new-privileges:true"\]$/m)
    expect(block).toMatch(/^ +read_only: true$/m)
    expect(block).toMatch(/^ +tmpfs: \["\/tmp"/m)
    expect(block).toMatch(/^ +mem_limit: \S+$/m)
    expect(block).toMatch(/^ +pids_limit: \d+$/m)
    expect(block).toMatch(/^ +restart: unless-stopped$/m)
  })

  test('names a version of every image that it does not build', () => {
    const images = [...compose.matchAll(/^ +image: (.+)$/gm)].map((line) => line[1]!)
    expect(images.length).toBeGreaterThan(0)
    for (const image of images.filter((each) => each !== 'hearth'))
      expect(image).toMatch(/^[\w/.]+:v?\d[\w.-]*$/)
  })

  test('publishes one port, by default on this machine alone', () => {
    const ports = [...compose.matchAll(/^ +- "(.*:\d+)"$/gm)].map((line) => line[1])
    // biome-ignore lint/suspicious/noTemplateCurlyInString: docker compose fills it in
    expect(ports).toEqual(['${HEARTH_ADDRESS:-127.0.0.1:8080}:8080'])
  })

  test('gives the database the encoding that the server needs', () => {
    expect(compose).toMatch(/^ +POSTGRES_INITDB_ARGS: --encoding=UTF8$/m)
  })
})

/** What the library of S3 reads. */
const ofLibraries = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']

test('.env.example has exactly the variables of both files', () => {
  const taken = new Set([...texts.join('').matchAll(/[$][{]([A-Z_]+)/g)].map((name) => name[1]))
  const shown = [...example.matchAll(/^(?:# )?([A-Z_]+)=/gm)].map((line) => line[1])
  expect(shown.sort()).toEqual([...taken].sort())
})

test('both files pass on the settings of the operator alike', () => {
  const ofOperator = (compose: string, name: string) =>
    [...service(compose, name).matchAll(/^ +([A-Z_]+): (?=.*[$][{]\1)/gm)].map((line) => line[1])
  expect(ofOperator(cluster, 'hearth-1')).toEqual(ofOperator(single, 'hearth'))
})

test('the cluster believes its proxy, and names both databases', () => {
  const hearth = service(cluster, 'hearth-1')
  // biome-ignore lint/suspicious/noTemplateCurlyInString: docker compose fills it in
  expect(hearth).toContain('TRUST_PROXY: ${TRUST_PROXY:-1}')
  expect(hearth).toContain('@database-1,database-2/hearth?target_session_attrs=read-write')
  expect(servicesOf(cluster)).toEqual(expect.arrayContaining(['database-1', 'database-2']))
})

test('every file that a compose file mounts is there', async () => {
  const mounted = [...texts.join('').matchAll(/^ +- \.\/(\S+?):/gm)].map((line) => line[1]!)
  expect(mounted.length).toBeGreaterThan(0)
  for (const path of mounted) await expect(readFile(join(root, path))).resolves.toBeDefined()
})

test('the stage of the image that builds the web client has what its settings of TypeScript extend', async () => {
  const { extends: base } = JSON.parse(await readFile(join(root, 'src/web/tsconfig.json'), 'utf8'))
  const [, stage] = /^FROM \S+ AS web\n((?:(?!^FROM).*\n)+)/m.exec(
    await readFile(join(root, 'Dockerfile'), 'utf8'),
  )!
  expect(stage).toContain(`COPY ${basename(base)} ./\n`)
})
