import type { Answer } from '../../client/operations.ts'
import { api, token } from '../session.ts'
import { Form } from '../shell/form.tsx'
import { Picture } from '../shell/picture.tsx'
import { LinkTo, Notice, Screen } from '../shell/screen.tsx'
import { useLoaded } from '../shell/use-loaded.ts'
import { plural, t } from '../texts/texts.ts'
import { acceptInvite, joiningErrors } from './invites.ts'

type Preview = Answer<'getInvite'>

/** What an invite leads to: the house, and how to join it, with an account or without one yet. */
export function InvitePage({ code }: { code: string }) {
  const { value: preview, failure } = useLoaded(
    () => api.call('getInvite', { params: { code }, query: { extended: 'true' } }),
    [code, token.value],
  )
  if (failure !== '') return <Notice title={t().joinHouse} text={failure} />
  if (!preview) return <Screen title={t().loading}>{null}</Screen>
  const { house, counts } = preview
  return (
    <Screen title={t().invitedTo(house.name)}>
      <div class="row invited">
        <Picture of={house} kind="houses" size="large" />
        <div>
          <strong class="cut">{house.name}</strong>
          <p class="muted">{plural(t().memberCount, counts.house_members)}</p>
        </div>
      </div>
      {house.description && <p>{house.description}</p>}
      {token.value === undefined ? <WaysIn code={code} /> : <Joining preview={preview} />}
    </Screen>
  )
}

/** What somebody can do who is logged in. */
function Joining({ preview: { code, house, membership } }: { preview: Preview }) {
  if (membership === 'banned') {
    return (
      <>
        <p role="status">{t().bannedHere}</p>
        <LinkTo place={{ name: 'home' }} class="button">
          {t().toStart}
        </LinkTo>
      </>
    )
  }
  if (membership === 'member') {
    return (
      <>
        <p>{t().memberAlready}</p>
        <LinkTo place={{ name: 'house', houseId: house.id }} class="button primary">
          {t().openNamed(house.name)}
        </LinkTo>
      </>
    )
  }
  return (
    <Form action={t().joinNamed(house.name)} submit={() => acceptInvite(code)} errors={joiningErrors()}>
      {null}
    </Form>
  )
}

/** What somebody can do who is not. */
function WaysIn({ code }: { code: string }) {
  const { value: server, failure } = useLoaded(() => api.call('getServer'))
  if (!server && failure === '') return <p class="muted">{t().loading}</p>
  const isClosed = server?.registration === 'closed'
  return (
    <>
      {isClosed && <p>{t().inviteNeedsAccount}</p>}
      <div class="row">
        {!isClosed && (
          <LinkTo place={{ name: 'createAccount', invite: code }} class="button primary">
            {t().createAnAccount}
          </LinkTo>
        )}
        <LinkTo place={{ name: 'logIn', invite: code }} class={isClosed ? 'button primary' : 'button'}>
          {t().logIn}
        </LinkTo>
      </div>
    </>
  )
}
