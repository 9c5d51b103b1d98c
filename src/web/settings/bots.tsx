import type { Answer } from '../../client/operations.ts'
import { api } from '../session.ts'
import { openConfirmation } from '../shell/confirmation.tsx'

import { closeDialog, openDialog } from '../shell/dialog.tsx'
import { Field, Form } from '../shell/form.tsx'
import { Picture } from '../shell/picture.tsx'
import { openSecret } from '../shell/secret.tsx'
import { useLoaded } from '../shell/use-loaded.ts'
import { st } from '../texts/settings.ts'
import { t } from '../texts/texts.ts'

type Bot = Answer<'listBots'>[number]
type Values = Record<string, string>

/** The bots that one has made. A token is shown once, when it is made. */
export function BotSettings() {
  const { value: bots = [], failure, reload } = useLoaded(() => api.call('listBots'))

  const create = async ({ username = '', name = '' }: Values) => {
    const { token } = await api.call('createBot', { body: { username: username.trim(), name } })
    showToken(name, token)
    await reload()
  }
  return (
    <>
      <section>
        <h2>{st().bots}</h2>
        {failure !== '' && <p role="alert">{failure}</p>}

        {bots.length === 0 && <p class="muted">{st().noBots}</p>}
        <ul class="rows">
          {bots.map((bot) => (
            <BotRow key={bot.user.id} bot={bot} reload={reload} />
          ))}
        </ul>
      </section>
      <section>
        <h2>{st().createBot}</h2>
        <Form action={st().createBot} submit={create} clears>
          <Field label={st().botName} name="name" maxLength={64} autocomplete="off" />
          <Field label={t().username} name="username" hint={t().usernameHint} autocomplete="off" />
        </Form>
      </section>
    </>
  )
}

function showToken(name: string, token: string): void {
  openSecret(st().tokenOf(name), { label: st().token, value: token, hint: st().tokenHint })
}

function BotRow({ bot, reload }: { bot: Bot; reload: () => Promise<void> }) {
  const { id, name, username } = bot.user
  const edit = () => {
    const submit = async ({ name: next = '', isPublic }: Values) => {
      await api.call('editBot', { params: { id }, body: { name: next, public: isPublic === 'on' } })
      closeDialog()
      await reload()
    }
    openDialog(st().editBot, <EditBot bot={bot} submit={submit} />)
  }
  const rotate = async () => {
    const { token } = await api.call('rotateBotToken', { params: { id } })
    showToken(name, token)
  }
  const remove = async () => {
    await api.call('deleteBot', { params: { id } })
    await reload()
  }
  return (
    <li class="person">
      <Picture of={bot.user} kind="users" size="large" />
      <span class="cut">
        <bdi>{name}</bdi> <span class="muted">@{username}</span>
      </span>
      <button type="button" aria-label={`${t().edit}: ${name}`} onClick={edit}>
        {t().edit}
      </button>
      <button
        type="button"
        aria-label={`${st().newToken}: ${name}`}
        onClick={() => openConfirmation(st().newToken, st().newTokenSure(name), rotate)}
      >
        {st().newToken}
      </button>
      <button
        type="button"
        aria-label={`${t().remove}: ${name}`}
        onClick={() => openConfirmation(st().deleteBot, st().deleteBotSure(name), remove)}
      >
        {t().remove}
      </button>
    </li>
  )
}

function EditBot({ bot, submit }: { bot: Bot; submit: (values: Values) => Promise<void> }) {
  return (
    <Form action={st().saveChanges} submit={submit}>
      <Field label={st().botName} name="name" value={bot.user.name} maxLength={64} autocomplete="off" />
      <label class="check">
        <input type="checkbox" name="isPublic" defaultChecked={bot.public} /> {st().othersMayAdd}
      </label>
    </Form>
  )
}
