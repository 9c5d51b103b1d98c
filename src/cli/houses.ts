import { deleteHouse } from '../houses/operations.ts'
import { findHouseSummary, listAllHouses } from '../houses/queries.ts'
import { asId } from '../ids.ts'
import { deleteRemoved } from '../messages/removal/operations.ts'
import { eraseDiscarded } from '../storage/discard.ts'
import { CliError, type Command, count } from './command.ts'
import { withInstallation } from './installation.ts'

export const listHouses: Command = {
  name: 'list-houses',
  summary: 'List every house: id, owner, members, name',
  parameters: [],
  options: {},
  async run(_args, context) {
    await withInstallation(context, async ({ db }) => {
      const houses = await listAllHouses(db)
      if (houses.length === 0) context.print('There are no houses.')
      for (const { id, owner, member_count, name } of houses) {
        context.print(`${id}  ${owner}  ${count(member_count, 'member')}  ${name}`)
      }
    })
  },
}

export const deleteHouseCommand: Command = {
  name: 'delete-house',
  summary: 'Delete a house with its rooms, messages and files, permanently',
  parameters: ['id'],
  options: { yes: { type: 'boolean', summary: 'required, because the deletion cannot be undone' } },
  async run({ parameters: [id], options }, context) {
    await withInstallation(context, async ({ db, store }) => {
      const house = await findHouseSummary(db, asId(id!))
      if (!house) throw new CliError(`There is no house "${id}": "npm run hearth -- list-houses" lists them.`)
      const shown = `${house.name} with ${count(house.member_count, 'member')}`
      if (!options.yes) throw new CliError(`This would delete ${shown} for good: say so with --yes.`)
      await deleteHouse(db, { house_id: house.id, user_id: house.owner_id })
      while (await deleteRemoved(db));
      while ((await eraseDiscarded(db, store)) > 0);
      context.print(`Deleted ${shown}.`)
    })
  },
}
