import type { FastifyInstance } from 'fastify'
import { readCounter } from './read-metrics.ts'

/** What keeps the deliveries of the process light. */
export function showDeliveries({ metrics, gateway }: FastifyInstance): void {
  readCounter(
    metrics,
    'hearth_events_joined_total',
    'Events that were not sent, as a later one that waited stood for them',
    () => gateway.context.waitingEvents.joined,
  )
  readCounter(
    metrics,
    'hearth_changes_refused_total',
    'Changes refused because of what earlier ones of the user had delivered',
    () => gateway.weights.refused,
  )
}
