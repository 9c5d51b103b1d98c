import { type TSchema, Type } from '@sinclair/typebox'
import type { FastifyReply } from 'fastify'

/** The success envelope around a data schema. */
export function Success<Data extends TSchema>(data: Data) {
  return Type.Object({ success: Type.Literal(true), data })
}

export const FailureReason = Type.Object({ code: Type.String(), message: Type.String() })

/** The failure envelope; `expires_at` (unix seconds) is only in a 429. */
export const Failure = Type.Object({
  success: Type.Literal(false),
  error: FailureReason,
  expires_at: Type.Optional(Type.Integer()),
})

/** The failures that any route may answer. */
export const failures = { '4xx': Failure, '5xx': Failure }

/** Wraps the data of an answer. */
export function ok<Data>(data: Data): { success: true; data: Data } {
  return { success: true, data }
}

const opening = Buffer.from('{"success":true,"data":')
const closing = Buffer.from('}')

/** Answers data whose JSON has been made already: that of big lists is made part by part. */
export function sendJson(reply: FastifyReply, data: Buffer): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(Buffer.concat([opening, data, closing]))
}
