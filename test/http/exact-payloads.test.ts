import type { TSchema } from '@sinclair/typebox'
import { expect, test } from 'vitest'
import { Relationship } from '../../src/friendships/schemas.ts'
import { Entity } from '../../src/houses/entities/schemas.ts'
import { Member } from '../../src/houses/members/schemas.ts'
import { Role } from '../../src/houses/roles/schemas.ts'
import { EditedHouse, House } from '../../src/houses/schemas.ts'
import { Message } from '../../src/messages/schemas.ts'
import { EmbeddedRoom, Room } from '../../src/rooms/schemas.ts'
import { CompactUser, FullUser } from '../../src/users/schemas.ts'

// Existing clients refuse these payloads for one key more or less (docs/api.md#compatibility). What is answered is
// serialized by its schema, so this compares the schemas; events are compared one by one (support/contract-payloads.ts).

test.each<[string, TSchema, string]>([
  [
    'full user',
    FullUser,
    'id name username icon header flags bot location website bio email email_verified mfa_enabled',
  ],
  ['compact user', CompactUser, 'icon id username name header flags bot'],
  [
    'message in a list',
    Message,
    'room_id bucket id attachment author_id content device_id edited_at embed exploding exploding_age mentions metadata timestamp type author',
  ],
  ['created house', House, 'id name description owner_id rooms type'],
  ['room of a created house', EmbeddedRoom, 'id house_id name position type'],
  ['edited house', EditedHouse, 'name house_id'],
  [
    'room',
    Room,
    'id house_id name position type emoji description last_message_id permission_overrides default_permission_override recipients owner_id',
  ],
  ['member', Member, 'id user_id house_id user roles presence last_permission_update joined_at'],
  ['entity', Entity, 'id house_id name type position resource_pointers'],
  ['role', Role, 'id house_id name position level color allow deny'],
  ['relationship', Relationship, 'id user_id recipient_id user type last_updated_at'],
])('a %s holds exactly its keys, all of them always', (_what, schema, names) => {
  const keys = names.split(' ').sort()
  expect(Object.keys(schema.properties).sort()).toEqual(keys)
  expect([...schema.required].sort()).toEqual(keys)
})
