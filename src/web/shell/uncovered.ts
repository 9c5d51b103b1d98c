/** Calls back at once, or when the open dialog is closed: until then nothing in the page can be focused. */
export function whenUncovered(act: () => void): void {
  const dialog = document.querySelector('dialog[open]')
  if (dialog) dialog.addEventListener('close', () => whenUncovered(act), { once: true })
  else act()
}
