import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const manifest = join(import.meta.dirname, '../../../package.json')

/** The version of Hearth that runs. */
export const version: string = JSON.parse(readFileSync(manifest, 'utf8')).version
