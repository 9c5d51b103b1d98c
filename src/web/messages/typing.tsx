import { useEffect } from 'preact/hooks'
import { put } from '../state/records.ts'
import { change, store } from '../state/store.ts'
import { t } from '../texts/texts.ts'
import { isBlocked } from './blocked.tsx'

/** Who is typing in a room. */
export function Typing({ roomId }: { roomId: string }) {
  const typing = store.typing.value[roomId] ?? {}
  useEffect(() => {
    const until = Math.min(...Object.values(typing))
    if (!Number.isFinite(until)) return
    const timer = setTimeout(() => endTyping(roomId), Math.max(0, until - Date.now()))
    return () => clearTimeout(timer)
  }, [typing])
  return (
    <p class="typing muted">
      {typingText(
        Object.keys(typing)
          .filter((id) => !isBlocked(id))
          .map((id) => store.users.value[id]?.name ?? '…'),
      )}
    </p>
  )
}

function endTyping(roomId: string): void {
  const typing = store.typing.peek()
  const left = Object.entries(typing[roomId] ?? {}).filter(([, until]) => until > Date.now())
  change({ typing: put(typing, roomId, Object.fromEntries(left)) })
}

function typingText([first, second, third]: string[]): string {
  if (first === undefined) return ''
  if (second === undefined) return t().typingOne(first)
  return third === undefined ? t().typingTwo(first, second) : t().typingMany
}
