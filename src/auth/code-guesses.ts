import type { FastifyReply } from 'fastify'
import { ApiError } from '../errors.ts'
import type { AccountLimits } from './rate-limits.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The limit of wrong codes, for the request that `reply` answers. */
    codeGuesses(reply: FastifyReply): CodeGuesses
  }
}

/** Limits how often the second factor of an account may be guessed, from whatever addresses. */
export type CodeGuesses = {
  /** Runs a check that throws `invalid_code` for a wrong code. Throws `RateLimitError` after too many wrong codes. */
  limit<Result>(accountId: string, check: () => Promise<Result>): Promise<Result>
}

/**
 * Each code counts before it is checked, so that many at once cannot evade the limit; it is given back unless it was
 * wrong. `onGuessing` is called once the wrong codes of an account are too many to be typing errors.
 */
export function createCodeGuesses(
  { codes, mistypedCodes }: AccountLimits,
  onGuessing: (accountId: string) => void,
): (reply: FastifyReply) => CodeGuesses {
  return (reply) => ({
    async limit(accountId, check) {
      await codes.count(accountId, { reply, onlyRefused: true })
      let isWrong = false
      try {
        return await check()
      } catch (error) {
        isWrong = error instanceof ApiError && error.code === 'invalid_code'
        throw error
      } finally {
        if (!isWrong) await codes.giveBack(accountId)
        else if (!(await mistypedCodes.allows(accountId))) onGuessing(accountId)
      }
    },
  })
}
