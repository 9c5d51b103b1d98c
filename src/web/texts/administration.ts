import { administrationDe } from './administration-de.ts'
import { type AdministrationTexts, administrationEn } from './administration-en.ts'
import { language } from './texts.ts'

const catalogues: Record<string, AdministrationTexts> = { en: administrationEn, de: administrationDe }

/** The texts of the page for admins, which are loaded with it. */
export function at(): AdministrationTexts {
  return catalogues[language.value] ?? administrationEn
}
