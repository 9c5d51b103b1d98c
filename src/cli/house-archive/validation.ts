import type { Static, TSchema } from '@sinclair/typebox'
import { lazySchemas } from '../../http/schemas/lazy-schemas.ts'
import { ajvOptions } from '../../http/schemas/validation.ts'
import { isEmoji } from '../../messages/reactions/schemas.ts'

/** A time as JSON has it, which PostgreSQL takes as well: it has no year 0. */
function isTime(text: string): boolean {
  const time = new Date(text)
  return text > '0001' && !Number.isNaN(time.getTime()) && time.toISOString() === text
}

const { customOptions } = ajvOptions!
const build = lazySchemas.buildValidator!(
  {},
  {
    customOptions: {
      ...customOptions,
      formats: {
        ...customOptions!.formats,
        archived_time: { type: 'string', validate: isTime },
        emoji: { type: 'string', validate: isEmoji },
      },
    },
  },
)

/** A check of values as the routes of the API check what they are sent: it drops unknown fields. */
export function validatorOf<Schema extends TSchema>(
  schema: Schema,
): (value: unknown) => value is Static<Schema> {
  return build({ schema } as never) as unknown as (value: unknown) => value is Static<Schema>
}
