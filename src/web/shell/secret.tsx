import { CopyField } from './copy-field.tsx'
import { openDialog } from './dialog.tsx'

type Secret = { label: string; value: string; hint: string }

/** Shows a secret that is shown only once, until one closes the dialog. */
export function openSecret(title: string, secret: Secret): void {
  openDialog(title, <CopyField {...secret} />)
}
