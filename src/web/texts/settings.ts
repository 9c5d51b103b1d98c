import { isolating } from './isolation.ts'
import { settingsDe } from './settings-de.ts'
import { type SettingsTexts, settingsEn } from './settings-en.ts'
import { language } from './texts.ts'

const catalogues: Record<string, SettingsTexts> = {
  en: isolating(settingsEn),
  de: isolating(settingsDe),
}

/** The texts of the settings, which are loaded with them. */
export function st(): SettingsTexts {
  return catalogues[language.value] ?? settingsEn
}
