import { houseSummary } from '../houses/forms.ts'
import type { HouseSummaryRow } from '../houses/queries.ts'
import type { InviteRow } from './queries.ts'
import type { Invite, InvitePreview } from './schemas.ts'

export function invite(row: InviteRow): Invite {
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

/** An invite as anybody sees it who has the code. */
export function invitePreview(row: InviteRow, house: HouseSummaryRow): InvitePreview {
  return {
    code: row.code,
    invite: invite(row),
    house: { ...houseSummary(house), rooms: [], members: [] },
    counts: { house_members: house.member_count },
  }
}
