import { render } from 'preact'
import { App } from './app/app.tsx'
import { startTitle } from './app/title.ts'
import { startWorker } from './app/worker.ts'
import { startConnection } from './connection.ts'
import { showProfilesBy } from './houses/person.tsx'
import { startLastVisit } from './last-visit.ts'
import { startDrafts } from './messages/drafts.ts'
import { startExploding } from './messages/exploding.tsx'
import { startFirstPage } from './messages/first-page.ts'
import { startNotifications } from './messages/notifications.ts'
import { startSending } from './messages/sending.ts'
import { startUploads } from './messages/uploads.ts'
import { startRecounting } from './rooms/recounting.ts'
import { startRouter } from './router.ts'
import { startSession } from './session.ts'
import { startPush } from './settings/push-start.tsx'
import { startTheme } from './settings/theme.ts'
import { startComposing } from './shell/composing.ts'
import { lazy } from './shell/lazy.tsx'
import './styles/tokens.css'
import './styles/base.css'
import './styles/controls.css'
import './styles/layout.css'
import './styles/navigation.css'
import './styles/people.css'
import './styles/dialogs.css'
import './styles/search.css'
import './styles/timeline.css'
import './styles/messages.css'
import './styles/reactions.css'
import './styles/content.css'
import './styles/attachments.css'
import './styles/composer.css'
import './styles/message-lists.css'
import './styles/settings.css'
import './styles/forced-colors.css'
import { startTexts } from './texts/texts.ts'

startTheme()
// Not awaited here: what other scripts share with this one would become scripts of its own.
void startTexts().then(start)

function start(): void {
  startComposing()
  startRouter()
  startSession()
  startLastVisit()
  startConnection()
  startFirstPage()
  startSending()
  startDrafts()
  startUploads()
  startExploding()
  startNotifications()
  startRecounting()
  startPush()
  startTitle()
  showProfilesBy(lazy(() => import('./messages/about-person.tsx').then(({ AboutPerson }) => AboutPerson)))
  render(<App />, document.getElementById('app')!)
  startWorker()
  // Not needed for the first paint.
  import('./app/keep-focus.ts').then(({ startKeepingFocus }) => startKeepingFocus()).catch(() => {})
}
