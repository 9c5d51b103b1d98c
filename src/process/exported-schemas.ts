import { KindGuard, type TSchema } from '@sinclair/typebox'
import * as accountExports from '../accounts/exports/schemas.ts'
import * as pushSubscriptions from '../accounts/push-subscriptions/schemas.ts'
import * as accounts from '../accounts/schemas.ts'
import * as administration from '../administration/schemas.ts'
import * as bots from '../bots/schemas.ts'
import * as friendships from '../friendships/schemas.ts'
import * as auditLog from '../houses/audit-log/schemas.ts'
import * as bans from '../houses/bans/schemas.ts'
import * as entities from '../houses/entities/schemas.ts'
import * as invites from '../houses/invites/schemas.ts'
import * as members from '../houses/members/schemas.ts'
import * as retention from '../houses/retention/schemas.ts'
import * as roles from '../houses/roles/schemas.ts'
import * as houses from '../houses/schemas.ts'
import * as webhookExecution from '../houses/webhooks/execution/schemas.ts'
import * as webhooks from '../houses/webhooks/schemas.ts'
import * as envelope from '../http/schemas/envelope.ts'
import * as health from '../http/server/health.ts'
import * as pins from '../messages/pins/schemas.ts'
import * as reactions from '../messages/reactions/schemas.ts'
import * as messages from '../messages/schemas.ts'
import * as readStates from '../read-states/schemas.ts'
import * as houseRooms from '../rooms/house-rooms/schemas.ts'
import * as privateRooms from '../rooms/private-rooms/schemas.ts'
import * as rooms from '../rooms/schemas.ts'
import * as serverInformation from '../server-information/schemas.ts'
import * as settings from '../settings/schemas.ts'
import * as users from '../users/schemas.ts'

const modules = [
  accountExports,
  accounts,
  administration,
  auditLog,
  bans,
  bots,
  entities,
  envelope,
  friendships,
  health,
  houseRooms,
  houses,
  invites,
  members,
  messages,
  pins,
  privateRooms,
  pushSubscriptions,
  reactions,
  readStates,
  retention,
  roles,
  rooms,
  serverInformation,
  settings,
  users,
  webhookExecution,
  webhooks,
]

/** Every schema of an object on the wire, and the name that it is exported under: its name in the API document. */
export function nameSchemas(): ReadonlyMap<object, string> {
  const named = modules.flatMap((module) => Object.entries(module)).filter(([, value]) => isObject(value))
  return new Map(named.map(([name, schema]) => [schema, name]))
}

function isObject(value: unknown): value is TSchema {
  return KindGuard.IsObject(value) || KindGuard.IsRecord(value)
}
