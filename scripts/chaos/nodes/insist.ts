import { setTimeout as pause } from 'node:timers/promises'
import { grown } from '../support/own-delay.ts'

/** Between two tries of something that was not answered, or refused for the moment, and between two looks. */
const retryMs = 20
const givenUpAfterMs = 5_000
const withinMs = 30_000
/** Of a server that asks to try again, and of a proxy whose server has died. */
const unanswered = [502, 503, 504]

// biome-ignore lint/suspicious/noExplicitAny: what the server answers is for the caller to know
type Reply = { status: number; text: string; data: any; tries: number }

/** Something did not happen in any time that a busy machine explains. */
export class Late extends Error {}

/**
 * Asks, over a new connection each time, until a server has answered. `tries` is how often it was asked:
 * one of the earlier ones may have been carried out.
 */
export async function insist(
  origin: string,
  token: string,
  method: string,
  path: string,
  body?: object,
): Promise<Reply> {
  const began = performance.now()
  for (let tries = 1; ; tries += 1) {
    const answer = await attempt(`${origin}${path}`, token, method, body)
    if (answer && !unanswered.includes(answer.status)) return { ...answer, tries }
    if (performance.now() - began > 2 * grown(withinMs))
      throw new Late(`${method} ${path} was not answered: ${answer?.text ?? 'no connection'}`)
    await pause(retryMs)
  }
}

async function attempt(url: string, token: string, method: string, body?: object) {
  try {
    const type = body ? { 'content-type': 'application/json' } : {}
    const answer = await fetch(url, {
      method,
      headers: { authorization: token, connection: 'close', ...type },
      body: body && JSON.stringify(body),
      signal: AbortSignal.timeout(givenUpAfterMs),
    })
    const text = await answer.text()
    return { status: answer.status, text, data: answer.status === 200 ? JSON.parse(text).data : undefined }
  } catch {
    return undefined
  }
}

/** Settles with true when the condition is true, or with false after the time. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<boolean> {
  const began = performance.now()
  while (!(await condition())) {
    if (performance.now() - began > grown(withinMs)) return false
    await pause(retryMs)
  }
  return true
}

/** Settles when the condition is true. Throws `Late` with what was waited for. */
export async function need(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  if (!(await until(condition))) throw new Late(`waited in vain: ${what}`)
}
