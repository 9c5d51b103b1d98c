const spec = {
  no_auth: [400, 'Authorization is required for this route'],
  user_not_found: [400, 'That user does not exist'],
  method_not_allowed_on_room_type: [400, 'endpoint only callable on private group rooms'],
  out_of_scope: [400, 'caller is not part of the house'],
  invalid_schema: [400, 'Required fields (name) not met'],
  invalid_icon_file_format: [400, 'Your icon must be an image'],
  no_permission: [400, 'You do not have permission to do this'],
  internal_server_error: [500, 'Something went wrong internally'],
} as const

const extensions = {
  invalid_header_file_format: [400, 'Your header must be an image'],
  username_taken: [400, 'That username is already taken'],
  email_taken: [400, 'That email is already taken'],
  not_friends: [400, 'You are not friends with this user'],
  invalid_credentials: [400, 'The login or password is wrong'],
  mfa_required: [400, 'A two-factor code is required'],
  invalid_code: [400, 'That code is wrong or has expired'],
  account_disabled: [400, 'That account is disabled'],
  registration_closed: [400, 'Registration is closed on this server'],
  mfa_already_enabled: [400, 'Two-factor authentication is already enabled'],
  mfa_not_enabled: [400, 'Two-factor authentication is not enabled'],
  parent_entity_doesnt_exist: [400, 'Parent entity does not exist in this house'],
  entity_not_empty: [400, 'That entity still contains rooms'],
  last_room: [400, 'A house must keep at least one room'],
  limit_reached: [400, 'You have reached a limit (…)'],
  not_offered: [400, 'This server does not offer calls'],
  not_found: [404, 'Not found'],
  house_not_found: [404, 'That house does not exist'],
  room_not_found: [404, 'That room does not exist'],
  message_not_found: [404, 'That message does not exist'],
  webhook_not_found: [404, 'That webhook does not exist'],
  invite_not_found: [404, 'That invite does not exist'],
  invite_expired: [404, 'That invite has expired'],
  invite_used_up: [404, 'That invite has no uses left'],
  member_not_found: [404, 'That member does not exist'],
  role_not_found: [404, 'That role does not exist'],
  entity_not_found: [404, 'That entity does not exist'],
  ban_not_found: [404, 'That ban does not exist'],
  bot_not_found: [404, 'That bot does not exist'],
  session_not_found: [404, 'That session does not exist'],
  friend_request_not_found: [404, 'That friend request does not exist'],
  payload_too_large: [413, 'The request is too large'],
  rate_limit: [429, 'You are being rate limited'],
  unavailable: [503, 'The service is temporarily unavailable'],
} as const

/**
 * Every code with its usual status and message, word for word: those of the original API, then the extensions
 * (docs/errors.md).
 */
export const errorTable = { ...spec, ...extensions }

export type ErrorCode = keyof typeof errorTable

/**
 * A failure that is sent to the caller. Status and message come from the table unless the contract names others. It has
 * no stack: it is an answer, not a bug, and to capture one takes ten times as long as all else here.
 */
export class ApiError extends Error {
  readonly code: ErrorCode
  readonly status: number

  constructor(code: ErrorCode, overrides: { status?: number; message?: string } = {}) {
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    super(overrides.message ?? errorTable[code][1])
    Error.stackTraceLimit = stackTraceLimit
    this.code = code
    this.status = overrides.status ?? errorTable[code][0]
  }
}

/** `rate_limit`, with the time (unix seconds) and the seconds until a request is let through again. */
export class RateLimitError extends ApiError {
  readonly expiresAt: number
  readonly retryAfter: number

  /** `waitMs` from `now`, in ms since 1970. */
  constructor(waitMs: number, now: number) {
    super('rate_limit')
    this.expiresAt = Math.ceil((now + waitMs) / 1000)
    this.retryAfter = Math.max(1, Math.ceil(waitMs / 1000))
  }
}

/** `invalid_schema`: required fields are missing or wrong. Names in the order of the contract's table. */
export function fieldsRequired(...names: string[]): ApiError {
  return new ApiError('invalid_schema', { message: `Required fields (${names.join(', ')}) not met` })
}

/** `invalid_schema`: optional fields or query parameters are wrong. */
export function fieldsInvalid(...names: string[]): ApiError {
  return new ApiError('invalid_schema', { message: `Invalid fields (${names.join(', ')})` })
}

/** `invalid_schema`: a body that is not a JSON object. */
export function malformedBody(): ApiError {
  return new ApiError('invalid_schema', { message: 'JSON body is malformed' })
}

/** `internal_server_error` with 415 (docs/errors.md): a content type that the route does not take. */
export function wrongContentType(): ApiError {
  return new ApiError('internal_server_error', { status: 415 })
}

/** `limit_reached`, naming what there are too many of: `houses`, `friends` … */
export function limitReached(thing: string): ApiError {
  return new ApiError('limit_reached', { message: `You have reached a limit (${thing})` })
}

/**
 * The message of a failure. Where none of a host's addresses answers, it is empty: then the message of each address.
 */
export function reasonOf(error: unknown): string {
  const { message, code, errors = [] } = error as NodeJS.ErrnoException & { errors?: Error[] }
  return message || errors.map((each) => each.message).join(', ') || String(code)
}

/** The store of the files refused something, or did not answer. */
export class StoreUnavailable extends Error {
  constructor(cause: Error) {
    super(reasonOf(cause), { cause })
  }
}

/** The database has migrations of a newer version, given by their names: this version would not know what it reads. */
export class NewerDatabase extends Error {
  constructor(migrations: readonly string[]) {
    super(
      `The database is of a newer version of Hearth, which added ${migrations.join(', ')}: start that version.`,
    )
  }
}

/** The database is unsuitable: its version is too old, or its encoding is not UTF8. The message is for the operator. */
export class IncompatibleDatabase extends Error {}

/** No node number is free, of so many: a process that needs one cannot start now. */
export class NodeNumbersTaken extends Error {
  constructor(most: number) {
    super(
      `No process can start now: a command is running that no server may run beside, or all ${most} node numbers are taken.`,
    )
  }
}
