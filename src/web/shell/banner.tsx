import { isOffline } from '../connection.ts'
import { t } from '../texts/texts.ts'

/** Says that the connection is lost; nothing where it is not. */
export function Banner() {
  return <div role="status">{isOffline.value && <p class="banner">{t().noConnection}</p>}</div>
}
