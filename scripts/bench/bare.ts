// The yardstick beside Hearth: a bare Fastify that answers fixed objects through Hearth's own response schemas.
// Reads the objects as JSON from the file in BARE_ANSWERS: {"/path": {"schema": name, "body": {…}}}.
import { readFile } from 'node:fs/promises'
import { Type } from '@sinclair/typebox'
import Fastify from 'fastify'
import { Success } from '../../src/http/schemas/envelope.ts'
import { Message } from '../../src/messages/schemas.ts'
import { FullUser } from '../../src/users/schemas.ts'

const schemas = { 'bare user': Success(FullUser), 'bare page': Success(Type.Array(Message)) }

const answers = JSON.parse(await readFile(process.env.BARE_ANSWERS!, 'utf8')) as Record<
  string,
  { schema: keyof typeof schemas; body: unknown }
>
const app = Fastify()
for (const [path, { schema, body }] of Object.entries(answers)) {
  app.get(path, { schema: { response: { 200: schemas[schema] } } }, async () => body)
}
await app.listen({ host: '127.0.0.1', port: 0 })
console.log(`bare answers at ${app.listeningOrigin}`)
