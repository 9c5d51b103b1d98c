import { openDialog } from '../shell/dialog.tsx'
import { lazy } from '../shell/lazy.tsx'
import type { Message, Room } from '../state/state.ts'
import { errorText, t } from '../texts/texts.ts'
import { setPinned } from './pinning.ts'

/** Pins a message, or unpins it; a refusal is told. */
export function togglePin(message: Message): void {
  setPinned(message, !message.pinned).catch((error: unknown) => {
    openDialog(t().pinnedMessages, <p role="alert">{errorText(error)}</p>)
  })
}

/** Shows the pinned messages of a room. */
export function openPins({ id }: Room): void {
  openDialog(t().pinnedMessages, <Pins roomId={id} />)
}

const Pins = lazy(() => import('./pin-list.tsx').then(({ PinList }) => PinList))
