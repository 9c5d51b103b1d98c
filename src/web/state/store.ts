import { batch, effect, type Signal, signal } from '@preact/signals'
import type { EventName, Events } from '../../client/events.ts'
import { reducers } from './reducers/index.ts'
import { emptyState, type State } from './state.ts'

/** What the server has sent: one signal for each kind. Components read it, events change it. */
export const store = Object.fromEntries(
  Object.entries(emptyState).map(([kind, value]) => [kind, signal(value)]),
) as { [Kind in keyof State]: Signal<State[Kind]> }

/** The state at this moment, without becoming dependent on it. */
export function currentState(): State {
  return Object.fromEntries(Object.entries(store).map(([kind, each]) => [kind, each.peek()])) as State
}

/** Replaces these kinds at once. */
export function change(changes: Partial<State>): void {
  batch(() => {
    for (const [kind, value] of Object.entries(changes)) {
      const each: Signal<unknown> = store[kind as keyof State]
      each.value = value
    }
  })
}

/** Lets an event of the gateway change the state. */
export function dispatch<Name extends EventName>(name: Name, d: Events[Name]): void {
  change(reducers[name](currentState(), d, Date.now()))
}

/** Calls back once the person who was logged in is no longer, or is somebody else. */
export function onPersonLeft(callback: () => void): void {
  let present: string | undefined
  effect(() => {
    const id = store.me.value?.id
    const hasLeft = present !== undefined && id !== present
    present = id
    if (hasLeft) callback()
  })
}

/** Forgets everything, as at a logout. */
export function forget(): void {
  change(emptyState)
}
