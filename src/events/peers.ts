import { randomUUID } from 'node:crypto'
import type { HearthEvent } from './events.ts'
import { type Presence, setPresence, usersAt } from './presence.ts'
import type { Relay } from './relay.ts'

/** What processes tell each other; `from` is the sender, and is left out by one that does not stay. */
type Word =
  | { type: 'events'; events: HearthEvent[]; ask?: number }
  | { type: 'heard'; to: string; ask: number }
  | { type: 'hello' | 'alive' | 'gone' }
  | { type: 'online'; users: string[] }
  | { type: 'presence'; user_id: string; presence: Presence }
type Spoken = Word & { from?: string }

/** The other processes that share the bus. */
type Peers = {
  /** Whether others tell things as well, or did once. */
  readonly isShared: boolean
  /** Tells them what happened, in order. Settles at once, or, where the answer to a request hangs on it, when they have dealt with it. */
  tell(events: readonly HearthEvent[]): Promise<void>
  /** Tells them that a user came to this process, or left it. */
  tellPresence(userId: string, presence: Presence): void
  close(): Promise<void>
}

export type PeerSettings = {
  /** Others are there, heard or not; else nothing is said while nobody was heard, and a process alone pays nothing. */
  isOneOfMany: boolean
  aliveEveryMs: number
  /** How often a process that hears nobody says that it is there, so that two which lost each other meet again. */
  aloneEveryMs: number
  forgottenAfterMs: number
  answerWithinMs: number
}
const usualSettings: PeerSettings = {
  isOneOfMany: false,
  aliveEveryMs: 5_000,
  aloneEveryMs: 30_000,
  forgottenAfterMs: 15_000,
  answerWithinMs: 1_000,
}

/** A joiner's sockets, wherever they are, must have heard before the request that made them join is answered. */
function isAwaited(event: HearthEvent): boolean {
  return event.type === 'member_joined'
}

/** What a process says that has something to tell but no peers to join. */
export function wordsInPassing(events: readonly HearthEvent[]): string {
  const words: Spoken[] = [{ type: 'events', events: [...events] }]
  return JSON.stringify(words)
}

/** Joins those who share a relay. `deliver` hands on what happened elsewhere. A peer that falls silent is forgotten. */
export function joinPeers(
  relay: Relay,
  deliver: (events: readonly HearthEvent[]) => Promise<void>,
  changed: Partial<PeerSettings> = {},
): Peers {
  const settings = { ...usualSettings, ...changed }
  const self = randomUUID()
  const lastHeardMs = new Map<string, number>()
  const open = new Map<number, { missing: Set<string>; done: () => void }>()
  let lastAsk = 0
  const waiting: Word[] = []
  let isSending = false
  let idle = Promise.resolve()
  let spokeMs = performance.now()
  let isShared = settings.isOneOfMany

  function isAlone(): boolean {
    return !settings.isOneOfMany && lastHeardMs.size === 0
  }

  function say(word: Word): void {
    spokeMs = performance.now()
    waiting.push(word)
    if (!isSending) idle = sendWaiting()
  }

  /** What is said while a text is on its way goes out together with the next one. */
  async function sendWaiting(): Promise<void> {
    isSending = true
    while (waiting.length > 0) {
      const words = waiting.splice(0).map((word): Spoken => ({ ...word, from: self }))
      // With the relay away the others go on without these: nothing here may wait for it.
      await relay.send(JSON.stringify(words)).catch(() => {})
    }
    isSending = false
  }

  function hear(word: Spoken): void {
    if (word.from === undefined) {
      if (word.type === 'events') void deliver(word.events)
      return
    }
    hearPeer({ ...word, from: word.from })
  }

  function hearPeer(word: Word & { from: string }): void {
    isShared = true
    const isStranger = !lastHeardMs.has(word.from)
    lastHeardMs.set(word.from, performance.now())
    if (isStranger && word.type !== 'online') say({ type: 'online', users: usersAt() })
    if (isStranger && word.type !== 'online' && word.type !== 'hello') say({ type: 'hello' })
    if (word.type === 'hello' && !isStranger) say({ type: 'online', users: usersAt() })
    else if (word.type === 'online') for (const userId of word.users) change(userId, 'online', word.from)
    else if (word.type === 'presence') change(word.user_id, word.presence, word.from)
    else if (word.type === 'gone') forget(word.from)
    else if (word.type === 'heard' && word.to === self) settle(word.ask, word.from)
    else if (word.type === 'events') void hearEvents(word)
  }

  async function hearEvents({ events, ask, from }: Word & { type: 'events'; from: string }): Promise<void> {
    await deliver(events)
    if (ask !== undefined) say({ type: 'heard', to: from, ask })
  }

  function change(user_id: string, presence: Presence, from: string): void {
    if (setPresence(user_id, presence, from)) void deliver([{ type: 'presence_changed', user_id, presence }])
  }

  function forget(peer: string): void {
    lastHeardMs.delete(peer)
    for (const userId of usersAt(peer)) change(userId, 'offline', peer)
    for (const ask of open.keys()) settle(ask, peer)
  }

  function settle(ask: number, peer: string): void {
    const question = open.get(ask)
    question?.missing.delete(peer)
    if (question?.missing.size === 0) question.done()
  }

  /** Settles when every peer has answered, or the time is up. */
  function answersTo(ask: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer)
        open.delete(ask)
        resolve()
      }
      const timer = setTimeout(done, settings.answerWithinMs)
      open.set(ask, { missing: new Set(lastHeardMs.keys()), done })
    })
  }

  relay.listen((text) => {
    for (const word of JSON.parse(text) as Spoken[]) hear(word)
  })
  say({ type: 'hello' })
  const beat = setInterval(() => {
    if (!isAlone() || performance.now() - spokeMs >= settings.aloneEveryMs) say({ type: 'alive' })
    const silentSince = performance.now() - settings.forgottenAfterMs
    for (const [peer, heardMs] of lastHeardMs) if (heardMs < silentSince) forget(peer)
  }, settings.aliveEveryMs).unref()

  return {
    get isShared() {
      return isShared
    },
    async tell(events) {
      const told = events.filter((event) => event.type !== 'presence_changed')
      if (told.length === 0 || isAlone()) return
      const mustWait = lastHeardMs.size > 0 && told.some(isAwaited)
      if (!mustWait) return say({ type: 'events', events: told })
      lastAsk += 1
      const answers = answersTo(lastAsk)
      say({ type: 'events', events: told, ask: lastAsk })
      await answers
    },
    tellPresence(user_id, presence) {
      if (!isAlone()) say({ type: 'presence', user_id, presence })
    },
    async close() {
      clearInterval(beat)
      if (!isAlone()) say({ type: 'gone' })
      await idle
      for (const peer of [...lastHeardMs.keys()])
        for (const user of usersAt(peer)) setPresence(user, 'offline', peer)
      await relay.close()
    },
  }
}
