import { useEffect } from 'preact/hooks'
import { permission } from '../../../houses/permissions.ts'
import { connections, requestAllMembers } from '../../connection.ts'
import { mayRemove } from '../../rooms/permissions.ts'
import { api } from '../../session.ts'
import { openConfirmation } from '../../shell/confirmation.tsx'
import { Field, Form } from '../../shell/form.tsx'
import { Picture } from '../../shell/picture.tsx'
import { useAction } from '../../shell/use-action.tsx'
import { useLoaded } from '../../shell/use-loaded.ts'
import type { House } from '../../state/state.ts'
import { store } from '../../state/store.ts'
import { st } from '../../texts/settings.ts'
import { t } from '../../texts/texts.ts'

/** The bots in a house, and those that can be added: one's own, and public ones by username. */
export function HouseBotSettings({ house }: { house: House }) {
  const { id } = house
  const { value: own = [], failure } = useLoaded(() => api.call('listBots'))
  const { act, notice } = useAction()
  useEffect(() => requestAllMembers(id), [id, connections.value])
  const members = store.members.value[id] ?? {}
  const present = Object.values(members).filter(({ user }) => user.bot)
  const absent = own.filter(({ user }) => !(user.id in members))
  const add = (bot_id: string) => api.call('addBot', { params: { id }, body: { bot_id } })
  const addByName = async ({ username = '' }: Record<string, string>) => {
    const bot = await api.call('getUser', { params: { ref: username.trim() } })
    await add(bot.id)
  }
  const remove = (bot: Bot) =>
    openConfirmation(st().removeBot, t().kickSure(bot.name), () =>
      api.call('kickMember', { params: { id, user_id: bot.id } }),
    )
  return (
    <>
      <section>
        <h2>{st().botsHere}</h2>
        {present.length === 0 && <p class="muted">{st().noBotsHere}</p>}
        <BotList bots={present.map(({ user }) => user)} action={st().removeBot} act={remove}>
          {(bot) => mayRemove(house, bot.id, permission.KICK_MEMBERS)}
        </BotList>
      </section>
      <section>
        <h2>{st().addBot}</h2>
        {failure !== '' && <p role="alert">{failure}</p>}
        {notice}
        <BotList
          bots={absent.map(({ user }) => user)}
          action={st().addBot}
          act={(bot) => act(() => add(bot.id), st().botAdded)}
        >
          {() => true}
        </BotList>
        <Form action={st().addBot} submit={addByName} done={st().botAdded}>
          <Field label={t().username} name="username" hint={st().addBotHint} autocomplete="off" />
        </Form>
      </section>
    </>
  )
}

type Bot = { id: string; name: string; icon: string | null }
type BotListProps = {
  bots: Bot[]
  action: string
  act: (bot: Bot) => void
  /** Which of them it can be done with. */
  children: (bot: Bot) => boolean
}

function BotList({ bots, action, act, children: isOffered }: BotListProps) {
  return (
    <ul class="rows">
      {bots.map((bot) => (
        <li key={bot.id} class="person">
          <Picture of={bot} kind="users" size="large" />
          <span class="cut grows">{bot.name}</span>
          {isOffered(bot) && (
            <button type="button" aria-label={`${action}: ${bot.name}`} onClick={() => act(bot)}>
              {action}
            </button>
          )}
        </li>
      ))}
    </ul>
  )
}
