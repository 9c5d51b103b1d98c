import type { ComponentChildren } from 'preact'
import { listBefore, pathOf } from '../places.ts'
import { goBackTo, place } from '../router.ts'
import { t } from '../texts/texts.ts'
import { Icon } from './icon.tsx'
import { isNarrow } from './media.ts'
import { useHeadingFocus } from './use-heading-focus.ts'

type PageProps = {
  title: ComponentChildren
  /** At the end of the head. */
  actions?: ComponentChildren
  children: ComponentChildren
}

/** A page beside the rooms: a head that stays, and what scrolls below it. */
export function Page({ title, actions, children }: PageProps) {
  const from = listBefore(place.value)
  const back = (event: Event) => {
    event.preventDefault()
    goBackTo(from)
  }
  const heading = useHeadingFocus()
  return (
    <main id="page" class="page">
      <header class="page-head">
        {isNarrow.value && (
          <a class="button plain" href={pathOf(from)} onClick={back} aria-label={t().back}>
            <Icon name="back" />
          </a>
        )}
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {actions}
      </header>
      {children}
    </main>
  )
}

/** A page of which nothing is known yet. */
export function LoadingPage() {
  return (
    <Page title={t().appName}>
      <div class="page-body" aria-busy="true">
        <p class="muted">{t().loading}</p>
      </div>
    </Page>
  )
}

type NoticeProps = { title: string; text: string; children?: ComponentChildren }

/** A page that has only a sentence, and a way on. */
export function NoticePage({ title, text, children }: NoticeProps) {
  return (
    <Page title={title}>
      <div class="page-body">
        <div class="blank">
          <p class="muted">{text}</p>
          <a class="button" href={pathOf({ name: 'home' })}>
            {t().toStart}
          </a>
          {children}
        </div>
      </div>
    </Page>
  )
}
