import { computed, signal } from '@preact/signals'
import { ApiError } from '../../client/errors.ts'
import { de } from './de.ts'
import { en, type Plural, type Texts } from './en.ts'

const catalogues: Record<string, Texts> = { en, de }
const storageKey = 'hearth.language'

export const languages = { en: 'English', de: 'Deutsch' }
export type Language = keyof typeof languages

function firstLanguage(): Language {
  const wanted = [localStorage.getItem(storageKey), ...navigator.languages.map((each) => each.split('-')[0])]
  return (wanted.find((each) => each && each in catalogues) ?? 'en') as Language
}

const chosen = signal<Language>('en')
/** The language of the client. */
export const language = computed(() => chosen.value)

/** Takes the language that was chosen on this device, else the first of the browser that there is. */
export function startTexts(): void {
  chosen.value = firstLanguage()
  document.documentElement.lang = chosen.value
}

export function chooseLanguage(next: Language): void {
  chosen.value = next
  localStorage.setItem(storageKey, next)
  document.documentElement.lang = next
}

/** The texts in the language of the client. */
export function t(): Texts {
  return catalogues[chosen.value] ?? en
}

/** The form of a text that fits a number, with the number in it. */
export function plural(forms: Plural, n: number): string {
  const form = new Intl.PluralRules(chosen.value).select(n) === 'one' ? forms.one : forms.other
  return form.replace('{n}', new Intl.NumberFormat(chosen.value).format(n))
}

/** What happened and what to do, for somebody who reads it. */
export function errorText(error: unknown): string {
  if (!(error instanceof ApiError)) return t().errors.unreadable ?? String(error)
  const ofField = error.fields.map((name) => t().fields[name]).find(Boolean)
  return ofField ?? t().errors[error.code] ?? error.message
}
