import type {
  FastifyError,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifySchemaValidationError,
} from 'fastify'
import { isDatabaseUnavailable } from '../../database/availability/unavailable.ts'
import {
  ApiError,
  fieldsInvalid,
  fieldsRequired,
  malformedBody,
  RateLimitError,
  StoreUnavailable,
  wrongContentType,
} from '../../errors.ts'
import { NoNodeNumber } from '../../ids.ts'
import { isReceiving, refuseEarly } from '../bodies/early-refusal.ts'
import { defaultHeaders } from '../server/default-headers.ts'

/** The `Retry-After` of `unavailable`. */
export const retryAfterSeconds = 1

/** The least time between two log lines about an unavailable database. */
const reportEveryMs = 10_000

/** Answers everything that is thrown while a request is handled, and requests for routes that do not exist. */
export function answerErrors(app: FastifyInstance): void {
  let reportedAt = Number.NEGATIVE_INFINITY
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const failure = toApiError(error, request)
    // Load shedding throws an ApiError itself, and is counted in the metrics.
    const isToReport = failure.status === 503 && failure !== error && !(error instanceof StoreUnavailable)
    if (isToReport && performance.now() - reportedAt >= reportEveryMs) {
      reportedAt = performance.now()
      request.log.warn({ err: error }, 'unavailable')
    }
    return sendFailure(failure, reply)
  })
  app.setNotFoundHandler((_request, reply) => sendFailure(new ApiError('not_found'), reply))
}

/** Answers a failure in its envelope. */
export function sendFailure(failure: ApiError, reply: FastifyReply): FastifyReply {
  // Not set yet when Fastify refuses a request before any hook has run.
  if (!reply.hasHeader('X-Content-Type-Options')) reply.headers(defaultHeaders)
  if (failure.status === 503) reply.header('Retry-After', retryAfterSeconds)
  const { code, message } = failure
  if (failure instanceof RateLimitError) reply.header('Retry-After', failure.retryAfter)
  // Existing clients need expires_at beside the error: they read it there and otherwise retry in a tight loop.
  const beside = failure instanceof RateLimitError ? { expires_at: failure.expiresAt } : {}
  const envelope = { success: false, error: { code, message }, ...beside }
  reply.code(failure.status)
  if (!isReceiving(reply.request.raw)) return reply.send(envelope)
  void refuseEarly(reply, envelope)
  return reply
}

function toApiError(error: FastifyError, request: FastifyRequest): ApiError {
  // If there is no such route, a faulty body does not matter.
  if (request.is404 && !isBeforeRoute(error)) return new ApiError('not_found')
  if (error instanceof ApiError) return error
  if (error.validation) return schemaFailure(error.validation, error.validationContext, request)
  // A path that leaves the folder of the documentation page.
  if (error.code === 'FST_STATIC_FORBIDDEN_PATH') return new ApiError('not_found')
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return wrongContentType()
  if (error.code === 'ERR_STREAM_PREMATURE_CLOSE') return malformedBody()
  if (isDatabaseUnavailable(error) || error instanceof NoNodeNumber) return new ApiError('unavailable')
  if (error instanceof StoreUnavailable) {
    request.log.warn({ err: error }, 'the store of the files failed')
    return new ApiError('unavailable')
  }
  request.log.error({ err: error }, 'unexpected failure')
  return new ApiError('internal_server_error')
}

/** Whether a failure precedes a missing route (docs/api.md#order-of-checks): shedding, and the limit by address. */
function isBeforeRoute(error: Error): boolean {
  return error instanceof RateLimitError || (error instanceof ApiError && error.code === 'unavailable')
}

type ObjectSchema = { properties?: Record<string, unknown>; required?: readonly string[] }

/** Names the wrong fields in the order of the schema, or only the required ones if any of these is wrong. */
function schemaFailure(
  problems: FastifySchemaValidationError[],
  context: string | undefined,
  request: FastifyRequest,
): ApiError {
  const schema = request.routeOptions.schema?.[context as 'body' | 'querystring'] as ObjectSchema | undefined
  const { missingFields } = request.routeOptions.config
  const missing = (context === 'body' && missingFields?.(request.body as object, request)) || []
  const wrong = new Set([...problems.map(fieldOf), ...missing])
  const inOrder = Object.keys(schema?.properties ?? {}).filter((name) => wrong.has(name))
  const required = inOrder.filter((name) => schema?.required?.includes(name) || missing.includes(name))
  return required.length > 0 ? fieldsRequired(...required) : fieldsInvalid(...inOrder)
}

function fieldOf(problem: FastifySchemaValidationError): string {
  const path = problem.instancePath.split('/')[1]
  return path ?? String(problem.params.missingProperty ?? '')
}
