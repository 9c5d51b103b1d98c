import { useSignal } from '@preact/signals'
import { announce } from '../shell/announcement.tsx'
import { closeDialog, openDialog } from '../shell/dialog.tsx'
import { Icon } from '../shell/icon.tsx'
import { lazy } from '../shell/lazy.tsx'
import type { Message } from '../state/state.ts'
import { listed } from '../texts/isolation.ts'
import { errorText, plural, t } from '../texts/texts.ts'
import { EmojiGrid } from './emoji-picker.tsx'
import { useLongPress } from './long-press.ts'
import { asReaction, listReactors, mayReact, mayReactAnew, react } from './reacting.ts'

/** So many of them where one only points at a reaction. */
const mostInHint = 10

type Reaction = NonNullable<Message['reactions']>[number]

/** The reactions to a message, with a button for each, and one for another. */
export function Reactions({ message }: { message: Message }) {
  const { reactions = [] } = message
  if (reactions.length === 0) return null
  const canReact = mayReact(message)
  return (
    <fieldset class="reactions" aria-label={t().reactions}>
      {reactions.map((reaction) => (
        <ReactionButton key={reaction.emoji} message={message} reaction={reaction} canReact={canReact} />
      ))}
      {mayReactAnew(message) && (
        <button
          type="button"
          class="reaction"
          aria-label={t().addReaction}
          title={t().addReaction}
          aria-haspopup="dialog"
          onClick={() => openReact(message)}
        >
          <Icon name="react" />
        </button>
      )}
    </fieldset>
  )
}

type ButtonProps = { message: Message; reaction: Reaction; canReact: boolean }

/** Who points at it is told who reacted, and so is a finger that rests on it; who may not react can only look. */
function ReactionButton({ message, reaction, canReact }: ButtonProps) {
  const { emoji, count, me } = reaction
  const names = useSignal<string | undefined>(undefined)
  const press = useLongPress(() => openReactors(message))
  const name = () => {
    listReactors(message, emoji, { limit: mostInHint }).then(
      (found) => {
        const more = count > found.length ? '…' : ''
        names.value = listed(found.map((each) => each.name)) + more
      },
      () => {},
    )
  }
  const label = plural(t().reactedWith, count).replace('{emoji}', emoji)
  return (
    <button
      type="button"
      class="reaction"
      aria-pressed={me}
      aria-label={label}
      title={names.value}
      disabled={!canReact}
      onPointerEnter={name}
      onFocus={name}
      onClick={() => attempt(react(message, emoji, !me))}
      {...press}
    >
      <span aria-hidden="true">{emoji}</span>
      <span class="reaction-count">{count}</span>
    </button>
  )
}

/** Says that a reaction is as it was before, and why. */
function attempt(reacting: Promise<void>): void {
  reacting.catch((error: unknown) => {
    announce(`${t().reactionFailed} ${errorText(error)}`, { isFailure: true })
  })
}

/** Lets one choose an emoji to react with. */
export function openReact(message: Message): void {
  const choose = (text: string) => {
    closeDialog()
    attempt(react(message, asReaction(text), true))
  }
  openDialog(t().addReaction, <EmojiGrid choose={choose} />, 'sheet')
}

/** Shows who reacted to a message, emoji by emoji. */
export function openReactors(message: Message): void {
  openDialog(t().whoReacted, <Reactors message={message} />, 'sheet')
}

const Reactors = lazy(() => import('./reactors.tsx').then(({ Reactors: List }) => List))
