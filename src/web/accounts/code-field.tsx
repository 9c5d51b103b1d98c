import { useSignal } from '@preact/signals'
import { ApiError } from '../../client/errors.ts'
import { Field } from '../shell/form.tsx'
import { useSendsMail } from '../shell/sends-mail.ts'
import { t } from '../texts/texts.ts'

/** The code of the link in a mail, until it proves wrong: another one may be typed then. */
export function useLinkedCode(code: string | undefined) {
  const linked = useSignal(code)
  /** Waits for the request that uses the code, and fails as that does. */
  const use = (request: Promise<unknown>) =>
    request.catch((error: unknown) => {
      if (error instanceof ApiError && error.code === 'invalid_code') linked.value = undefined
      throw error
    })
  return { code: linked.value, use }
}

/** A field for the code of a mail, unless its link had it. */
export function CodeField({ code }: { code: string | undefined }) {
  const sendsMail = useSendsMail()
  if (code !== undefined) return <input type="hidden" name="code" value={code} />
  const hint = sendsMail === false ? t().noMail : t().codeHint
  return <Field label={t().code} name="code" hint={hint} autocomplete="one-time-code" isFocused />
}
