import { usePages } from '../shell/use-pages.ts'
import type { Message, User } from '../state/state.ts'
import { listed } from '../texts/isolation.ts'
import { t } from '../texts/texts.ts'
import { listReactors } from './reacting.ts'

/** So many people are named at first for each emoji, and so many more each time one asks. */
const limit = 100

type Reactor = Pick<User, 'id' | 'name'>
type Reaction = NonNullable<Message['reactions']>[number]

/** Who reacted to a message, emoji by emoji. */
export function Reactors({ message }: { message: Message }) {
  return (
    <dl class="reactors">
      {(message.reactions ?? []).map((reaction) => (
        <ReactorsWith key={reaction.emoji} message={message} reaction={reaction} />
      ))}
    </dl>
  )
}

function ReactorsWith({ message, reaction }: { message: Message; reaction: Reaction }) {
  const { emoji, count } = reaction
  const { items, hasMore, failure, more } = usePages<Reactor>(limit, (last) =>
    listReactors(message, emoji, { limit, before: last?.id }),
  )
  const names = items?.map(({ name }) => name)
  return (
    <div>
      <dt>
        {emoji} {count}
      </dt>
      <dd dir="auto">
        {failure === '' ? names ? listed(names) : t().loading : <span role="alert">{failure}</span>}{' '}
        {hasMore && names && names.length < count && (
          <button type="button" class="link" onClick={more}>
            {t().more}
          </button>
        )}
      </dd>
    </div>
  )
}
