import { useEffect, useRef } from 'preact/hooks'
import { Icon } from '../shell/icon.tsx'
import { t } from '../texts/texts.ts'
import { chooseFiles } from './choose-files.tsx'
import { focusComposer } from './composer-focus.ts'

/** Chooses files for a room: by the button, or dropped anywhere on the page. */
export function FileButton({ roomId }: { roomId: string }) {
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    const over = (event: DragEvent) => {
      if (event.dataTransfer?.types.includes('Files')) event.preventDefault()
    }
    const drop = (event: DragEvent) => {
      const { files } = event.dataTransfer ?? {}
      // Above a dialog one drops something else.
      if (!files || files.length === 0 || document.querySelector('dialog[open]')) return
      event.preventDefault()
      chooseFiles(roomId, files)
      focusComposer()
    }
    addEventListener('dragover', over)
    addEventListener('drop', drop)
    return () => {
      removeEventListener('dragover', over)
      removeEventListener('drop', drop)
    }
  }, [roomId])
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={t().attach}
        onChange={(event) => {
          chooseFiles(roomId, event.currentTarget.files ?? [])
          event.currentTarget.value = ''
          focusComposer()
        }}
      />
      <button type="button" class="plain" aria-label={t().attach} onClick={() => input.current?.click()}>
        <Icon name="attach" />
      </button>
    </>
  )
}
