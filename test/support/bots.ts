import { expect } from 'vitest'
import { botNotFound, told } from './permissions.ts'
import { type Answer, call, db, type Person, user } from './world.ts'

/** A bot's row, or undefined. */
export function botRow(id: string) {
  return db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Lets others add a bot to their houses. */
export async function publish(bot: Person): Promise<void> {
  await db.updateTable('users').set({ public: true }).where('id', '=', bot.id).execute()
}

/** Asserts bot_not_found for a request about a bot of another owner, a person, and an unknown id. */
export async function refusesForeignBots(ask: (caller: Person, id: string) => Promise<Answer>) {
  const [ann, bob] = [await user(), await user()]
  const bot = await user({ bot_of: bob })
  const before = await botRow(bot.id)
  for (const id of [bot.id, bob.id, ann.id, '1', 'x']) {
    expect(told(await ask(ann, id))).toEqual([404, botNotFound])
  }
  expect(await botRow(bot.id)).toEqual(before)
  expect((await call(bot, 'GET', '/users/@me')).status).toBe(200)
}
