import { openConfirmation } from '../shell/confirmation.tsx'
import { st } from '../texts/settings.ts'

/** Asks before a picture goes, as the server keeps no copy. */
export function openPictureRemoval(action: string, remove: () => Promise<unknown>): void {
  openConfirmation(action, st().removePictureSure, remove)
}
