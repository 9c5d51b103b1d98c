import { idTimeMs } from '../ids.ts'
import { serializePublicUser } from '../users/serializers.ts'
import type { BotRow } from './queries.ts'
import type { Bot } from './schemas.ts'

/** A bot for its owner. */
export function serializeBot({ owner_id, public: isPublic, ...user }: BotRow): Bot {
  return {
    user: serializePublicUser(user),
    owner_id: owner_id ?? '',
    public: isPublic,
    created_at: new Date(idTimeMs(user.id)).toISOString(),
  }
}
