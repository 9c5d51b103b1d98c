import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import { parseMarkdown } from '../../markdown/markdown.ts'
import type { Token } from '../../markdown/tokens.ts'
import { openPerson } from '../houses/person.tsx'
import { ownPath, placePath } from '../own-addresses.ts'
import { roomName } from '../rooms/rooms.ts'
import type { Message } from '../state/state.ts'
import { store } from '../state/store.ts'
import { t } from '../texts/texts.ts'
import { CodeBlock } from './code-block.tsx'
import { Foldable } from './fold.tsx'
import { codeFoldId } from './folding.ts'
import { hiddenTarget, safeAddress } from './links.ts'
import { visibleText } from './plain-text.ts'
import { roomAt } from './references.ts'

const largeEmoji =
  /^(?:(?:\p{RI}\p{RI}|\p{Extended_Pictographic}(?:\p{Emoji_Modifier}|\uFE0F)?(?:\u200D\p{Extended_Pictographic}(?:\p{Emoji_Modifier}|\uFE0F)*)*)\s*){1,3}$/u

/** `id`: that of the message, or of one on its way. */
type Source = Pick<Message, 'id' | 'room_id' | 'mentions'>

type ContentProps = { id?: string; message: Source & Pick<Message, 'content'> }

/** The text of a message, with its markdown. Whatever is no markdown, HTML too, is text and stays text. */
export function Content({ id, message }: ContentProps) {
  const { content } = message
  const tokens = useMemo(() => parseMarkdown(content), [content])
  if (content === '') return null
  const isEmoji = content.length <= 40 && largeEmoji.test(content)
  return (
    <Foldable id={message.id} kind="message" text={content}>
      <div id={id} class="content" dir="auto" data-emoji={isEmoji ? '' : undefined}>
        {renderAll(tokens, message)}
      </div>
    </Foldable>
  )
}

function renderAll(tokens: readonly Token[], source: Source): ComponentChildren[] {
  return tokens.map((token) => render(token, source))
}

function render(token: Token, source: Source): ComponentChildren {
  switch (token.type) {
    case 'paragraph':
      return <p>{renderAll(token.tokens, source)}</p>
    case 'strong':
      return <strong>{renderAll(token.tokens, source)}</strong>
    case 'em':
      return <em>{renderAll(token.tokens, source)}</em>
    case 'del':
      return <del>{renderAll(token.tokens, source)}</del>
    case 'codespan':
      return <code>{token.text}</code>
    case 'code':
      return renderCode(token, source)
    case 'blockquote':
      return <blockquote>{renderAll(token.tokens, source)}</blockquote>
    case 'list':
      return renderList(token, source)
    case 'link':
      return renderLink(token, source)
    case 'mention':
      return renderMention(token.id, token.raw, source)
    case 'space':
      return token.raw
        .split('\n')
        .slice(2)
        .map(() => <br />)
    case 'literal':
      return token.text
    case 'text':
      return token.tokens ? renderAll(token.tokens, source) : token.raw
  }
}

type Of<Type extends Token['type']> = Extract<Token, { type: Type }>

function renderCode({ text, lang, place }: Of<'code'>, { id }: Source): ComponentChildren {
  return (
    <Foldable id={codeFoldId(id, place.start)} kind="code" text={text}>
      <CodeBlock text={text} language={lang} />
    </Foldable>
  )
}

function renderList({ ordered, start, items }: Of<'list'>, source: Source): ComponentChildren {
  const rows = items.map((item) => <li>{renderAll(item.tokens, source)}</li>)
  return ordered ? <ol start={start}>{rows}</ol> : <ul>{rows}</ul>
}

function renderLink({ href, raw, text, tokens }: Of<'link'>, source: Source): ComponentChildren {
  const place = placePath(href)
  if (place !== undefined) {
    return (
      <a href={place} title={place}>
        {text === href ? <PlaceName address={href} /> : renderAll(tokens, source)}
        <Target text={visibleText(tokens)} href={URL.canParse(href) ? href : location.origin + place} />
      </a>
    )
  }
  const path = ownPath(href)
  const address = safeAddress(path === undefined ? href : location.origin + path)
  if (!address) return raw
  return (
    <a href={address} title={address} target="_blank" rel="noopener noreferrer">
      {renderAll(tokens, source)}
      <Target text={visibleText(tokens)} href={href} />
    </a>
  )
}

/** Where a link leads, if its text says otherwise. */
function Target({ text, href }: { text: string; href: string }) {
  const target = hiddenTarget(text, href)
  return target === undefined ? null : (
    <>
      {' → '}
      <bdi>{target}</bdi>
    </>
  )
}

/** What an address leads to: the name of a room that one knows, else the address. */
function PlaceName({ address }: { address: string }): ComponentChildren {
  const { room, message } = roomAt(address) ?? {}
  if (!room) return address
  const name = room.house_id === null ? roomName(room) : `#${roomName(room)}`
  return <bdi>{message === undefined ? name : t().messageIn(name)}</bdi>
}

function renderMention(id: string, raw: string, { room_id, mentions }: Source): ComponentChildren {
  const user = store.users.value[id] ?? mentions.find((each) => each.id === id)
  if (!user) return raw
  return (
    <button
      type="button"
      class="mention"
      data-me={id === store.me.value?.id ? '' : undefined}
      aria-haspopup="dialog"
      onClick={() => openPerson(user, store.rooms.peek()[room_id]?.house_id ?? null)}
    >
      <bdi>@{user.name}</bdi>
    </button>
  )
}
