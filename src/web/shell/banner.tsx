import { isOffline, isSocketBlocked } from '../connection.ts'
import { t } from '../texts/texts.ts'

/** Says that the connection is lost, and what is in its way if that is known; nothing where it is not lost. */
export function Banner() {
  const text = isSocketBlocked.value ? t().socketBlocked : t().noConnection
  return <div role="status">{isOffline.value && <p class="banner">{text}</p>}</div>
}
