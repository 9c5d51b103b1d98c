import type { FastifyServerOptions } from 'fastify'
import type { AddressOf } from './address.ts'
import { type LogOutput, openLogOutput } from './log-output.ts'
import { plainLine } from './plain-lines.ts'

/** One for all apps of the process. */
let output: LogOutput | undefined

/** What an e-mail address can be part of: it ends at white space, quotes, brackets, and what separates fields. */
const word = /[^\s"'`<>()[\]{},;:=/?&]+/g
const at = /@|%40/
const longHex = /\b[0-9a-f]{32,}\b/gi
/** The short form of a code, as mails have it. */
const shortCode = /\b[0-9A-HJKMNP-TV-Z]{5}-[0-9A-HJKMNP-TV-Z]{5}\b/g

/**
 * The code of an invite, in a path of the API or of the web client (`/app/invite/…`). It lets whoever has it into the
 * house, and is too short to be recognized by itself. Paths with another case or more slashes lead nowhere, but contain
 * it as well.
 */
const inviteCode = /(\/invites?\/+)[^/]+/i
/** The token of a webhook. Neither pattern looks back, which would take seconds for a path of slashes. */
const webhookToken = /(\/webhooks\/+[^/]+\/+)[^/]+/i

/** Replaces e-mail addresses, and everything that is as long as a token or a code. */
export function redactSecrets(text: string): string {
  return text.replace(word, withoutAddress).replace(longHex, '[secret]').replace(shortCode, '[code]')
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
  output ??= openOutput()
  return {
    level,
    stream: output,
    redact: ['req.headers.authorization', 'authorization', 'token', 'password'],
    serializers: {
      req: (request) => ({
        method: request.method,
        url: withoutSecrets((request.url ?? '').split('?', 1)[0]!),
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

/** JSON for programs, plain lines for people. */
function openOutput(): LogOutput {
  const stdout = openLogOutput(process.stdout.fd)
  return process.stdout.isTTY ? { write: (line) => stdout.write(plainLine(line)) } : stdout
}

/** A path without its secrets. Every letter of it may be percent-encoded. */
export function withoutSecrets(path: string): string {
  const decoded = decode(path)
  const redacted = decoded.replace(inviteCode, '$1[code]').replace(webhookToken, '$1[secret]')
  return redacted === decoded ? path : redacted
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path.replace(/%(?:[2-7][0-9a-f])/gi, (encoded) => decodeURIComponent(encoded))
  }
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
