const doesBrowser = CSS.supports('field-sizing', 'content')

/** Makes a field as high as its text, where the browser does not; the style bounds it. */
export function fitHeight(field: HTMLTextAreaElement | null, _text: string): void {
  if (doesBrowser || !field) return
  field.style.height = 'auto'
  field.style.height = `${field.scrollHeight + field.offsetHeight - field.clientHeight}px`
}
