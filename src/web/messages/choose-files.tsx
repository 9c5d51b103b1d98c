import { openDialog } from '../shell/dialog.tsx'
import { listed } from '../texts/isolation.ts'
import { sizeText } from '../texts/sizes.ts'
import { t } from '../texts/texts.ts'
import { addFiles } from './uploads.ts'

/** Larger files the server does not take. */
const maxFileBytes = 25 * 1024 ** 2

/** Adds files to those that are sent next. A dialog names the empty and the too large ones, which are left out. */
export function chooseFiles(roomId: string, files: Iterable<File>): void {
  const all = [...files]
  const empty = all.filter(({ size }) => size === 0)
  const tooLarge = all.filter(({ size }) => size > maxFileBytes)
  const refused = [...empty, ...tooLarge]
  addFiles(
    roomId,
    all.filter((each) => !refused.includes(each)),
  )
  if (refused.length === 0) return
  openDialog(
    t().files,
    <>
      {empty.length > 0 && <p>{t().emptyFiles(namesOf(empty))}</p>}
      {tooLarge.length > 0 && <p>{t().tooLarge(namesOf(tooLarge), sizeText(maxFileBytes))}</p>}
    </>,
  )
}

function namesOf(files: readonly File[]): string {
  return listed(files.map(({ name }) => name))
}
