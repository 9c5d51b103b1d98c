import { isUtf8 } from 'node:buffer'
import type {
  FastifyInstance,
  FastifyRequest,
  preParsingHookHandler,
  preValidationHookHandler,
} from 'fastify'
import { ApiError, malformedBody, wrongContentType } from '../errors.ts'
import { keepBudget } from './body-budget.ts'

/** The most bytes of a JSON body, except on routes that take pictures. */
export const maxBodyBytes = 256 * 1024
/** The most bytes of a JSON body with base64 pictures in it. */
export const maxPictureBodyBytes = 12 * 1024 * 1024

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The PATCH rule: all fields are optional, but an empty body is refused. */
    refusesEmptyBody?: boolean
    /** Given a body that is wrong: the fields that it lacks although none of them is required by itself. */
    missingFields?: (body: object, request: FastifyRequest) => string[]
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
  // A route gets only the hooks that it needs: most need none.
  app.addHook('onRoute', (route) => {
    const method = String(route.method)
    if (['GET', 'HEAD', 'OPTIONS'].includes(method)) return
    const hasBody = route.schema?.body !== undefined
    const forget = method === 'DELETE' && !hasBody ? forgetContentType : forgetEmptyContentType
    route.preParsing = [forget, withinBudget, ...[route.preParsing ?? []].flat()]
    if (!hasBody) return
    const refusal = route.config?.refusesEmptyBody ? [refuseEmptyBody] : []
    route.preValidation = [fillMissingBody, ...refusal, ...[route.preValidation ?? []].flat()]
  })
}

/** Where the body is ignored, its content type is ignored as well, even a malformed one. */
const forgetContentType: preParsingHookHandler = (request, _reply, _payload, done) => {
  delete request.headers['content-type']
  done()
}

/** Treats an empty header as a missing one; Fastify would take it for a malformed type. */
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

/** Parses an object (`__proto__` is a field like any other); an empty body, white space and `null` count as `{}`. */
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
