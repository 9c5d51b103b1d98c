import { plural, t } from '../texts/texts.ts'

type MarkProps = { unread: { isUnread: boolean; mentions: number } }

/** A dot for something unread, a number for mentions. */
export function Mark({ unread: { isUnread, mentions } }: MarkProps) {
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
