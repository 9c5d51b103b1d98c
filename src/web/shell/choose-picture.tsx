import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'

type ChoosePictureProps = {
  /** On the button. */
  label: string
  /** Gets the picture as a data URL. */
  choose: (picture: string) => Promise<void>
  /** What is shown beside the button. */
  children: ComponentChildren
}

/** A picture and a button that takes another one from this device. */
export function ChoosePicture({ label, choose, children }: ChoosePictureProps) {
  const input = useRef<HTMLInputElement>(null)
  const take = async (event: Event) => {
    const field = event.currentTarget as HTMLInputElement
    const file = field.files?.[0]
    if (file) await choose(await asDataUrl(file))
    // The same file can be chosen again.
    field.value = ''
  }
  return (
    <div class="row">
      {children}
      <input ref={input} type="file" accept="image/*" hidden onChange={take} aria-label={label} />
      <button type="button" onClick={() => input.current?.click()}>
        {label}
      </button>
    </div>
  )
}

function asDataUrl(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(file)
  })
}
