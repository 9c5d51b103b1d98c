import { idTimeMs } from '../ids.ts'
import { strangersUser } from '../users/forms.ts'
import type { BotRow } from './queries.ts'
import type { Bot } from './schemas.ts'

/** A bot as its owner sees it. */
export function bot({ owner_id, public: isPublic, ...user }: BotRow): Bot {
  return {
    user: strangersUser(user),
    owner_id: owner_id ?? '',
    public: isPublic,
    created_at: new Date(idTimeMs(user.id)).toISOString(),
  }
}
