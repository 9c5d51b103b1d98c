import { computed, signal } from '@preact/signals'
import { en, type Plural, type Texts } from './en.ts'
import { textOfError } from './error-text.ts'
import { isolating } from './isolation.ts'

const storageKey = 'hearth.language'

export const languages = { en: 'English', de: 'Deutsch' }
export type Language = keyof typeof languages

/** Those that are loaded. English is there from the start. */
const catalogues: Partial<Record<Language, Texts>> = { en: isolating(en) }

async function load(wanted: Language): Promise<void> {
  if (wanted === 'de') catalogues.de ??= isolating((await import('./de.ts')).de)
}

function firstLanguage(): Language {
  const wanted = [localStorage.getItem(storageKey), ...navigator.languages.map((each) => each.split('-')[0])]
  return (wanted.find((each) => each && Object.hasOwn(languages, each)) ?? 'en') as Language
}

const chosen = signal<Language>('en')
/** The language of the client. */
export const language = computed(() => chosen.value)

/**
 * Loads and takes the language that was chosen on this device, else the first of the browser that there is. Where it
 * cannot be loaded it is English.
 */
export async function startTexts(): Promise<void> {
  const first = firstLanguage()
  await load(first).then(
    () => show(first),
    () => show('en'),
  )
}

/** Takes another language, once it is loaded. */
export async function chooseLanguage(next: Language): Promise<void> {
  await load(next)
  localStorage.setItem(storageKey, next)
  show(next)
}

function show(next: Language): void {
  chosen.value = next
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

/** What happened and what to do, as `textOfError` says it in the language of the client. */
export function errorText(error: unknown, own?: Record<string, string>): string {
  return textOfError(t(), chosen.value, error, own)
}
