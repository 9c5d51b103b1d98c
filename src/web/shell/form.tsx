import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useId, useRef } from 'preact/hooks'
import { errorText } from '../texts/texts.ts'
import { useFocusWhenShown } from './use-focus-when-shown.ts'

type FormProps = {
  /** On its button. */
  action: string
  /** Gets what was typed, by name. What it throws is shown. */
  submit: (values: Record<string, string>) => Promise<void>
  children: ComponentChildren
  /** Beside the button. */
  more?: ComponentChildren
  /** Said once it is done, where the form stays. */
  done?: string
  /** By the code of an error, where it means something else than everywhere. */
  errors?: Record<string, string>
  /** Empties its fields once it is done. */
  clears?: boolean
  isDangerous?: boolean
}

/** A form that shows what went wrong, and cannot be sent twice at once. */
export function Form({ action, submit, children, more, done, ...rest }: FormProps) {
  const { errors, clears, isDangerous = false } = rest
  const failure = useSignal('')
  const isDone = useSignal(false)
  const isBusy = useSignal(false)
  const form = useRef<HTMLFormElement>(null)

  const send = async (event: Event) => {
    event.preventDefault()
    if (isBusy.value || !form.current) return
    isBusy.value = true
    failure.value = ''
    isDone.value = false
    const values = [...new FormData(form.current)].map(([name, value]) => [name, String(value)])
    await submit(Object.fromEntries(values)).then(
      () => {
        isDone.value = true
        if (clears) form.current?.reset()
      },
      (error: unknown) => {
        failure.value = errorText(error, errors)
      },
    )
    isBusy.value = false
  }

  return (
    <form ref={form} onSubmit={send} class="form">
      {children}
      {failure.value !== '' && (
        <p class="failure" role="alert">
          {failure.value}
        </p>
      )}
      <div class="form-end">
        <button type="submit" class={isDangerous ? 'dangerous' : 'primary'} aria-busy={isBusy.value}>
          {action}
        </button>
        {more}
      </div>
      {done !== undefined && <p role="status">{isDone.value && done}</p>}
    </form>
  )
}

type FieldProps = {
  label: string
  name: string
  type?: 'text' | 'email' | 'password'
  hint?: string
  autocomplete?: string
  value?: string
  isFocused?: boolean
  isOptional?: boolean
  maxLength?: number
}

/** A labelled field. What the server checks is left to it: here a field is only filled or not. */
export function Field({ label, name, type = 'text', hint, autocomplete, value, ...more }: FieldProps) {
  const id = useId()
  const { isFocused = false, isOptional = false, maxLength } = more
  const input = useFocusWhenShown<HTMLInputElement>(isFocused)
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        ref={input}
        id={id}
        name={name}
        // Preact types the roles of inputs by their type; these three have the same.
        type={type as 'text'}
        // biome-ignore lint/a11y/noAutofocus: a dialog focuses this field when it opens
        autoFocus={isFocused}
        required={!isOptional}
        defaultValue={value}
        autocomplete={autocomplete}
        autocapitalize="none"
        spellcheck={false}
        aria-describedby={hint ? `${id}-hint` : undefined}
        maxLength={maxLength}
      />
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  )
}
