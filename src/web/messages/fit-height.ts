const doesBrowser = CSS.supports('field-sizing', 'content')

/** Makes a field as high as its text, where the browser does not; the style bounds it. */
export function fitHeight(field: HTMLTextAreaElement | null, _text: string): void {
  const around = field?.parentElement
  if (doesBrowser || !field || !around) return
  // While the field is measured, the page around it stays as it is: a timeline above would leave its end.
  around.style.minHeight = `${around.getBoundingClientRect().height}px`
  field.style.height = 'auto'
  field.style.height = `${field.scrollHeight + field.offsetHeight - field.clientHeight}px`
  around.style.minHeight = ''
}
