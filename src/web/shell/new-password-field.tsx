import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { Input } from '../../client/operations.ts'
import { api } from '../session.ts'
import { t } from '../texts/texts.ts'
import { Field } from './form.tsx'

/** In ms: what is typed faster is asked about once. */
const pauseMs = 300
const leastLength = 8

type Names = Omit<Input<'checkPassword'>['body'], 'password'>

type NewPasswordFieldProps = { label: string; of?: Names; isFocused?: boolean }

/** A field for a new password, which says while somebody types that it is one that others guess. `of`: whose it is. */
export function NewPasswordField({ label, of, isFocused = false }: NewPasswordFieldProps) {
  const isGuessable = useSignal(false)
  const asked = useRef<{ timer: ReturnType<typeof setTimeout>; abort: AbortController } | undefined>(
    undefined,
  )
  const stop = () => {
    clearTimeout(asked.current?.timer)
    asked.current?.abort.abort()
  }
  useEffect(() => stop, [])

  const look = ({ target }: Event) => {
    stop()
    isGuessable.value = false
    const { value, form } = target as HTMLInputElement
    if ([...value].length < leastLength || !form) return
    const abort = new AbortController()
    const timer = setTimeout(async () => {
      const body = { password: value, ...namesIn(form, of) }
      const { signal } = abort
      // The server says it at the end in any case.
      const answer = await api
        .call('checkPassword', { body, signal, rateLimitWaitMs: 0 })
        .catch(() => undefined)
      if (!signal.aborted) isGuessable.value = answer?.accepted === false
    }, pauseMs)
    asked.current = { timer, abort }
  }

  return (
    <div class="field" onInput={look}>
      <Field
        label={label}
        name="password"
        type="password"
        hint={t().passwordHint}
        autocomplete="new-password"
        isFocused={isFocused}
      />
      <p class="failure" role="status">
        {isGuessable.value && t().passwordGuessable}
      </p>
    </div>
  )
}

/** The names of an account that are known, or typed beside the password. */
function namesIn(form: HTMLFormElement, of: Names = {}): Names {
  const typed = new FormData(form)
  const username = of.username ?? String(typed.get('username') ?? '')
  const email = of.email ?? String(typed.get('email') ?? '')
  return { username, email, ...(of.name !== undefined && { name: of.name }) }
}
