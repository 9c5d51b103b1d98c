import { ApiError } from '../../client/errors.ts'
import type { Texts } from './en.ts'

/** From here on one is told how long to wait. */
const longWaitMs = 10_000

/**
 * What happened and what to do, for somebody who reads it: never the message of the API. `own` are texts that come first,
 * by code or by the field that an `invalid_schema` names.
 */
export function textOfError(
  texts: Texts,
  language: string,
  error: unknown,
  own: Record<string, string> = {},
): string {
  if (!(error instanceof ApiError)) return texts.failed
  const { code, fields, retryAfterMs = 0 } = error
  if (code === 'rate_limit' && retryAfterMs > longWaitMs) {
    return texts.tooManyUntil(waitText(language, retryAfterMs))
  }
  const ofField = fields.map((name) => own[name] ?? texts.fields[name]).find(Boolean)
  return ofField ?? own[code] ?? texts.errors[code] ?? texts.failed
}

/** in 12 hours */
function waitText(language: string, ms: number): string {
  const seconds = Math.ceil(ms / 1_000)
  const [unit, size] =
    seconds > 3_600
      ? (['hour', 3_600] as const)
      : seconds > 60
        ? (['minute', 60] as const)
        : (['second', 1] as const)
  return new Intl.RelativeTimeFormat(language).format(Math.ceil(seconds / size), unit)
}
