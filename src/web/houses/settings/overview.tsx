import { api } from '../../session.ts'
import { openPictureRemoval } from '../../settings/picture-removal.tsx'
import { ChoosePicture } from '../../shell/choose-picture.tsx'
import { Field, Form } from '../../shell/form.tsx'
import { Picture } from '../../shell/picture.tsx'
import { TextArea } from '../../shell/text-area.tsx'
import { useAction } from '../../shell/use-action.tsx'
import { useLoaded } from '../../shell/use-loaded.ts'
import type { House } from '../../state/state.ts'
import { st } from '../../texts/settings.ts'
import { t } from '../../texts/texts.ts'
import { RetentionNotice } from './retention.tsx'

/** Name, icon and description. */
export function OverviewSettings({ house }: { house: House }) {
  const { id, name } = house
  const params = { id }
  const { act, notice } = useAction()
  const { value: detail, failure } = useLoaded(() => api.call('getHouse', { params }), [id])
  const choose = (icon: string) => act(() => api.call('editHouse', { params, body: { name, icon } }))
  const removeIcon = () =>
    openPictureRemoval(st().removePicture, () => api.call('removeHouseIcon', { params }))
  const edit = async ({ name: next = '', description = '' }: Record<string, string>) => {
    await api.call('editHouse', { params, body: { name: next, description } })
  }
  return (
    <>
      <section>
        <h2>{st().icon}</h2>
        <ChoosePicture label={st().choosePicture} choose={choose}>
          <Picture of={house} kind="houses" size="large" />
        </ChoosePicture>
        {house.icon && (
          <button type="button" onClick={removeIcon}>
            {st().removePicture}
          </button>
        )}
        {notice}
      </section>
      <section>
        <h2>{t().houseSections.overview}</h2>
        {failure !== '' && <p role="alert">{failure}</p>}
        {detail && (
          <Form action={st().saveChanges} submit={edit} done={st().saved}>
            <Field label={t().houseName} name="name" value={name} maxLength={100} autocomplete="off" />
            <TextArea
              label={st().description}
              name="description"
              value={detail.description ?? ''}
              maxLength={512}
            />
          </Form>
        )}
        <RetentionNotice house={house} />
      </section>
    </>
  )
}
