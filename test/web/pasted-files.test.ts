import { expect, test } from 'vitest'
import { pastedFiles } from '../../src/web/messages/pasted-files.ts'

const picture = new File(['x'], 'image.png', { type: 'image/png' })

/** How many files a paste of these forms is about. */
function filesIn(forms: { text?: string; html?: string }, files = [picture]): number {
  const { text = '', html = '' } = forms
  return pastedFiles({ files, getData: (type) => (type === 'text/html' ? html : text) }).length
}

const fragment = (html: string) =>
  `<html xmlns:o="urn:schemas-microsoft-com:office:office">\r\n<head><style><!-- p { color: red } --></style></head>
<body lang=EN-GB>\r\n<!--StartFragment-->${html}<!--EndFragment-->\r\n</body>\r\n</html>`

test('cells of a spreadsheet and paragraphs of a document are text, whatever picture comes with them', () => {
  const cells = '<table><col width=87><tr><td>Ann</td><td>12</td></tr></table>'
  expect(filesIn({ text: 'Ann\t12\r\n', html: fragment(cells) })).toBe(0)
  expect(filesIn({ text: 'Ann\t12\n', html: `<meta charset="utf-8">${cells}` })).toBe(0)
  expect(filesIn({ text: 'Hello', html: fragment('<p class=MsoNormal>Hello<o:p></o:p></p>') })).toBe(0)
  expect(filesIn({ text: 'See', html: fragment('<p>See <img src="a.png"></p>') })).toBe(0)
  expect(filesIn({ text: 'only text' })).toBe(0)
})

test('a picture is a file, also where its address or description is there as text', () => {
  expect(filesIn({})).toBe(1)
  expect(filesIn({ html: '<meta charset="utf-8"><img src="https://example.org/a.png">' })).toBe(1)
  const html = "<meta charset='utf-8'><img src='https://example.org/a.png' alt='A cat'/>"
  expect(filesIn({ text: 'https://example.org/a.png', html })).toBe(1)
  const linked = '<a href="https://example.org"><span><img src="a.png"></span></a>'
  expect(filesIn({ text: 'https://example.org', html: fragment(linked) })).toBe(1)
  const vml = '<!--[if gte vml 1]><v:shape id="a"><img src="b.png"></v:shape><![endif]-->'
  const word = `<p class=MsoNormal><span>${vml}<![if !vml]><img src="a.png"><![endif]></span><o:p></o:p></p>`
  expect(filesIn({ text: 'a.png, described', html: fragment(word) })).toBe(1)
})

test('files that a file manager names are files', () => {
  const files = [picture, new File(['y'], 'two words.txt')]
  expect(filesIn({ text: 'image.png\rtwo words.txt' }, files)).toBe(2)
  expect(filesIn({ text: 'file:///home/ann/image.png\nfile:///home/ann/two%20words.txt' }, files)).toBe(2)
  expect(filesIn({ text: 'C:\\pictures\\image.png' })).toBe(1)
  expect(filesIn({ text: 'see image.png' })).toBe(0)
})

test('reads a megabyte of hostile HTML', () => {
  for (const part of ['<!--', '<img', '<img src="a">', '<p>', '<', ' ', '<!--StartFragment-->']) {
    expect(filesIn({ text: 'text', html: part.repeat(1_000_000 / part.length) })).toBe(0)
  }
})
