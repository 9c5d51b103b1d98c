import { resolve } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { writeServerAudit } from '../../administration/audit-log/operations.ts'
import type { Db } from '../../database/client.ts'
import { commit } from '../../events/commit.ts'
import { insertImported } from '../../houses/archive/import-queries.ts'
import { saveIcon } from '../../houses/icon-operations.ts'
import { findMember, listMemberIds } from '../../houses/members/queries.ts'
import { insertHouse } from '../../houses/queries.ts'
import { upsertRetention } from '../../houses/retention/queries.ts'
import { withoutBudget } from '../../images/budget.ts'
import { makeIcon, maxPictureBytes, type Picture, pictureName } from '../../images/picture.ts'
import { cancelDiscard } from '../../storage/discard.ts'
import type { Store } from '../../storage/store.ts'
import { CliError, type Command, count } from '../command.ts'
import { findAccountByRef } from '../find-account.ts'
import { requireSpace, withInstallation } from '../installation.ts'
import { importContents } from './contents.ts'
import { iconName, seenName, User } from './format.ts'
import { allocateIds } from './ids.ts'
import { importMessages } from './messages.ts'
import { importPeople } from './people.ts'
import { type Archive, openArchive } from './read.ts'

/** `maxAgeMs` is the age past which this server deletes messages. */
type Options = { isLinking: boolean; owner: string | undefined; maxAgeMs: number | undefined }

export const importHouse: Command = {
  name: 'import-house',
  summary: 'Import a house from a ZIP file of export-house, all or nothing; the server may run',
  parameters: ['file'],
  options: {
    owner: { type: 'string', shown: 'user', summary: 'who owns the house here, by default its owner there' },
    'link-accounts': {
      type: 'boolean',
      summary: 'accounts with the same verified e-mail address are the members and authors',
    },
  },
  async run({ parameters: [named], options }, context) {
    const archive = await openArchive(resolve(named!))
    try {
      await withInstallation(context, async ({ db, store, config }) => {
        await requireSpace(config, db)
        const owner = typeof options.owner === 'string' ? await personId(db, options.owner) : undefined
        const done = await importArchive(db, store, archive, {
          owner,
          isLinking: options['link-accounts'] === true,
          maxAgeMs: config.messagesMaxAgeMs,
        })
        const contents = [
          count(done.members, 'member'),
          count(done.messages, 'message'),
          count(done.files, 'file'),
        ].join(', ')
        context.print(`${archive.manifest.house.name} has the id ${done.id} here: ${contents}.`)
      })
    } finally {
      archive.close()
    }
  },
}

async function personId(db: Db, ref: string): Promise<string> {
  const user = await findAccountByRef(db, ref)
  if (!user || user.bot)
    throw new CliError(`There is no user "${ref}": give a username, an id or an e-mail address.`)
  return user.id
}

async function importArchive(
  db: Db,
  store: Store,
  archive: Archive,
  { isLinking, owner, maxAgeMs }: Options,
) {
  const { house } = archive.manifest
  const icon = await readIcon(archive)
  const { answer } = await commit(db, async (trx) => {
    const houseId = (await allocateIds(trx, 'houses', [house])).get(house.id)!
    const users = await archive.readList('users.jsonl', User)
    const people = await importPeople(trx, users, { isLinking, owner, formerOwner: house.owner_id })
    const owner_id = people.ownerId
    const { description, default_permissions } = house
    const name = seenName(house.name)
    if (icon) {
      await saveIcon(db, store, houseId, icon)
      await cancelDiscard(trx, [pictureName('houses/icons', houseId, icon.file)])
    }
    await insertHouse(trx, {
      id: houseId,
      owner_id,
      icon: icon?.file ?? null,
      name,
      description,
      default_permissions,
    })
    const maxAge = shorterAge(house.max_age, maxAgeMs)
    if (maxAge !== null) await upsertRetention(trx, houseId, maxAge)
    const rooms = await importContents(trx, archive, { houseId, users: people.ids })
    if (!(await findMember(trx, { house_id: houseId, user_id: owner_id }))) {
      await insertImported(trx, 'members', [{ house_id: houseId, user_id: owner_id, joined_at: new Date() }])
    }
    await writeServerAudit(trx, null, 'house_imported', { type: 'house', id: houseId }, [
      { key: 'name', old: null, new: name },
    ])
    const counts = await importMessages({ db, trx, store, archive, houseId, rooms, users: people.ids })
    const memberIds = await listMemberIds(trx, houseId, users.length + 1)
    const present = new Set([...people.present, ...(owner === undefined ? [] : [owner])])
    return {
      answer: { id: houseId, members: memberIds.length, ...counts },
      events: memberIds
        .filter((id) => present.has(id))
        .map((user_id) => ({ type: 'member_joined' as const, house_id: houseId, user_id })),
    }
  })
  return answer
}

/** How long the messages of the house may stay here, in seconds; null: as long as those of the server. */
function shorterAge(maxAge: number | null = null, serverMaxAgeMs = Number.POSITIVE_INFINITY): number | null {
  return maxAge === null ? null : Math.min(maxAge, serverMaxAgeMs / 1_000)
}

/** The icon, made anew as every picture. */
async function readIcon(archive: Archive): Promise<Picture | undefined> {
  const content = await archive.open(iconName)
  if (!content) return undefined
  const chunks = await buffer(content)
  if (chunks.length > maxPictureBytes) throw new CliError('The icon of the archive is too large.')
  return makeIcon(chunks, withoutBudget(archive.manifest.house.id))
}
