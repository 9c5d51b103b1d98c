type Row = { item: Element; list: Element; index: number; control: number }

/** Where a row that had the focus goes from its list, the row that takes its place gets the focus, else the heading of the page. */
export function startKeepingFocus(): void {
  let row: Row | undefined
  addEventListener('focusin', ({ target }) => {
    // What a dialog was opened from is still what the focus comes back to.
    if (target instanceof Element && !target.closest('dialog')) row = rowOf(target)
  })
  const restore = () => {
    if (!row || row.item.isConnected || document.activeElement !== document.body) return
    const { list, index, control } = row
    row = undefined
    const next = list.isConnected && (list.children[index] ?? list.lastElementChild)
    const controls = next ? controlsOf(next) : []
    const wanted = controls[control] ?? controls[0] ?? document.querySelector<HTMLElement>('main h1')
    wanted?.focus()
  }
  const observer = new MutationObserver(() => {
    // Effects, which may give the focus back, come first.
    if (row && !row.item.isConnected) requestAnimationFrame(() => setTimeout(restore))
  })
  observer.observe(document.body, { childList: true, subtree: true })
}

function rowOf(target: Element): Row | undefined {
  const item = target.closest('li')
  const list = item?.parentElement
  if (!item || !list) return undefined
  const control = controlsOf(item).indexOf(target as HTMLElement)
  return { item, list, index: [...list.children].indexOf(item), control }
}

function controlsOf(row: Element): HTMLElement[] {
  return [...row.querySelectorAll<HTMLElement>('a, button')]
}
