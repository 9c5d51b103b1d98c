import { Type } from '@sinclair/typebox'
import { failures } from './envelope.ts'
import { IdParam } from './params.ts'

/** The path parameters of a route that serves pictures: the owner, and the name of the picture. */
export const PictureParams = Type.Object({
  ...IdParam.properties,
  file: Type.String({ description: '40 hex characters and `.webp`' }),
})

const WebP = Type.Unsafe<unknown>({ type: 'string', format: 'binary' })

/** The responses of such a route. */
export const pictureAnswers = {
  200: { description: 'The picture', content: { 'image/webp': { schema: WebP } } },
  304: { description: 'Not modified', type: 'null' },
  ...failures,
}
