import { run } from '../../src/cli/run.ts'
import { databaseUrl, folder } from './world.ts'

/** The variables of a command that works on the world. */
export const environment = () => ({
  DATABASE_URL: databaseUrl,
  DATA_DIR: folder,
  PUBLIC_URL: 'http://hearth.test',
})

/** Runs a command in an environment: its exit code, and what it wrote. */
export async function hearthIn(variables: Record<string, string>, ...words: string[]) {
  const out: string[] = []
  const err: string[] = []
  const code = await run(words, {
    environment: variables,
    print: (line) => out.push(line),
    printError: (line) => err.push(line),
  })
  return { code, out: out.join('\n'), err: err.join('\n') }
}

/** Runs a command on the database and the folder of the test. */
export function hearth(...words: string[]) {
  return hearthIn(environment(), ...words)
}
