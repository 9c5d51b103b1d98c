import { setTimeout as pause } from 'node:timers/promises'
import { generate } from 'otplib'
import { issueCode } from '../../../src/accounts/codes/operations.ts'
import { ask, type Person } from '../support/people.ts'
import type { Stage } from '../support/stage.ts'
import type { ClockedServer } from './clocked-server.ts'

type Reply = { status: number; code: string; retryAfter: number }

async function post(origin: string, path: string, token: string | null, body: unknown): Promise<Reply> {
  const authorization = token === null ? {} : { authorization: token }
  const headers = { 'content-type': 'application/json', ...authorization }
  const answer = await fetch(`${origin}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  const text = await answer.text()
  const code = text === '' ? '' : (JSON.parse(text).error?.code ?? '')
  return { status: answer.status, code, retryAfter: Number(answer.headers.get('retry-after')) }
}

/** What must go on as before whatever the clock does; each `look` gives what is wrong. */
export type Trial = { look(server: ClockedServer, what: string): Promise<string[]> }

/** A token that is good stays good, and one that was ended stays ended. */
export function tokenTrial(good: Person, ended: Person): Trial {
  return {
    async look({ origin }, what) {
      const statusOf = async ({ token }: Person) =>
        (await fetch(`${origin}/users/@me`, { headers: { authorization: token } })).status
      const findings: string[] = []
      if ((await statusOf(good)) !== 200)
        findings.push(`${what}: a token is not taken: ${await statusOf(good)}`)
      if ((await statusOf(ended)) !== 400) findings.push(`${what}: a token that was ended is taken`)
      return findings
    },
  }
}

/** A used nonce returns its message. */
export function nonceTrial(person: Person, room: string): Trial {
  let first: string | undefined
  return {
    async look({ origin }, what) {
      const body = { content: 'once', nonce: 'the same' }
      const { id } = await ask(origin, person.token, 'POST', `/rooms/${room}/messages`, body)
      first ??= id
      return id === first ? [] : [`${what}: a nonce repeated within seconds made a second message`]
    },
  }
}

/** An invite of an hour is still valid; one of a second has expired. */
export function inviteTrial(owner: Person, houseId: string): Trial {
  const make = (origin: string, max_age: number) =>
    ask(origin, owner.token, 'POST', `/houses/${houseId}/invites`, { max_age })
  let long: string | undefined
  return {
    async look({ origin }, what) {
      const statusOf = async (code: string) => (await fetch(`${origin}/invites/${code}`)).status
      long ??= (await make(origin, 3_600)).code as string
      const short = (await make(origin, 1)).code as string
      const since = performance.now()
      const findings: string[] = []
      if ((await statusOf(long)) !== 200) findings.push(`${what}: an invite of an hour is dead`)
      const atOnce = await statusOf(short)
      if (atOnce !== 200 && performance.now() < since + 900)
        findings.push(`${what}: an invite of a second is dead at once`)
      await pause(Math.max(0, since + 1_050 - performance.now()))
      if ((await statusOf(short)) !== 404) findings.push(`${what}: an invite of a second outlives it`)
      return findings
    },
  }
}

/** Who has guessed too often waits for a minute or less, not for as long as the clock was off; and not for nothing. */
export function guessingTrial(triesAMinute: number): Trial {
  let limitedAt = 0
  return {
    async look({ origin, shiftMs }, what) {
      const guess = () =>
        post(origin, '/auth/login', null, { login: 'nobody.here', password: 'wrong password' })
      let reply = await guess()
      // On a slow machine some tokens are refilled while others are used.
      for (let n = 0; n < 2 * triesAMinute && reply.status !== 429; n += 1) {
        const regained = ((performance.now() - limitedAt) / 60_000) * triesAMinute
        if (shiftMs() !== 0 && n > 1 + regained) return [`${what}: the limit of logins is forgotten`]
        reply = await guess()
      }
      limitedAt = performance.now()
      if (reply.status !== 429) return [`${what}: ${2 * triesAMinute} wrong logins are not limited`]
      return reply.retryAfter <= 60 ? [] : [`${what}: who guesses has to wait for ${reply.retryAfter} s`]
    },
  }
}

/** Of the steps of 30 s so far, the last ones whose codes still work where they were not used. */
const rememberedSteps = 3

/** A code of an authenticator works once, and never again, wherever the clock goes. */
export async function totpTrial(server: ClockedServer, password: string): Promise<Trial> {
  const account = { email: 'totp@example.org', username: 'totp.user', password }
  const { token } = await ask(server.origin, null, 'POST', '/auth/register', account)
  const { secret } = await ask(server.origin, token, 'POST', '/users/@me/mfa/totp', { password })
  const codeAt = (ms: number) => generate({ secret, epoch: Math.floor(ms / 1000) })
  const stepAt = (ms: number) => Math.floor(ms / 30_000)
  const enabledMs = Date.now() + server.shiftMs()
  await ask(server.origin, token, 'POST', '/users/@me/mfa/totp/enable', { code: await codeAt(enabledMs) })
  const used = new Set([stepAt(enabledMs)])
  return {
    async look({ origin, shiftMs }, what) {
      const now = Date.now() + shiftMs()
      const body = { login: account.username, password, code: await codeAt(now) }
      const login = () => post(origin, '/auth/login', null, body)
      const findings: string[] = []
      const isFresh = !used.has(stepAt(now)) && stepAt(now) > Math.max(...used) - rememberedSteps
      const first = await login()
      if (isFresh && first.status !== 200) findings.push(`${what}: a fresh code is refused: ${first.code}`)
      if (!isFresh && first.code !== 'invalid_code')
        findings.push(`${what}: a code of the past works: ${first.status}`)
      if (isFresh) used.add(stepAt(now))
      const again = await login()
      if (again.code !== 'invalid_code')
        findings.push(`${what}: a code works twice: ${again.status} ${again.code}`)
      return findings
    },
  }
}

/** A mailed code is valid for an hour by the clock of the database, and works once. */
export async function codeTrial(stage: Stage, person: Person): Promise<Trial> {
  const email = `${person.username}@example.org`
  await stage.db.updateTable('users').set({ email }).where('id', '=', person.id).execute()
  const { code } = await issueCode(stage.db, person.id, 'reset_password', email)
  return {
    async look({ origin }, what) {
      const first = await post(origin, '/auth/reset-password', null, { code, password: 'a new password' })
      const second = await post(origin, '/auth/reset-password', null, { code, password: 'another password' })
      const findings: string[] = []
      if (first.status !== 200) findings.push(`${what}: a code by mail is refused: ${first.code}`)
      if (second.code !== 'invalid_code') findings.push(`${what}: a code by mail works twice`)
      return findings
    },
  }
}
