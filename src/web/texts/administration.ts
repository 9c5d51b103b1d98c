import { administrationDe } from './administration-de.ts'
import { type AdministrationTexts, administrationEn } from './administration-en.ts'
import { isolating } from './isolation.ts'
import { language } from './texts.ts'

const catalogues: Record<string, AdministrationTexts> = {
  en: isolating(administrationEn),
  de: isolating(administrationDe),
}

/** The texts of the page for admins, which are loaded with it. */
export function at(): AdministrationTexts {
  return catalogues[language.value] ?? administrationEn
}
