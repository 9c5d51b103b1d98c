import { openPerson } from '../houses/person.tsx'
import { pathOf } from '../places.ts'
import { placeOf } from '../rooms/rooms.ts'
import { announce } from '../shell/announcement.tsx'
import { CopyField } from '../shell/copy-field.tsx'
import { closeDialog, openDialog } from '../shell/dialog.tsx'
import { Form } from '../shell/form.tsx'
import { Icon, type IconName } from '../shell/icon.tsx'
import { hasMouse } from '../shell/media.ts'
import { moveInMenu } from '../shell/menu-keys.ts'
import type { Message } from '../state/state.ts'
import { store } from '../state/store.ts'
import { t } from '../texts/texts.ts'
import { focusComposer } from './composer-focus.ts'
import { beginEdit, deleteMessage, isOwn, mayDelete } from './editing.ts'
import { mayPin } from './pinning.ts'
import { togglePin } from './pins.tsx'
import { mayReact, mayReactAnew } from './reacting.ts'
import { openReact, openReactors } from './reactions.tsx'
import { asRead } from './references.ts'
import { replyTo } from './replying.ts'

type Action = { label: string; icon: IconName; act: () => void }

/** What one may do with a message. What one may not do is absent. */
function actionsOn(message: Message): Action[] {
  const { content, pinned } = message
  const edit = () => beginEdit(message)
  const reply = () => {
    replyTo(message)
    focusComposer()
  }
  const copyText = () => void copy(t().copyText, asRead(content, message.mentions))
  const copyLink = () => void copy(t().copyLink, linkTo(message))
  return [
    ...(mayReact(message) ? [{ label: t().reply, icon: 'reply', act: reply } as const] : []),
    ...(mayReactAnew(message)
      ? [{ label: t().addReaction, icon: 'react', act: () => openReact(message) } as const]
      : []),
    ...(isOwn(message) ? [{ label: t().edit, icon: 'edit', act: edit } as const] : []),
    ...(content === '' ? [] : [{ label: t().copyText, icon: 'copy', act: copyText } as const]),
    { label: t().copyLink, icon: 'link', act: copyLink },
    ...(mayPin(message.room_id)
      ? [{ label: pinned ? t().unpin : t().pin, icon: 'pin', act: () => togglePin(message) } as const]
      : []),
    ...(mayDelete(message)
      ? [{ label: t().remove, icon: 'remove', act: () => openDeleteMessage(message) } as const]
      : []),
  ]
}

type BarProps = { message: Message; author: string; openMenu: () => void }

/** The actions as a bar, for who points at the message, and the way to the menu with all that there are. */
export function MessageActions({ message, author, openMenu }: BarProps) {
  const more: Action = { label: t().moreActions, icon: 'more', act: openMenu }
  return (
    <fieldset class="actions" aria-label={t().actionsOf(author)}>
      {[...actionsOn(message), more].map(({ label, icon, act }) => (
        <button
          key={icon}
          type="button"
          class="plain"
          tabIndex={-1}
          aria-label={label}
          title={label}
          onClick={act}
        >
          <Icon name={icon} />
        </button>
      ))}
    </fieldset>
  )
}

/** The same above the page, with names, for who has only keys or a finger. */
export function openMessageMenu(message: Message, author: Message['author']): void {
  const houseId = store.rooms.peek()[message.room_id]?.house_id ?? null
  const about: Action = {
    label: t().aboutPerson(author.name),
    icon: 'members',
    act: () => openPerson(author, houseId),
  }
  const who: Action = { label: t().whoReacted, icon: 'emoji', act: () => openReactors(message) }
  const isReactedTo = (message.reactions ?? []).length > 0
  const actions = [...actionsOn(message), ...(isReactedTo ? [who] : []), about]
  openDialog(t().actionsOf(author.name), <MessageMenu actions={actions} />, 'sheet')
}

function MessageMenu({ actions }: { actions: readonly Action[] }) {
  return (
    <div class="sheet-items" role="menu" aria-label={t().actions} tabIndex={-1} onKeyDown={moveInMenu}>
      {actions.map(({ label, icon, act }, index) => (
        <button
          key={icon}
          type="button"
          class="plain"
          role="menuitem"
          // biome-ignore lint/a11y/noAutofocus: one opened the menu to choose
          autoFocus={index === 0}
          onClick={() => {
            closeDialog()
            // The focus comes back first, and the action may take it then.
            setTimeout(act)
          }}
        >
          <Icon name={icon} />
          <bdi>{label}</bdi>
        </button>
      ))}
    </div>
  )
}

/** Takes a text along. Where the page may not write to the clipboard, it is shown to be copied by hand. */
export async function copy(label: string, text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    announce(t().copied)
  } catch {
    openDialog(label, <CopyField label={label} value={text} />)
  }
}

function linkTo({ id, room_id }: Message): string {
  const house_id = store.rooms.peek()[room_id]?.house_id ?? null
  return location.origin + pathOf(placeOf({ id: room_id, house_id }, id))
}

export function openDeleteMessage(message: Message): void {
  const submit = async () => {
    await deleteMessage(message)
    closeDialog()
    // The focus comes back to the message first, which goes.
    if (hasMouse.peek()) setTimeout(focusComposer)
  }
  openDialog(
    t().deleteMessage,
    <Form action={t().remove} submit={submit} isDangerous>
      <p>{t().deleteMessageSure}</p>
    </Form>,
  )
}
