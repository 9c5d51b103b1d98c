import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'

/** A block of code. Its colours come once the highlighter is loaded; its size is the same before. */
export function CodeBlock({ text, language }: { text: string; language: string }) {
  const coloured = useSignal<ComponentChildren>(undefined)
  useEffect(() => {
    let isCurrent = true
    coloured.value = undefined
    if (language !== '') {
      import('./highlight.tsx')
        .then(({ highlightInTurn }) => highlightInTurn(text, language, () => isCurrent))
        .then((result) => {
          if (isCurrent) coloured.value = result
        })
        // Without the highlighter it stays as it is.
        .catch(() => {})
    }
    return () => {
      isCurrent = false
    }
  }, [text, language])
  return (
    <pre dir="ltr">
      <code>{coloured.value ?? text}</code>
    </pre>
  )
}
