import { signal } from '@preact/signals'

const storageKey = 'hearth.theme'

export type Theme = 'system' | 'light' | 'dark'

/** How the client looks on this device. */
export const theme = signal<Theme>('system')

/** Takes the theme that was chosen on this device. */
export function startTheme(): void {
  const known = localStorage.getItem(storageKey)
  show(known === 'light' || known === 'dark' ? known : 'system')
}

export function chooseTheme(next: Theme): void {
  if (next === 'system') localStorage.removeItem(storageKey)
  else localStorage.setItem(storageKey, next)
  show(next)
}

function show(next: Theme): void {
  theme.value = next
  if (next === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = next
}
