import { go } from '../../router.ts'
import { api } from '../../session.ts'
import { openConfirmation } from '../../shell/confirmation.tsx'
import { Field, Form } from '../../shell/form.tsx'
import type { House } from '../../state/state.ts'
import { st } from '../../texts/settings.ts'
import { t } from '../../texts/texts.ts'
import { RetentionSettings } from './retention.tsx'

/** What only the owner may: choose how long messages stay, hand the house over, or delete it. */
export function OwnerSettings({ house }: { house: House }) {
  const { id, name } = house
  const handOver = async ({ username = '' }: Record<string, string>) => {
    const heir = await api.call('getUser', { params: { ref: username.trim() } })
    openConfirmation(st().handOver, st().handOverSure(name, heir.name), () =>
      api.call('handOverHouse', { params: { id }, body: { user_id: heir.id } }),
    )
  }
  const remove = async () => {
    await api.call('deleteHouse', { params: { id } })
    go({ name: 'privateRooms' })
  }
  const ask = () => openConfirmation(st().deleteHouse, st().deleteHouseSure(name), remove, { typed: name })
  return (
    <>
      <RetentionSettings house={house} />
      <section>
        <h2>{st().handOver}</h2>
        <Form action={st().handOver} submit={handOver}>
          <Field label={t().username} name="username" hint={st().handOverHint} autocomplete="off" />
        </Form>
      </section>
      <section>
        <h2>{st().deleteHouse}</h2>
        <button type="button" class="dangerous" onClick={ask}>
          {st().deleteHouse}
        </button>
      </section>
    </>
  )
}
