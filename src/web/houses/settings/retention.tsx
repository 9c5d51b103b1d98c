import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import type { Answer } from '../../../client/operations.ts'
import { api } from '../../session.ts'
import { openConfirmation } from '../../shell/confirmation.tsx'
import { Form } from '../../shell/form.tsx'
import { useLoaded } from '../../shell/use-loaded.ts'
import type { House } from '../../state/state.ts'
import { st } from '../../texts/settings.ts'
import { ageText } from './ages.ts'

type Retention = Answer<'getRetention'>

const day = 86_400
/** In seconds. */
const offeredAges = [day, 7 * day, 30 * day, 90 * day, 365 * day]

function useRetention({ id }: House) {
  return useLoaded(() => api.call('getRetention', { params: { id } }), [id])
}

/** How long the messages of the house stay, for its owner to choose. What deletes messages is asked for again. */
export function RetentionSettings({ house }: { house: House }) {
  const { value: retention, failure, reload } = useRetention(house)
  const isSaved = useSignal(false)
  const questions = useSignal(0)
  const save = async (max_age: number | null) => {
    await api.call('setRetention', { params: { id: house.id }, body: { max_age } })
    await reload()
    isSaved.value = true
  }
  const choose = async ({ max_age = '' }: Record<string, string>) => {
    isSaved.value = false
    const age = max_age === '' ? null : Number(max_age)
    if (age === null || age >= (retention?.effective_max_age ?? Number.POSITIVE_INFINITY)) return save(age)
    // Whoever does not confirm keeps what is saved, and sees that.
    questions.value += 1
    openConfirmation(st().deleteOldMessages, st().deleteOldMessagesSure(ageText(age)), () => save(age))
  }
  return (
    <section>
      <h2>{st().oldMessages}</h2>
      {failure !== '' && <p role="alert">{failure}</p>}
      {retention && (
        <Form action={st().saveChanges} submit={choose}>
          <AgeChoice key={questions.value} retention={retention} />
        </Form>
      )}
      <p role="status">{isSaved.value && st().saved}</p>
    </section>
  )
}

/** The ages that can be saved: what the house has, and those that are offered, as far as the server takes them. */
function agesOf({ max_age, server_max_age }: Retention): number[] {
  const ages = new Set([...offeredAges, ...(max_age === null ? [] : [max_age])])
  return [...ages].filter((age) => age <= (server_max_age ?? age)).sort((a, b) => a - b)
}

function AgeChoice({ retention }: { retention: Retention }) {
  const id = useId()
  const { max_age, server_max_age } = retention
  const ofServer = server_max_age === null ? undefined : ageText(server_max_age)
  return (
    <div class="field">
      <label for={id}>{st().deleteMessagesAfter}</label>
      <select id={id} name="max_age" aria-describedby={ofServer && `${id}-hint`}>
        <option value="">{ofServer === undefined ? st().never : st().asTheServer(ofServer)}</option>
        {agesOf(retention).map((age) => (
          <option key={age} value={age} selected={age === max_age}>
            {ageText(age)}
          </option>
        ))}
      </select>
      {ofServer !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {st().serverDeletesAfter(ofServer)}
        </p>
      )}
    </div>
  )
}

/** Says how long messages stay, where they do not stay. */
export function RetentionNotice({ house }: { house: House }) {
  const age = useRetention(house).value?.effective_max_age ?? null
  return age === null ? null : <p class="muted">{st().messagesAreDeleted(ageText(age))}</p>
}
