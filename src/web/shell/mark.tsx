import { plural, t } from '../texts/texts.ts'

type MarkProps = { unread: { isUnread: boolean; mentions: number }; requests?: number }

/** A dot for something unread, a number for mentions and requests. */
export function Mark({ unread: { isUnread, mentions }, requests = 0 }: MarkProps) {
  const count = mentions + requests
  if (count > 0) {
    return (
      <span class="mark mark-mentions">
        <span aria-hidden="true">{count > 99 ? '99+' : count}</span>
        <span class="visually-hidden">
          {mentions > 0 && `, ${plural(t().mentionsMark, mentions)}`}
          {requests > 0 && `, ${plural(t().requestsMark, requests)}`}
        </span>
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
