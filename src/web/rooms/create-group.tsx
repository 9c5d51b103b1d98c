import { go } from '../router.ts'
import { api } from '../session.ts'
import { closeDialog, openDialog } from '../shell/dialog.tsx'
import { Field, Form } from '../shell/form.tsx'
import { t } from '../texts/texts.ts'
import { FriendChoice, listFriends, readFriends } from './friend-choice.tsx'

/** Asks whom of one's friends to have in a group, and goes to it. */
export function openCreateGroup(): void {
  const submit = async ({ name = '', ...ticked }: Record<string, string>) => {
    const recipients = readFriends(ticked)
    const trimmed = name.trim()
    const body = { recipients, ...(trimmed !== '' && { name: trimmed }) }
    const { id } = await api.call('createPrivateRoom', { body })
    closeDialog()
    go({ name: 'private', roomId: id })
  }
  const friends = listFriends()
  const form = (
    <Form action={t().create} submit={submit}>
      <Field label={t().groupName} name="name" autocomplete="off" isFocused isOptional maxLength={64} />
      <FriendChoice label={t().groupPeople} of={friends} />
    </Form>
  )
  openDialog(t().createGroup, friends.length > 0 ? form : <p class="muted">{t().noFriends}</p>)
}
