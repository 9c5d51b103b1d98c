import type { FastifyInstance } from 'fastify'
import { readCounter } from './read-metrics.ts'

/** Shows how many events and changes were kept from being delivered. */
export function showDeliveries({ metrics, gateway }: FastifyInstance): void {
  readCounter(
    metrics,
    'hearth_events_joined_total',
    'Events that were not sent because a later equal one replaced them',
    () => gateway.context.waitingEvents.joined,
  )
  readCounter(
    metrics,
    'hearth_changes_refused_total',
    'Changes refused because of what earlier changes of the person had delivered',
    () => gateway.weights.refused,
  )
}
