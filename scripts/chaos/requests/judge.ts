import { type ErrorCode, errorTable } from '../../../src/errors.ts'
import type { WireAnswer } from '../support/wire.ts'

/** What of a request decides about its answer. */
type Asked = { method: string; path: string }

const json = 'application/json; charset=utf-8'
/** Their messages name fields, or things. */
const tellingCodes = new Set(['invalid_schema', 'limit_reached'])

/** Why an answer breaks the contract (docs/api.md#conventions, docs/errors.md), or undefined. */
export function findFault(asked: Asked, answer: WireAnswer): string | undefined {
  const { status, headers } = answer
  const isOpen = headers.get('access-control-allow-origin') === '*'
  // No page of another origin may read the metrics.
  const isMetrics = headers.get('content-type')?.startsWith('text/plain; version=') ?? false
  if (isOpen === isMetrics) return `${status} ${isOpen ? 'with' : 'without'} Access-Control-Allow-Origin`
  if (status < 400) return faultOfSuccess(asked, answer)
  if (asked.method === 'HEAD') return status >= 500 ? `${status} to HEAD` : undefined
  return faultOfFailure(asked, answer)
}

function faultOfSuccess({ method }: Asked, { status, headers, body }: WireAnswer): string | undefined {
  const type = headers.get('content-type')
  if (status === 204) return type === undefined ? undefined : `204 with the type ${type}`
  if (type !== json || method === 'HEAD' || status !== 200) return undefined
  const parsed = parse(body) as { success?: unknown; data?: unknown } | undefined
  const keys = Object.keys(parsed ?? {}).join()
  // The pages of documentation are no part of the contract.
  if (parsed && 'openapi' in parsed) return undefined
  return parsed?.success === true && keys === 'success,data' ? undefined : `a success of the form {${keys}}`
}

function faultOfFailure(asked: Asked, { status, headers, body }: WireAnswer): string | undefined {
  if (headers.get('content-type') !== json) return `${status} of the type ${headers.get('content-type')}`
  const parsed = parse(body) as
    | { success?: unknown; error?: { code?: unknown; message?: unknown } }
    | undefined
  const keys = Object.keys(parsed ?? {}).join()
  const errorKeys = Object.keys(parsed?.error ?? {}).join()
  if (parsed?.success !== false || keys !== 'success,error' || errorKeys !== 'code,message') {
    return `${status} without the envelope: ${body.slice(0, 200)}`
  }
  const { code, message } = parsed.error as { code: ErrorCode; message: string }
  const known = errorTable[code]
  if (!known) return `the unknown code ${code}`
  if (!tellingCodes.has(code) && message !== known[1]) return `${code} with the message ${message}`
  if (message === '' || /\(\)/.test(message)) return `${code} with the message "${message}"`
  return isKnownStatus(asked, code, status, message) ? undefined : `${status} ${code}: ${message}`
}

function isKnownStatus({ method, path }: Asked, code: ErrorCode, status: number, message: string): boolean {
  if (status === 500) {
    // The one the API document demands: faulty base64 when a house is edited.
    const isHouseEdit = method === 'PATCH' && /^\/+(?:v1\/+)*houses\/[^/]+\/*(?:\?|$)/.test(path)
    return isHouseEdit && code === 'invalid_schema' && message === 'Required fields (name) not met'
  }
  if (status === 415) return code === 'internal_server_error'
  return status === errorTable[code][0] && code !== 'internal_server_error'
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
