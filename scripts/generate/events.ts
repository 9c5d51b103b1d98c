// Writes docs/events.json, the JSON Schema of every gateway event, from their TypeBox schemas: npm run generate events
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describeEvents } from '../../src/gateway/schemas.ts'

export const eventsPath = join(import.meta.dirname, '../../docs/events.json')

export function printEvents(): string {
  return `${JSON.stringify(describeEvents(), null, 2)}\n`
}

if (import.meta.main) await writeFile(eventsPath, printEvents())
