import { closeDialog, openDialog } from './dialog.tsx'
import { Form } from './form.tsx'

/** Asks before something that cannot be undone. */
export function openConfirmation(action: string, text: string, submit: () => Promise<unknown>): void {
  const confirm = async () => {
    await submit()
    closeDialog()
  }
  openDialog(
    action,
    <Form action={action} submit={confirm} isDangerous>
      <p>{text}</p>
    </Form>,
  )
}
