type Clipboard = { files: ArrayLike<File>; getData(type: string): string }

/**
 * The files to attach for a paste; none if its text is to be inserted. Office programs add a picture to copied text, file
 * managers add names to copied files, and browsers add an `<img>` to a copied picture.
 */
export function pastedFiles(clipboard: Clipboard): File[] {
  const files = Array.from(clipboard.files)
  const text = clipboard.getData('text/plain').trim()
  if (text === '' || isLonePicture(clipboard.getData('text/html')) || isListOf(files, text)) return files
  return []
}

/** Whether HTML shows one picture and nothing else. */
function isLonePicture(html: string): boolean {
  const [, fragment = html] = html.split('<!--StartFragment-->', 2)
  const [text = '', ...tags] = withoutComments(fragment.split('<!--EndFragment-->', 1)[0] ?? '').split('<')
  const texts = [text, ...tags.map((tag) => tag.slice(tag.indexOf('>') + 1))]
  return (
    tags.filter((tag) => /^img\b/i.test(tag)).length === 1 &&
    texts.every((each) => each.replaceAll('&nbsp;', '').trim() === '')
  )
}

/** Without comments: those of Office contain the picture in other forms. */
function withoutComments(html: string): string {
  const [start = '', ...comments] = html.split('<!--')
  const afterEach = comments.map((comment) => comment.split('-->').slice(1).join('-->'))
  return start + afterEach.join('')
}

/** Whether each line of a text is the name, the path or the address of one of the files. */
function isListOf(files: readonly File[], text: string): boolean {
  const names = new Set(files.map(({ name }) => name))
  return text.split(/[\r\n]+/).every((line) => names.has(lastPart(line)))
}

function lastPart(path: string): string {
  const name = path.trim().split(/[\\/]/).at(-1) ?? ''
  if (!path.startsWith('file:')) return name
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
