import { api, token } from '../session.ts'
import { Form } from '../shell/form.tsx'
import { Picture } from '../shell/picture.tsx'
import { LinkTo, Notice, Screen } from '../shell/screen.tsx'
import { useLoaded } from '../shell/use-loaded.ts'
import { plural, t } from '../texts/texts.ts'
import { acceptInvite } from './invites.ts'

/** What an invite leads to: the house, and how to join it, with an account or without one yet. */
export function InvitePage({ code }: { code: string }) {
  const { value: preview, failure } = useLoaded(() => api.call('getInvite', { params: { code } }), [code])
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
      {token.value === undefined ? (
        <div class="row">
          <LinkTo place={{ name: 'createAccount', invite: code }} class="button primary">
            {t().createAnAccount}
          </LinkTo>
          <LinkTo place={{ name: 'logIn', invite: code }} class="button">
            {t().logIn}
          </LinkTo>
        </div>
      ) : (
        <Form action={t().joinNamed(house.name)} submit={() => acceptInvite(code)}>
          {null}
        </Form>
      )}
    </Screen>
  )
}
