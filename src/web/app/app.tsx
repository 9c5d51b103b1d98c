import { isOffline } from '../connection.ts'
import { isRestored } from '../last-visit.ts'
import { Waiting } from '../messages/waiting.tsx'
import { place } from '../router.ts'
import { token } from '../session.ts'
import { Announcement } from '../shell/announcement.tsx'
import { Banner } from '../shell/banner.tsx'
import { Dialogs } from '../shell/dialog.tsx'
import { lazy } from '../shell/lazy.tsx'
import { store } from '../state/store.ts'
import { t } from '../texts/texts.ts'
import { Shell } from './shell.tsx'

/** Users who are logged in need neither of these pages at the start. */
const AccountScreen = lazy(async () => (await import('../accounts/screens.tsx')).AccountScreen)
const InvitePage = lazy(async () => (await import('../houses/invite-page.tsx')).InvitePage)

/** The whole page. */
export function App() {
  return (
    <>
      <Content />
      <Dialogs />
      <Announcement />
    </>
  )
}

function Content() {
  const at = place.value
  if (at.name === 'invite') return <InvitePage code={at.code} />
  const isAboutAccount = ['confirmEmail', 'newPassword', 'oidc'].includes(at.name)
  if (token.value === undefined || isAboutAccount) return <AccountScreen at={at} />
  if (store.me.value || isRestored.value) return <Shell />
  return (
    <main class="screen" aria-busy={!isOffline.value}>
      <h1 class="visually-hidden">{t().appName}</h1>
      {!isOffline.value && <p class="muted">{t().loading}</p>}
      <Banner />
      {isOffline.value && <Waiting />}
    </main>
  )
}
