import type { HearthEvent } from '../../src/events/events.ts'
import { published } from './world.ts'

/**
 * The published events that name one of these users, houses, rooms or sessions, oldest first. Background work publishes
 * events about others at any time.
 */
export function publishedAbout(...ids: string[]): HearthEvent[] {
  const isNamed = (value: unknown) => ids.includes(value as string)
  return published.filter((event) =>
    Object.values(event).some((value) => (Array.isArray(value) ? value.some(isNamed) : isNamed(value))),
  )
}
