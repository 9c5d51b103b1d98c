import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TObject, TSchema } from '@sinclair/typebox'
import { expect, test } from 'vitest'
import { AccountExport } from '../../src/accounts/exports/schemas.ts'
import { LoginSession } from '../../src/accounts/schemas.ts'
import { Bot } from '../../src/bots/schemas.ts'
import { Relationship } from '../../src/friendships/schemas.ts'
import { AuditLogEntry } from '../../src/houses/audit-log/schemas.ts'
import { Ban } from '../../src/houses/bans/schemas.ts'
import { Entity } from '../../src/houses/entities/schemas.ts'
import { Invite } from '../../src/houses/invites/schemas.ts'
import { ListedMember, Member } from '../../src/houses/members/schemas.ts'
import { Role } from '../../src/houses/roles/schemas.ts'
import { EditedHouse, GatewayHouse, House, HouseDetail, HouseSummary } from '../../src/houses/schemas.ts'
import { Webhook } from '../../src/houses/webhooks/schemas.ts'
import {
  Attachment,
  EditedGatewayMessage,
  GatewayMessage,
  ListedMessage,
  Message,
} from '../../src/messages/schemas.ts'
import { ReadState } from '../../src/read-states/schemas.ts'
import { EmbeddedRoom, Emoji, Room } from '../../src/rooms/schemas.ts'
import { Settings } from '../../src/settings/schemas.ts'
import { CompactUser, FullUser, GatewayUser } from '../../src/users/schemas.ts'

const schemas: Record<string, TObject> = {
  AccountExport,
  Attachment,
  AuditLogEntry,
  Ban,
  Bot,
  CompactUser,
  EditedGatewayMessage,
  EditedHouse,
  EmbeddedRoom,
  Emoji,
  Entity,
  FullUser,
  GatewayHouse,
  GatewayMessage,
  GatewayUser,
  House,
  HouseDetail,
  HouseSummary,
  Invite,
  ListedMember,
  ListedMessage,
  LoginSession,
  Member,
  Message,
  ReadState,
  Relationship,
  Role,
  Room,
  Settings,
  Webhook,
}
/** Resources whose tables list only what they add to another one. */
const bases: Record<string, TObject> = {
  EditedGatewayMessage: GatewayMessage,
  HouseDetail: HouseSummary,
  ListedMember: Member,
  ListedMessage: Message,
}

const page = readFileSync(join(import.meta.dirname, '../../docs/resources.md'), 'utf8')
const tables = [...page.matchAll(/Schema:\s`(\w+)`\.[^|]*\n\n\| Field .*\n\| ---.*\n((?:\|.*\n)+)/g)].map(
  ([, name, rows]) => ({
    name: name!,
    fields: [...rows!.matchAll(/^\| `(\w+)` \| (.*?) \| /gm)].map(
      ([, field, type]) => [field!, type!] as const,
    ),
  }),
)

test('docs/resources.md has a table for every resource', () => {
  expect(tables.map(({ name }) => name).sort()).toEqual(Object.keys(schemas))
})

test.each(tables)('docs/resources.md lists the fields of $name with their types', ({ name, fields }) => {
  const added = Object.entries(schemas[name]!.properties).filter(
    ([key]) => !(key in (bases[name]?.properties ?? {})),
  )
  expect(fields.map(([field]) => field)).toEqual(added.map(([key]) => key))
  for (const [field, type] of fields) {
    expect([field, type]).toEqual([
      field,
      expect.stringMatching(patternOf(schemas[name]!.properties[field]!)),
    ])
  }
})

// Existing clients refuse exact payloads for one key more or less. What is answered is serialized by its schema, so this
// compares the schemas; events are compared one by one (support/contract-payloads.ts).
test('docs/resources.md counts the keys of exact payloads as their schemas do', () => {
  const [section] = /## Exact payloads\n.*?\n## /s.exec(page)!
  const cells = [...section.matchAll(/^\| .* \| (\d.*) \|$/gm)].map(([, cell]) => cell!)
  const counts = cells.flatMap((cell) => cell.match(/\d+/g)!.map(Number))
  const exact = [
    ...[FullUser, CompactUser, GatewayUser],
    ...[Message, GatewayMessage, EditedGatewayMessage],
    ...[House, EmbeddedRoom, EditedHouse, GatewayHouse],
    ...[Room, Member, Entity, Role, Relationship],
  ]
  // What follows is in INIT_STATE, and the frame itself.
  expect(counts.slice(0, exact.length)).toEqual(exact.map(({ properties }) => Object.keys(properties).length))
})

// The schema of a message or member in a list is that for clients of both kinds.
test.each(tables.filter(({ name }) => !name.startsWith('Listed')))(
  'a $name always has all fields but those that docs/resources.md calls optional',
  ({ name, fields }) => {
    const optional = fields.filter(([, type]) => type.endsWith(', optional')).map(([field]) => field)
    const { properties, required } = schemas[name]!
    expect([...required!, ...optional].sort()).toEqual(Object.keys(properties).sort())
  },
)

/** The accepted texts of the type column for a field. */
function patternOf(schema: TSchema): RegExp {
  const variants: TSchema[] = schema.anyOf ?? [schema]
  const [first, ...others] = variants.filter((each) => each.type !== 'null')
  const orNull = variants.length > 1 && variants.some((each) => each.type === 'null') ? ' or null' : ''
  return new RegExp(`^${first === undefined ? 'null' : nameOf(first, others)}${orNull}$`)
}

function nameOf(schema: TSchema, others: TSchema[]): string {
  if (others.length > 0 || schema.type === 'string') return 'str'
  if (schema.type === 'integer' || schema.type === 'number') return 'int'
  if (schema.type === 'boolean') return 'bool'
  if (schema.type === 'array') return 'list(?: of [a-z ]+?)?'
  return '(?:object(?:, optional)?|(?:full|compact|gateway) user|member)'
}
