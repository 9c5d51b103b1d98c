import { isUtf8 } from 'node:buffer'
import type {
  FastifyInstance,
  FastifyRequest,
  preParsingHookHandler,
  preValidationHookHandler,
} from 'fastify'
import { ApiError, malformedBody, wrongContentType } from '../../errors.ts'
import { createBodyReader } from './body-reader.ts'
import { isWithinBounds } from './json-bounds.ts'

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
    /** The field of a form that holds the JSON, on routes that also take forms. */
    formField?: string
    /** The most keys of objects and members of lists in the JSON, if the route allows more than usual. */
    maxValues?: number
  }
}

/**
 * How bodies are read (docs/api.md#bodies), within these limits. Existing clients need the tolerant cases: between
 * them they send a JSON type with an empty body, `null` or `{}` on DELETE and GET, and empty forms.
 */
export function readBodies(app: FastifyInstance, limits?: { bytes?: number; timeoutMs?: number }): void {
  const reader = createBodyReader(app, { ...limits, uploadsFrom: maxBodyBytes })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (request, _payload, done) => {
    const isKept = takesBody(request)
    reader.read(request, isKept, (error, body) => {
      if (error) return done(error)
      try {
        done(null, isKept ? parseBody(request, body!) : undefined)
      } catch (failure) {
        done(failure as Error)
      }
    })
  })
  // A route gets only the hooks that it needs: most need none.
  app.addHook('onRoute', (route) => {
    const method = String(route.method)
    if (['GET', 'HEAD', 'OPTIONS'].includes(method)) return
    const hasBody = route.schema?.body !== undefined
    const forget = method === 'DELETE' && !hasBody ? forgetContentType : forgetEmptyContentType
    route.preParsing = [forget, reader.preParsing, ...[route.preParsing ?? []].flat()]
    route.onSend = [...[route.onSend ?? []].flat(), reader.onSend]
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
  if (request.is404) return false
  return request.method !== 'DELETE' || request.routeOptions.schema?.body !== undefined
}

function parseBody(request: FastifyRequest, body: Buffer): unknown {
  const type = (request.headers['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase()
  const encoding = request.headers['content-encoding'] ?? 'identity'
  if (encoding.toLowerCase() !== 'identity') throw wrongContentType()
  const { formField, maxValues } = request.routeOptions.config
  if (type === 'application/json') return parseObject(body, maxValues)
  const isForm = type === 'application/x-www-form-urlencoded'
  if (isForm && formField !== undefined) return parseForm(body, formField, maxValues)
  const mayBeEmpty = type === '' || isForm
  // Services that call a webhook do not expect a 415.
  if (!mayBeEmpty || body.length > 0) throw formField === undefined ? wrongContentType() : malformedBody()
  return {}
}

/** The object in a field of a form; without that field the form counts as `{}`. */
function parseForm(body: Buffer, field: string, maxValues?: number): unknown {
  return parseObject(Buffer.from(new URLSearchParams(body.toString('utf8')).get(field) ?? ''), maxValues)
}

/** Parses an object (`__proto__` is a field like any other); an empty body, white space and `null` count as `{}`. */
export function parseObject(body: Buffer, maxValues?: number): unknown {
  if (!isWithinBounds(body, maxValues) || !isUtf8(body)) throw malformedBody()
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
