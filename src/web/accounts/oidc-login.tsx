import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { pathOf } from '../places.ts'
import { go, parsePath, place } from '../router.ts'
import { api, enter } from '../session.ts'
import { Notice, Screen } from '../shell/screen.tsx'
import { errorText, t } from '../texts/texts.ts'

/** In this tab a login elsewhere has begun: a link with somebody else's code logs nobody in. */
const begunKey = 'hearth.oidc'

/** Leads to the OpenID Connect provider of the server. */
export function OidcButton({ invite }: { invite?: string | undefined }) {
  const isHere = ['logIn', 'createAccount'].includes(place.value.name)
  const wanted = isHere ? { name: 'home' as const } : place.value
  const returnTo = pathOf(invite === undefined ? wanted : { name: 'invite', code: invite })
  return (
    <p>
      <a
        class="button"
        href={`/auth/oidc?${new URLSearchParams({ return_to: returnTo })}`}
        onClick={() => sessionStorage.setItem(begunKey, 'yes')}
      >
        {t().logInElsewhere}
      </a>
    </p>
  )
}

/** Takes the code that the login elsewhere has led to. */
export function OidcLogin({ code, returnTo }: { code?: string | undefined; returnTo?: string | undefined }) {
  const failure = useSignal('')
  useEffect(() => {
    const hasBegun = sessionStorage.getItem(begunKey) !== null
    sessionStorage.removeItem(begunKey)
    if (code === undefined || !hasBegun) {
      failure.value = code === undefined ? t().elsewhereFailed : t().elsewhereExpired
      return
    }
    api.call('logInByOidc', { query: { extended: 'true' }, body: { code } }).then(
      ({ token }) => {
        enter(token)
        // Only a place of the client: what another site is called leads to none.
        const next = returnTo?.startsWith('/app/') ? parsePath(returnTo) : { name: 'home' as const }
        go(next.name === 'unknown' ? { name: 'home' } : next, { replace: true })
      },
      (error: unknown) => {
        failure.value = errorText(error, { invalid_credentials: t().elsewhereFailed })
      },
    )
  }, [])
  if (failure.value !== '') {
    return <Notice title={t().logInTitle} text={failure.value} place={{ name: 'logIn' }} />
  }
  return (
    <Screen title={t().loggingIn}>
      <p class="muted" role="status">
        {t().loading}
      </p>
    </Screen>
  )
}
