import { focusComposer } from '../messages/composer-focus.ts'
import { hasMouse } from '../shell/media.ts'

/** The element that had the focus last with its ancestors, the inmost first, and its place in a list. */
type Trail = { around: HTMLElement[]; row: Row | undefined }
type Row = { item: Element; list: Element; index: number; control: number; text: string }

/**
 * Restores the focus when the element that has it is removed or hidden. The row that takes the place of a removed row gets
 * it, otherwise the nearest ancestor that can, otherwise the composer or the heading. A dialog has a trail of its own, so
 * that the one of the page still leads to where the dialog was opened.
 */
export function startKeepingFocus(): void {
  const trails = new WeakMap<Element, Trail>()
  let isAsked = false
  const note = (target: EventTarget | null) => {
    if (!(target instanceof HTMLElement) || target === document.body) return
    trails.set(target.closest('dialog') ?? document.body, trailOf(target))
  }
  note(document.activeElement)
  addEventListener('focusin', ({ target }) => note(target))
  const restore = () => {
    isAsked = false
    const root = document.querySelector('dialog[open]') ?? document.body
    const trail = trails.get(root)
    if (trail && isLost()) giveBack(trail, root)
  }
  const ask = () => {
    if (isAsked || !isLost()) return
    isAsked = true
    // Effects, which may give the focus themselves, come first.
    requestAnimationFrame(() => setTimeout(restore))
  }
  const changes = { childList: true, subtree: true, attributeFilter: ['disabled', 'hidden', 'open'] }
  new MutationObserver(ask).observe(document.body, changes)
  addEventListener('focusout', () => setTimeout(ask))
}

function isLost(): boolean {
  const { activeElement, body } = document
  return activeElement === null || activeElement === body
}

function trailOf(target: HTMLElement): Trail {
  const around: HTMLElement[] = []
  for (let each: HTMLElement | null = target; each; each = each.parentElement) around.push(each)
  return { around, row: rowOf(target) }
}

function rowOf(target: HTMLElement): Row | undefined {
  const item = target.closest('li, .log-row')
  const list = item?.parentElement
  if (!item || !list) return undefined
  const control = controlsOf(item).indexOf(target)
  const index = [...list.children].indexOf(item)
  return { item, list, index, control, text: target.textContent ?? '' }
}

function controlsOf(row: Element): HTMLElement[] {
  return [...row.querySelectorAll<HTMLElement>(row.matches('.log-row') ? 'article' : 'a, button')]
}

/**
 * Controls of a row, or of the one in its place if it is gone: the one with the same text first, then the one at the same
 * index.
 */
function controlsAt({ item, list, index, control, text }: Row): (HTMLElement | undefined)[] {
  const following = list.isConnected ? (list.children[index] ?? list.lastElementChild) : null
  const next = item.isConnected ? item : following
  const controls = next ? controlsOf(next) : []
  const same = text === '' ? undefined : controls.find((each) => each.textContent === text)
  return [same, controls[control], controls[0]]
}

function giveBack({ around, row }: Trail, root: Element): void {
  const rest = around.filter((each) => each.isConnected && each.hasAttribute('tabindex') && !isWhole(each))
  const first = around[0]?.isConnected ? [around[0]] : []
  // A message whose content is replaced, as that of a folded one, keeps the focus.
  const isRowLeft = row && (!row.item.isConnected || (row.item.matches('.log-row') && first.length === 0))
  const inRow = isRowLeft ? controlsAt(row) : []
  for (const each of [...inRow, ...first, ...rest]) {
    each?.focus({ preventScroll: true })
    if (!isLost()) return
  }
  const wroteThere = around.some((each) => each.matches('.composer'))
  if (root === document.body && (wroteThere || hasMouse.peek())) focusComposer()
  if (isLost()) focusHeading(root)
}

function focusHeading(root: Element): void {
  const headings = root.querySelectorAll<HTMLElement>(root === document.body ? 'main h1' : 'h2')
  // On a phone, the search covers a page with a heading of its own.
  const heading = [...headings].find((each) => each.checkVisibility({ visibilityProperty: true }))
  if (!heading) return
  heading.tabIndex = -1
  heading.focus()
}

/** Whether an element contains the whole page. */
function isWhole(element: HTMLElement): boolean {
  return element.matches('.shell, main')
}
