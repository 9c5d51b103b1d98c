import { openDialog } from './dialog.tsx'
import { Form } from './form.tsx'

/** Asks before something that cannot be undone. What it leads to may open another dialog. */
export function openConfirmation(action: string, text: string, submit: () => Promise<unknown>): void {
  const confirm = async () => {
    await submit()
    close()
  }
  const close = openDialog(
    action,
    <Form action={action} submit={confirm} isDangerous>
      <p>{text}</p>
    </Form>,
  )
}
