// Writes docs/events.json, the JSON Schema of every gateway event, from their TypeBox schemas: npm run docs:events
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { eventSchemas } from '../src/gateway/schemas.ts'

export const eventsPath = join(import.meta.dirname, '../docs/events.json')

/** One schema per event frame; `$defs` holds those of `d` by event name. */
export function printEvents(): string {
  const frames = Object.keys(eventSchemas).map((name) => ({
    type: 'object',
    required: ['seq', 'op', 'e', 'd'],
    properties: {
      seq: { type: 'integer', minimum: 1 },
      op: { const: 0 },
      e: { const: name },
      d: { $ref: `#/$defs/${name}` },
    },
    additionalProperties: false,
  }))
  const document = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Gateway events of Hearth',
    oneOf: frames,
    $defs: eventSchemas,
  }
  return `${JSON.stringify(document, null, 2)}\n`
}

if (import.meta.main) await writeFile(eventsPath, printEvents())
