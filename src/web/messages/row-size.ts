import type { Message } from '../state/state.ts'
import { estimatedHeight, foldedPx, unfolded } from './folding.ts'
import { mediaBox } from './media-box.ts'
import type { Row } from './rows.ts'

/** In px, at the font of the page: what is not measured yet should come near to what it will be. */
const linePx = 21.75
const quotePx = 24
const reactionsPx = 40

/** How high a row is, before it was measured; `width` is that of the timeline. */
export function estimateSize(row: Row, width: number): number {
  switch (row.kind) {
    case 'message': {
      const { id, content, attachment, reply_to, reactions = [] } = row.message
      const besides = (reply_to ? quotePx : 0) + (reactions.length > 0 ? reactionsPx : 0)
      return (
        headOf(row) + textSize(id, content, width) + (attachment ? attachmentSize(attachment) : 0) + besides
      )
    }
    case 'unsent':
      return headOf(row) + textSize(row.key, row.entry.content, width)
    case 'day':
      return 37.4
    default:
      return 25.4
  }
}

function headOf({ isFollowing }: { isFollowing: boolean }): number {
  return isFollowing ? 4 : 4 + 12 + linePx
}

function textSize(id: string, content: string, width: number): number {
  if (content === '') return 0
  const whole = estimatedHeight(content, 'message', width)
  return unfolded.peek().has(id) ? whole : Math.min(whole, foldedPx.message)
}

function attachmentSize(attachment: NonNullable<Message['attachment']>): number {
  const isMedia = /^(image|video)\//.test(attachment.content_type)
  return 8 + (isMedia ? mediaBox(attachment).height : 22 + linePx)
}
