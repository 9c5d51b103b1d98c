/** The close codes of the server by reason (docs/gateway.md#close-codes). */
export const closeCodes = {
  going_away: 1001,
  internal_error: 1011,
  bad_frame: 4002,
  invalid_token: 4003,
  login_timeout: 4003,
  heartbeat_missing: 4007,
  slow_consumer: 4008,
  rate_limit: 4008,
  cannot_resume: 4009,
  taken_over: 4010,
  too_many: 4012,
} as const

export type CloseReason = keyof typeof closeCodes
