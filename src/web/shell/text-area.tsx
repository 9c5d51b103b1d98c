import { useId } from 'preact/hooks'

type TextAreaProps = { label: string; name: string; value?: string | undefined; maxLength: number }

/** A labelled field of several lines, which may stay empty. */
export function TextArea({ label, name, value, maxLength }: TextAreaProps) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea id={id} name={name} rows={4} maxLength={maxLength} defaultValue={value ?? ''} />
    </div>
  )
}
