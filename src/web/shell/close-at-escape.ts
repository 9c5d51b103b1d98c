/** Closes at the first Esc in a search field, which browsers use to empty the field. */
export function closeAtEscape(event: KeyboardEvent, close: () => void): void {
  const isSearch = event.target instanceof HTMLInputElement && event.target.type === 'search'
  if (event.key !== 'Escape' || !isSearch || event.defaultPrevented) return
  event.preventDefault()
  event.stopPropagation()
  close()
}
