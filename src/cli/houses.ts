import { deleteAnyHouse } from '../administration/houses/operations.ts'
import { type AdministeredHouseRow, listHouses as listHousePage } from '../administration/houses/queries.ts'
import { serializeAdministeredHouse } from '../administration/serializers.ts'
import type { Db } from '../database/client.ts'
import { readPages } from '../database/pages.ts'
import { findHouseSummary } from '../houses/queries.ts'
import { asId, unknownId } from '../ids.ts'
import { deleteRemoved } from '../messages/removal/operations.ts'
import { eraseDiscarded } from '../storage/discard.ts'
import { CliError, type Command, count, printAnswer, withJson } from './command.ts'
import { withInstallation } from './installation.ts'

const housesAtOnce = 100

export const listHouses: Command = {
  name: 'list-houses',
  summary: 'List every house: id, owner, members, how long messages stay if its owner has set that, name',
  parameters: [],
  options: withJson(),
  async run({ options }, context) {
    await withInstallation(context, async ({ db }) => {
      const houses: AdministeredHouseRow[] = []
      for await (const row of listAllHouses(db)) houses.push(row)
      const lines = houses.map(({ id, owner, member_count, max_age, name }) => {
        const age = max_age === null ? [] : [`messages for ${spellAge(max_age)}`]
        return [id, owner.username, count(member_count, 'member'), ...age, name].join('  ')
      })
      printAnswer(context, options, {
        lines: lines.length > 0 ? lines : ['There are no houses.'],
        json: houses.map((row) => ({ ...serializeAdministeredHouse(row), max_age: row.max_age })),
      })
    })
  },
}

export const deleteHouseCommand: Command = {
  name: 'delete-house',
  summary: 'Delete a house with its rooms, messages and files, permanently',
  parameters: ['id'],
  options: withJson({ yes: { type: 'boolean', summary: 'required, because the deletion cannot be undone' } }),
  async run({ parameters: [id], options }, context) {
    await withInstallation(context, async ({ db, store }) => {
      const house = await findHouseSummary(db, asId(id!))
      if (!house) throw new CliError(`There is no house "${id}": "npm run hearth -- list-houses" lists them.`)
      const shown = `${house.name} with ${count(house.member_count, 'member')}`
      if (!options.yes) throw new CliError(`This would delete ${shown} for good: say so with --yes.`)
      const { answer } = await deleteAnyHouse(db, null, house.id)
      while (await deleteRemoved(db));
      while ((await eraseDiscarded(db, store)) > 0);
      printAnswer(context, options, { lines: [`Deleted ${shown}.`], json: answer })
    })
  },
}

/** An age in seconds as `MESSAGES_MAX_AGE` is written, if it can be. */
function spellAge(seconds: number): string {
  if (seconds % 86_400 === 0) return `${seconds / 86_400}d`
  return seconds % 3_600 === 0 ? `${seconds / 3_600}h` : `${seconds}s`
}

function listAllHouses(db: Db): AsyncGenerator<AdministeredHouseRow> {
  return readPages<AdministeredHouseRow>(housesAtOnce, (last, limit) =>
    listHousePage(db, { q: undefined, after: last?.id ?? unknownId, limit }),
  )
}
