import type { Input } from '../../client/operations.ts'
import { api } from '../session.ts'
import { ChoosePicture } from '../shell/choose-picture.tsx'
import { Field, Form } from '../shell/form.tsx'
import { Picture } from '../shell/picture.tsx'
import { TextArea } from '../shell/text-area.tsx'
import { useAction } from '../shell/use-action.tsx'
import { store } from '../state/store.ts'
import { st } from '../texts/settings.ts'
import { openPictureRemoval } from './picture-removal.tsx'
import { withScheme } from './website.ts'

/** How others see one: what changes here comes back as an event. */
export function ProfileSettings() {
  const me = store.me.value
  const { act, notice } = useAction()
  if (!me) return null
  const save = ({ website = '', ...values }: Record<string, string>) =>
    edit({ ...values, website: withScheme(website) })
  const edit = async (body: Input<'editOwnUser'>['body']) => {
    await api.call('editOwnUser', { body })
  }
  return (
    <>
      <section>
        <h2>{st().pictures}</h2>
        <ChoosePicture label={st().choosePicture} choose={(icon) => act(() => edit({ icon }))}>
          <Picture of={me} kind="users" size="large" />
        </ChoosePicture>
        {me.icon && (
          <button
            type="button"
            onClick={() => openPictureRemoval(st().removePicture, () => edit({ icon: null }))}
          >
            {st().removePicture}
          </button>
        )}
        <ChoosePicture label={st().chooseHeader} choose={(header) => act(() => edit({ header }))}>
          {me.header && <img class="header-picture" src={`/users/${me.id}/headers/${me.header}`} alt="" />}
        </ChoosePicture>
        {me.header && (
          <button
            type="button"
            onClick={() => openPictureRemoval(st().removeHeader, () => edit({ header: null }))}
          >
            {st().removeHeader}
          </button>
        )}
        {notice}
      </section>
      <section>
        <h2>{st().profile}</h2>
        <Form action={st().saveChanges} submit={save} done={st().saved}>
          <Field
            label={st().displayName}
            name="name"
            value={me.name}
            maxLength={64}
            autocomplete="nickname"
          />
          <Field label={st().location} name="location" value={me.location} maxLength={64} isOptional />
          <Field
            label={st().website}
            name="website"
            value={me.website}
            hint={st().websiteHint}
            maxLength={256}
            isOptional
          />
          <TextArea label={st().bio} name="bio" value={me.bio} maxLength={512} />
        </Form>
      </section>
    </>
  )
}
