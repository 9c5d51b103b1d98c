import type { FastifyServerOptions } from 'fastify'
import type { AddressOf } from './address.ts'
import { type LogOutput, openLogOutput } from './log-output.ts'

/** One for all apps of the process. */
let output: LogOutput | undefined

/** What an e-mail address can be part of: it ends at white space, quotes, brackets, and what separates fields. */
const word = /[^\s"'`<>()[\]{},;:=/?&]+/g
const at = /@|%40/
const longHex = /\b[0-9a-f]{32,}\b/gi

/** The code of an invite, which lets whoever has it into the house, is too short to be known as one. */
const inviteCode = /(?<=\/invites\/)[^/]+/
/** The token of a webhook, of which a percent-encoded one would not be known either. */
const webhookToken = /(?<=\/webhooks\/[^/]+\/)[^/]+/

/** Replaces e-mail addresses, and everything that is as long as a token or a code. */
export function redactSecrets(text: string): string {
  return text.replace(word, withoutAddress).replace(longHex, '[secret]')
}

/** Word by word, as one pattern for whole addresses would take hours for a path that is full of `@`. */
function withoutAddress(text: string): string {
  const parts = text.split(at)
  const mailbox = parts.findIndex((part) => part !== '')
  return parts.slice(mailbox + 1).some((part) => /.\../.test(part)) ? '[address]' : text
}

/**
 * JSON logs without tokens, passwords and e-mail addresses: headers are left out, as are the queries of URLs, which may
 * contain the key of a file, and the extra fields of errors, in which PostgreSQL quotes rows.
 */
export function loggerOptions(level: string, addressOf: AddressOf): FastifyServerOptions['logger'] {
  output ??= openLogOutput(process.stdout.fd)
  return {
    level,
    stream: output,
    redact: ['req.headers.authorization', 'authorization', 'token', 'password'],
    serializers: {
      req: (request) => ({
        method: request.method,
        url: withoutSecrets(request.url?.split('?', 1)[0]),
        remoteAddress: addressOf(request.raw),
      }),
      err: describeError,
      // The log lines of @fastify/multipart contain all headers.
      busboyOptions: () => undefined,
    },
    // Applies to every line, whichever part has written it.
    hooks: { streamWrite: redactSecrets },
  }
}

function withoutSecrets(path: string | undefined): string | undefined {
  return path?.replace(inviteCode, '[code]').replace(webhookToken, '[secret]')
}

type DatabaseFields = { code?: string; constraint?: string; table?: string; routine?: string }

function describeError(error: Error & DatabaseFields) {
  const { code, constraint, table, routine, cause } = error
  return {
    type: error.constructor.name,
    message: error.message,
    stack: error.stack,
    code,
    constraint,
    table,
    routine,
    ...(cause instanceof Error && { cause: cause.message }),
  } as never
}
