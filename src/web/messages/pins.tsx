import { announceFailure, offerUndo } from '../shell/announcement.tsx'
import { openDialog } from '../shell/dialog.tsx'
import { lazy } from '../shell/lazy.tsx'
import type { Message, Room } from '../state/state.ts'
import { t } from '../texts/texts.ts'
import { setPinned } from './pinning.ts'

/** Pins a message, or unpins it, which can be undone; a refusal is told. */
export function togglePin(message: Message): void {
  const undo = () => setPinned(message, true)
  setPinned(message, !message.pinned).then(
    () => message.pinned && offerUndo(t().unpinned, undo),
    announceFailure,
  )
}

/** Shows the pinned messages of a room. */
export function openPins({ id }: Room): void {
  openDialog(t().pinnedMessages, <Pins roomId={id} />)
}

const Pins = lazy(() => import('./pin-list.tsx').then(({ PinList }) => PinList))
