import { plural, t } from '../texts/texts.ts'

/** What one has not read somewhere: whether there is something, and how often one is mentioned. */
export type Unread = { isUnread: boolean; mentions: number }

/** A dot for something unread, a number for mentions. */
export function Mark({ unread: { isUnread, mentions } }: { unread: Unread }) {
  if (mentions > 0) {
    return (
      <span class="mark mark-mentions">
        <span aria-hidden="true">{mentions > 99 ? '99+' : mentions}</span>
        <span class="visually-hidden">, {plural(t().mentionsMark, mentions)}</span>
      </span>
    )
  }
  return (
    isUnread && (
      <span class="mark">
        <span class="visually-hidden">, {t().unreadMark}</span>
      </span>
    )
  )
}
