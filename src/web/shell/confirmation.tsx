import { useSignal } from '@preact/signals'
import { t } from '../texts/texts.ts'
import { openDialog } from './dialog.tsx'
import { Field, Form } from './form.tsx'

type Confirmation = {
  /** On the button, and above the question. */
  action: string
  /** What is lost. */
  text: string
  submit: () => Promise<unknown>
  /** What has to be typed first, where more is lost than one can see. */
  typed?: string
  /** Closes the dialog. */
  close: () => void
}

/** Asks before something that cannot be undone. What it leads to may open another dialog. */
export function openConfirmation(
  action: string,
  text: string,
  submit: () => Promise<unknown>,
  { typed }: Pick<Confirmation, 'typed'> = {},
): void {
  const close = openDialog(
    action,
    <Question
      action={action}
      text={text}
      submit={submit}
      close={() => close()}
      {...(typed !== undefined && { typed })}
    />,
  )
}

function Question({ action, text, submit, typed, close }: Confirmation) {
  const isOther = useSignal(false)
  const confirm = async ({ name = '' }: Record<string, string>) => {
    isOther.value = typed !== undefined && words(name) !== words(typed)
    if (isOther.value) return
    await submit()
    close()
  }
  return (
    <Form action={action} submit={confirm} isDangerous>
      <p>{text}</p>
      {typed !== undefined && (
        <Field label={t().typeToConfirm(typed)} name="name" autocomplete="off" isFocused />
      )}
      {isOther.value && (
        <p class="failure" role="alert">
          {t().typedOther(typed ?? '')}
        </p>
      )}
    </Form>
  )
}

/** A text without what the eye does not see: spaces around it and more than one between words, and how its accents are coded. */
function words(text: string): string {
  return text.normalize('NFKC').trim().replace(/\s+/g, ' ')
}
