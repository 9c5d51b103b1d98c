import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { requestAllMembers } from '../connection.ts'
import type { Room } from '../state/state.ts'
import { type Candidate, candidatesFor } from './candidates.ts'
import { type BegunWord, begunWord } from './completion.ts'
import { loadEmoji } from './emoji.ts'
import { replaceText } from './field-text.ts'
import { useTypedEmoji } from './use-typed-emoji.ts'

type Field = { current: HTMLTextAreaElement | null }

/** Completes people, rooms and emoji in a field. */
export function useCompletion(field: Field, room: Room) {
  const listId = useId()
  const word = useSignal<BegunWord | undefined>(undefined)
  const active = useSignal(0)
  const candidates = word.value ? candidatesFor(word.value, room) : []
  const index = Math.min(active.value, candidates.length - 1)
  const emoji = useTypedEmoji(field)

  /** To be called after the text or the caret has changed. */
  const look = () => {
    const { value = '', selectionStart = 0, selectionEnd = 0 } = field.current ?? {}
    const next = selectionStart === selectionEnd ? begunWord(value, selectionStart) : undefined
    if (next?.trigger === word.peek()?.trigger && next?.query === word.peek()?.query) return
    if (next?.trigger === '@' && room.house_id !== null) requestAllMembers(room.house_id)
    if (next?.trigger === ':') loadEmoji().catch(() => {})
    word.value = next
    active.value = 0
  }
  const close = () => {
    word.value = undefined
  }
  /** Puts a text where the caret is, or between two places. */
  const insert = (text: string, start?: number, end?: number) => {
    const element = field.current
    if (!element) return
    replaceText(element, start ?? element.selectionStart, end ?? element.selectionEnd, text)
    close()
  }
  const choose = (candidate: Candidate) => {
    if (word.value) insert(`${candidate.insert} `, word.value.start, word.value.end)
  }
  /** Whether the key was for the list. */
  const onKey = (event: KeyboardEvent): boolean => {
    const chosen = candidates[index]
    if (!chosen) return false
    if (event.key === 'ArrowDown') active.value = (index + 1) % candidates.length
    else if (event.key === 'ArrowUp') active.value = (index + candidates.length - 1) % candidates.length
    else if (event.key === 'Tab' || (event.key === 'Enter' && !event.shiftKey)) choose(chosen)
    else if (event.key === 'Escape') close()
    else return false
    event.preventDefault()
    event.stopPropagation()
    return true
  }
  return { listId, candidates, index, emoji, look, close, choose, onKey, insert }
}

/** The id of an option, for who listens. */
export function optionId(listId: string, index: number): string {
  return `${listId}-${index}`
}
