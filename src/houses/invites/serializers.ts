import type { HouseSummaryRow } from '../queries.ts'
import { serializeHouseSummary } from '../serializers.ts'
import type { InviteRow } from './queries.ts'
import type { Invite, InvitePreview } from './schemas.ts'

export function serializeInvite(row: InviteRow): Invite {
  const { code, house_id, creator_id, max_age, max_uses, uses, type } = row
  return {
    code,
    house_id,
    creator_id,
    created_at: row.created_at.toISOString(),
    max_age,
    max_uses,
    uses,
    type,
  }
}

/** An invite for anybody with the code. */
export function serializeInvitePreview(row: InviteRow, house: HouseSummaryRow): InvitePreview {
  return {
    code: row.code,
    invite: serializeInvite(row),
    house: { ...serializeHouseSummary(house), rooms: [], members: [] },
    counts: { house_members: house.member_count },
  }
}
