/** Whether a key belongs to an input method. For the Enter that ends a composition, Safari sets only the code. */
function isComposingKey({ isComposing, keyCode }: Pick<KeyboardEvent, 'isComposing' | 'keyCode'>): boolean {
  return isComposing || keyCode === 229
}

/** Keeps keys of input methods from all handlers. Call it before any other listener is added. */
export function startComposing(): void {
  const keep = (event: KeyboardEvent) => {
    if (isComposingKey(event)) event.stopImmediatePropagation()
  }
  for (const name of ['keydown', 'keyup'] as const) addEventListener(name, keep, { capture: true })
}
