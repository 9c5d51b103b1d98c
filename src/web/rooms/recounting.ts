import type { Answer } from '../../client/operations.ts'
import { onEvent } from '../connection.ts'
import { api } from '../session.ts'
import { isIgnored, relationshipType } from '../state/relationships.ts'
import { change, currentState, store } from '../state/store.ts'

/** Asks for the read states anew where no event names them: of rooms that one enters, and when mentions begin or cease to count. */
export function startRecounting(): void {
  onEvent(({ e, d }) => {
    const state = currentState()
    if (e === 'HOUSE_JOIN' && !state.houseOrder.includes(d.id)) recount()
    if (e === 'ROOM_CREATE' && d.house_id === null && d.last_message_id !== null) recount()
    if (e === 'RELATIONSHIP_UPDATE') {
      const ignores = d.type === relationshipType.restricted || d.type === relationshipType.blocked
      if (ignores !== isIgnored(state, d.user_id)) recount()
    }
  })
}

type ReadStates = Answer<'listReadStates'>

let running = false
let isWanted = false

function recount(): void {
  isWanted = true
  if (!running) void run()
}

async function run(): Promise<void> {
  running = true
  while (isWanted) {
    isWanted = false
    const me = store.me.peek()?.id
    const before = store.readStates.peek()
    // Without an answer, the marks are right after the next login.
    const states = await api.call('listReadStates').catch(() => undefined)
    if (states && store.me.peek()?.id === me) take(states, before)
  }
  running = false
}

/** Rooms that are not listed have no mention to count. What an event has changed meanwhile is newer. */
function take(states: ReadStates, before: ReadStates): void {
  const known = store.readStates.peek()
  const counted = { ...states }
  for (const [id, state] of Object.entries(known)) {
    if (state !== before[id]) counted[id] = state
    else counted[id] ??= { ...state, mention_count: 0 }
  }
  change({ readStates: counted })
}
