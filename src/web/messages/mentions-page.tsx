import { useRef } from 'preact/hooks'
import { normalizeMessage } from '../../client/messages.ts'
import { api } from '../session.ts'
import { More } from '../shell/more.tsx'
import { Page } from '../shell/page.tsx'
import { usePages } from '../shell/use-pages.ts'
import type { Message } from '../state/state.ts'
import { t } from '../texts/texts.ts'
import { Hit } from './hit.tsx'

const limit = 50

/** Where one was mentioned, newest first. */
export function MentionsPage() {
  const list = useRef<HTMLUListElement>(null)
  const pages = usePages<Message>(limit, async (last) => {
    const query = { limit, ...(last && { before: last.id }) }
    return (await api.call('listOwnMentions', { query })).map(normalizeMessage)
  })
  const { items: messages, failure } = pages
  return (
    <Page title={t().mentions}>
      <div class="page-body">
        {failure !== '' && <p role="alert">{failure}</p>}
        {messages?.length === 0 && <p class="blank muted">{t().noMentions}</p>}
        <ul ref={list} class="hits">
          {messages?.map((message) => (
            <Hit key={message.id} message={message} namesHouse />
          ))}
        </ul>
        <More of={pages} list={list} />
      </div>
    </Page>
  )
}
