import { isUtf8 } from 'node:buffer'
import type {
  FastifyInstance,
  FastifyRequest,
  preParsingHookHandler,
  preValidationHookHandler,
} from 'fastify'
import { ApiError } from '../errors.ts'
import { keepBudget } from './body-budget.ts'
import { malformedBody, wrongContentType } from './error-handler.ts'

/** Size of a JSON body in bytes, but for the routes that take pictures. */
export const maxBodyBytes = 256 * 1024
/** Size of a JSON body with base64 pictures in it, in bytes. */
export const maxPictureBodyBytes = 12 * 1024 * 1024

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The PATCH rule: all fields are optional, but an empty body is refused. */
    refusesEmptyBody?: boolean
    /** The fields that a body, perhaps a wrong one, has to hold because of another one in it, but does not. */
    missingFields?: (body: object) => string[]
  }
}

/**
 * How bodies are read (PROTOCOL 6). Existing clients need the tolerant cases: between them they send a JSON type with
 * an empty body, `null` or `{}` on DELETE and GET, and empty forms.
 */
export function readBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body, done) => {
    try {
      done(null, takesBody(request) ? parseBody(request, body as Buffer) : undefined)
    } catch (error) {
      done(error as Error)
    }
  })
  const withinBudget = keepBudget()
  // Each route gets only the hooks it has a use for: most requests pass through none.
  app.addHook('onRoute', (route) => {
    if (!['GET', 'HEAD', 'OPTIONS'].includes(String(route.method))) {
      route.preParsing = [withinBudget, ...[route.preParsing ?? []].flat()]
    }
    if (route.method === 'DELETE' && route.schema?.body === undefined) {
      route.preParsing = [forgetContentType, ...[route.preParsing ?? []].flat()]
    }
    const mayHaveBody =
      route.schema?.body !== undefined || ['POST', 'PUT', 'PATCH'].includes(String(route.method))
    if (mayHaveBody) route.preParsing = [forgetEmptyContentType, ...[route.preParsing ?? []].flat()]
    if (route.schema?.body !== undefined) {
      const refusal = route.config?.refusesEmptyBody ? [refuseEmptyBody] : []
      route.preValidation = [fillMissingBody, ...refusal, ...[route.preValidation ?? []].flat()]
    }
  })
}

/** Where the body is thrown away, its type does not count either, not even a malformed one. */
const forgetContentType: preParsingHookHandler = (request, _reply, _payload, done) => {
  delete request.headers['content-type']
  done()
}

/** An empty header is none; the framework takes it for a malformed type. */
const forgetEmptyContentType: preParsingHookHandler = (request, _reply, _payload, done) => {
  if (request.headers['content-type'] === '') delete request.headers['content-type']
  done()
}

const fillMissingBody: preValidationHookHandler = (request, _reply, done) => {
  request.body ??= {}
  done()
}

const refuseEmptyBody: preValidationHookHandler = (request, _reply, done) => {
  if (Object.keys(request.body as object).length > 0) return done()
  done(new ApiError('invalid_schema', { message: 'JSON body cannot be empty' }))
}

function takesBody(request: FastifyRequest): boolean {
  return request.method !== 'DELETE' || request.routeOptions.schema?.body !== undefined
}

function parseBody(request: FastifyRequest, body: Buffer): unknown {
  const type = (request.headers['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase()
  const encoding = request.headers['content-encoding'] ?? 'identity'
  if (encoding.toLowerCase() !== 'identity') throw wrongContentType()
  if (type === 'application/json') return parseObject(body)
  const mayBeEmpty = type === '' || type === 'application/x-www-form-urlencoded'
  if (!mayBeEmpty || body.length > 0) throw wrongContentType()
  return {}
}

/** An object as it was sent (`__proto__` is a field like any other); nothing, white space and `null` count as `{}`. */
function parseObject(body: Buffer): unknown {
  if (!isUtf8(body)) throw malformedBody()
  const text = body.toString('utf8').replace(/^\uFEFF/, '')
  if (text.trim() === '') return {}
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw malformedBody()
  }
  if (value === null) return {}
  if (typeof value !== 'object' || Array.isArray(value)) throw malformedBody()
  return value
}
