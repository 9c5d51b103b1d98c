import { openDialog } from '../shell/dialog.tsx'
import { listed } from '../texts/isolation.ts'
import { sizeText } from '../texts/sizes.ts'
import { t } from '../texts/texts.ts'
import { addFiles } from './uploads.ts'

/** Larger files the server does not take. */
const maxFileBytes = 25 * 1024 ** 2

/** Adds files to those that are sent next. Which are too large is told at once. */
export function chooseFiles(roomId: string, files: Iterable<File>): void {
  const all = [...files]
  const tooLarge = all.filter(({ size }) => size > maxFileBytes)
  addFiles(
    roomId,
    all.filter((each) => !tooLarge.includes(each)),
  )
  if (tooLarge.length === 0) return
  const names = listed(tooLarge.map(({ name }) => name))
  openDialog(t().files, <p>{t().tooLarge(names, sizeText(maxFileBytes))}</p>)
}
