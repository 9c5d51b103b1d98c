import type { BotRow } from './queries.ts'

/** Whether a user may add a bot to houses: the bot is theirs or public. */
export function canAdd(bot: BotRow | undefined, userId: string): boolean {
  return bot !== undefined && (bot.owner_id === userId || bot.public)
}
