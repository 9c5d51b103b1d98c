import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import type { Answer } from '../../client/operations.ts'
import { api } from '../session.ts'
import { CopyField } from '../shell/copy-field.tsx'
import { Form } from '../shell/form.tsx'
import { shortText } from '../texts/dates.ts'
import { st } from '../texts/settings.ts'
import { plural, t } from '../texts/texts.ts'
import { inviteLinkOf } from './invites.ts'
import { ageText } from './settings/ages.ts'

type Invite = Answer<'createInvite'>

const [hour, day] = [3_600, 86_400]
/** In seconds. */
const offeredAges = [hour / 2, hour, 6 * hour, 12 * hour, day, 7 * day, 30 * day, 365 * day]
const mostUses = 1_000

/** Creates invites that end after some uses, or after some time. */
export function LimitedInvite({ houseId, created }: { houseId: string; created?: (() => void) | undefined }) {
  const invite = useSignal<Invite | undefined>(undefined)
  const create = async ({ uses = '', age = '' }: Record<string, string>) => {
    invite.value = undefined
    const body = { max_uses: Number(uses), max_age: Number(age) }
    invite.value = await api.call('createInvite', { params: { id: houseId }, body })
    created?.()
  }
  return (
    <details class="limited-invite">
      <summary>{st().inviteWithLimits}</summary>
      <Form action={st().createInvite} submit={create}>
        <Limits />
      </Form>
      <div role="status">
        {invite.value && (
          <CopyField
            label={st().limitedInvite}
            value={inviteLinkOf(invite.value.code)}
            hint={limitsOf(invite.value)}
          />
        )}
      </div>
    </details>
  )
}

function Limits() {
  const id = useId()
  return (
    <>
      <div class="field">
        <label for={`${id}-age`}>{st().limitAge}</label>
        <select id={`${id}-age`} name="age">
          <option value="">{st().never}</option>
          {offeredAges.map((age) => (
            <option key={age} value={age} selected={age === 7 * day}>
              {ageText(age)}
            </option>
          ))}
        </select>
      </div>
      <div class="field">
        <label for={`${id}-uses`}>{st().limitUses}</label>
        <input
          id={`${id}-uses`}
          name="uses"
          type="number"
          inputMode="numeric"
          min={1}
          max={mostUses}
          aria-describedby={`${id}-hint`}
        />
        <p class="hint" id={`${id}-hint`}>
          {st().limitUsesHint}
        </p>
      </div>
    </>
  )
}

function limitsOf({ max_uses, max_age, created_at }: Invite): string {
  const uses = max_uses ? [plural(st().usesLeft, max_uses)] : []
  const end = max_age ? [st().runsOut(shortText(Date.parse(created_at) + max_age * 1_000))] : []
  return [...uses, ...end].join(' · ') || t().inviteHint
}
