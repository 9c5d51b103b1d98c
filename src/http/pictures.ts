import { Type } from '@sinclair/typebox'
import { failures } from './envelope.ts'

const WebP = Type.Unsafe<unknown>({ type: 'string', format: 'binary' })

/** The responses of a route that serves pictures. */
export const pictureAnswers = {
  200: { description: 'The picture', content: { 'image/webp': { schema: WebP } } },
  304: { description: 'The one the caller has', type: 'null' },
  ...failures,
}
