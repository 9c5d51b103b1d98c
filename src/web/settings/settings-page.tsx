import { useEffect, useId } from 'preact/hooks'
import { go } from '../router.ts'
import { logOut, unsent } from '../session.ts'
import { closeDialog, openDialog } from '../shell/dialog.tsx'
import { Form } from '../shell/form.tsx'
import { lazy } from '../shell/lazy.tsx'
import { Page } from '../shell/page.tsx'
import { Picture } from '../shell/picture.tsx'
import { Sections } from '../shell/sections.tsx'
import { store } from '../state/store.ts'
import { chooseLanguage, type Language, language, languages, plural, t } from '../texts/texts.ts'
import { askWhetherAdmin, isAdmin } from './is-admin.ts'
import { chooseNotifications, type NotificationChoice, notificationChoice } from './notifications.ts'
import { chooseSendKey, type SendKey, sendKey } from './send-key.ts'
import { chooseTheme, type Theme, theme } from './theme.ts'
import { chooseTypedEmoji, type TypedEmojiChoice, typedEmojiChoice } from './typed-emoji.ts'

const SettingsSection = lazy(async () => (await import('./pages.tsx')).SettingsSection)
const PushSettings = lazy(async () => (await import('./push.tsx')).PushSettings)

/** What one can set for oneself, by section. */
export function SettingsPage({ section: wanted }: { section: string }) {
  const section = Object.hasOwn(t().settingsSections, wanted) ? wanted : ''
  return (
    <Page title={t().settings}>
      <div class="with-sections">
        <OwnSections section={section} />
        <div class="page-body">
          {section === '' ? <GeneralSettings /> : <SettingsSection key={section} section={section} />}
        </div>
      </div>
    </Page>
  )
}

function OwnSections({ section }: { section: string }) {
  useEffect(askWhetherAdmin, [])
  const ofAdmins = isAdmin.value ? { administration: t().administration } : {}
  const leave = async () => {
    closeDialog()
    await logOut()
    go({ name: 'logIn' })
  }
  const ask = () => {
    const { drafts, files, messages } = unsent()
    if (drafts + files + messages === 0) return leave()
    openDialog(
      t().logOut,
      <Form action={t().logOut} submit={leave} isDangerous>
        {drafts > 0 && <p>{plural(t().draftsLost, drafts)}</p>}
        {files > 0 && <p>{plural(t().filesLost, files)}</p>}
        {messages > 0 && <p>{plural(t().messagesLeft, messages)}</p>}
      </Form>,
    )
  }
  return (
    <Sections
      label={t().settings}
      sections={Object.entries({ '': t().general, ...t().settingsSections, ...ofAdmins })}
      section={section}
      placeOf={(name) =>
        name in ofAdmins ? { name: 'administration', section: '' } : { name: 'settings', section: name }
      }
    >
      <button type="button" onClick={ask}>
        {t().logOut}
      </button>
    </Sections>
  )
}

/** How the client looks on this device, and who one is. */
function GeneralSettings() {
  const me = store.me.value
  const themes = { system: t().themeSystem, light: t().themeLight, dark: t().themeDark }
  return (
    <>
      {me && (
        <p class="row">
          <Picture of={me} kind="users" size="large" />
          <span>
            <bdi>{me.name}</bdi> <span class="muted">@{me.username}</span>
          </span>
        </p>
      )}
      <Choice<Theme> label={t().theme} value={theme.value} options={themes} choose={chooseTheme} />
      <Choice<SendKey>
        label={t().sendKey}
        value={sendKey.value}
        options={{ enter: t().sendKeyEnter, 'ctrl-enter': t().sendKeyCtrlEnter }}
        choose={chooseSendKey}
      />
      <Choice<TypedEmojiChoice>
        label={t().typedEmoji}
        value={typedEmojiChoice.value}
        options={{ on: t().typedEmojiOn, off: t().typedEmojiOff }}
        choose={chooseTypedEmoji}
      />
      <Choice<NotificationChoice>
        label={t().notifications}
        value={notificationChoice()}
        options={{ on: t().notificationsOn, off: t().notificationsOff }}
        choose={(next) => void chooseNotifications(next)}
      />
      <Choice<Language>
        label={t().language}
        value={language.value}
        options={languages}
        choose={(next) => void chooseLanguage(next).catch(() => {})}
      />
      {'PushManager' in globalThis && <PushSettings />}
    </>
  )
}

type ChoiceProps<Value extends string> = {
  label: string
  value: Value
  options: Record<Value, string>
  choose: (value: Value) => void
}

/** One of a few. */
function Choice<Value extends string>({ label, value, options, choose }: ChoiceProps<Value>) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => choose(event.currentTarget.value as Value)}>
        {Object.entries<string>(options).map(([each, text]) => (
          <option key={each} value={each}>
            {text}
          </option>
        ))}
      </select>
    </div>
  )
}
