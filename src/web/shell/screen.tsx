import type { ComponentChildren } from 'preact'
import { type Place, pathOf } from '../places.ts'
import { t } from '../texts/texts.ts'
import { useHeadingFocus } from './use-heading-focus.ts'

/** A screen with one thing to do. */
export function Screen({ title, children }: { title: string; children: ComponentChildren }) {
  const heading = useHeadingFocus()
  return (
    <main class="screen" tabIndex={-1}>
      <div class="card">
        <img src="/app/icon.svg" alt="" width="48" height="48" />
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {children}
      </div>
    </main>
  )
}

/** A link to a place. */
export function LinkTo({
  place,
  children,
  ...more
}: {
  place: Place
  children: ComponentChildren
  class?: string
}) {
  return (
    <a href={pathOf(place)} {...more}>
      {children}
    </a>
  )
}

/** A sentence with a way on. */
export function Notice({
  title,
  text,
  place = { name: 'home' },
}: {
  title: string
  text: string
  place?: Place
}) {
  return (
    <Screen title={title}>
      <p role="status">{text}</p>
      <LinkTo place={place} class="button primary">
        {t().goOn}
      </LinkTo>
    </Screen>
  )
}
