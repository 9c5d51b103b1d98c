import { useRef } from 'preact/hooks'
import { typedEmojiChoice } from '../settings/typed-emoji.ts'
import { allEmoji, loadEmoji } from './emoji.ts'
import { replaceText } from './field-text.ts'
import { type Typed, typedBefore } from './typed-emoji.ts'

type Field = { readonly current: HTMLTextAreaElement | null }
/** The last replacement: what was typed, its emoji, and the text and caret after it. */
type Change = { start: number; typed: string; emoji: string; text: string; caret: number }

const byTyping = new Set(['insertText', 'insertLineBreak', 'insertParagraph', 'insertFromComposition'])

/** Replaces typed names and emoticons in a field by emoji. Undo, or Backspace as the next key, restores them. */
export function useTypedEmoji(field: Field) {
  const last = useRef<Change | undefined>(undefined)
  /** Start of a restored name or emoticon, which is not replaced again. */
  const kept = useRef<number | undefined>(undefined)
  const isReplacing = useRef(false)
  /** Whether the last change was typing: pasted text and drafts are not replaced. */
  const isTyped = useRef(false)

  const replace = (element: HTMLTextAreaElement, start: number, end: number, text: string) => {
    const caret = element.selectionStart + text.length - (end - start)
    isReplacing.current = true
    replaceText(element, start, end, text)
    isReplacing.current = false
    element.setSelectionRange(caret, caret)
    return caret
  }
  const change = (element: HTMLTextAreaElement, found: Typed) => {
    const { start, end } = found
    const emoji = emojiOf(found)
    if (emoji === undefined) return
    const typed = element.value.slice(start, end)
    const caret = replace(element, start, end, emoji)
    last.current = { start, typed, emoji, text: element.value, caret }
  }
  /** Puts the caret back to where it was: behind the space, if one ended the emoticon. */
  const undone = ({ start, typed, emoji, caret }: Change) => {
    const before = caret + typed.length - emoji.length
    field.current?.setSelectionRange(before, before)
    kept.current = start
  }
  const look = (isFinished = false) => {
    const element = field.current
    if (!element || typedEmojiChoice.peek() === 'off') return
    const { value, selectionStart } = element
    if (isFinished && value.slice(selectionStart).trim() !== '') return
    const found = typedBefore(value, selectionStart, isFinished)
    if (!found || found.start === kept.current) return
    if (!('name' in found) || allEmoji.peek().length > 0) return change(element, found)
    const isThere = () => element.value.startsWith(value.slice(0, found.end))
    loadEmoji().then(
      () => isThere() && element.selectionStart >= found.end && change(element, found),
      () => {},
    )
  }
  return {
    /** Replaces an emoticon at the end of the message, before it is sent. */
    finish: () => isTyped.current && look(true),
    onCompositionEnd(): void {
      isTyped.current = true
      look()
    },
    onInput(event: InputEvent): void {
      if (isReplacing.current) return
      if (last.current && event.inputType === 'historyUndo') undone(last.current)
      last.current = undefined
      if (field.current?.value === '') kept.current = undefined
      isTyped.current = !event.isComposing && byTyping.has(event.inputType)
      if (isTyped.current) look()
    },
    onBeforeInput(event: InputEvent): void {
      const [element, change] = [field.current, last.current]
      if (event.inputType !== 'deleteContentBackward' || !element || !change) return
      const { start, typed, emoji, text, caret } = change
      const isRightAfter = element.selectionStart === caret && element.selectionEnd === caret
      if (element.value !== text || !isRightAfter) return
      event.preventDefault()
      replace(element, start, start + emoji.length, typed)
      kept.current = start
      last.current = undefined
    },
  }
}

function emojiOf(found: Typed): string | undefined {
  if ('emoji' in found) return found.emoji
  return allEmoji.peek().find(({ names }) => names.includes(found.name))?.text
}
