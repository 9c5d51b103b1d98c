const fence = /^(?:[ \t]*(?:>|[*+-]|\d+[.)]))*[ \t]*(`{3,}|~{3,})(.*)$/

/** Whether a place in a text is in code. Code that is begun and not ended counts: its end may still be typed. */
export function isInCode(text: string, at: number): boolean {
  let block: string | undefined
  let paragraph = ''
  const lines = text.slice(0, at).split('\n')
  for (const [index, line] of lines.entries()) {
    const [, marks, rest = ''] = fence.exec(line) ?? []
    if (block !== undefined) {
      if (marks?.startsWith(block) && rest.trim() === '' && index < lines.length - 1) block = undefined
    } else if (marks !== undefined && !(marks.startsWith('`') && rest.includes('`'))) {
      block = marks
      paragraph = ''
    } else paragraph = line.trim() === '' ? '' : `${paragraph}\n${line}`
  }
  return block !== undefined || hasOpenMark(paragraph)
}

/** Whether a run of backticks begins code that no run of the same length ends. */
function hasOpenMark(paragraph: string): boolean {
  const runs = Array.from(paragraph.matchAll(/`+/g), ({ 0: run, index }) => ({
    length: run.length,
    isEscaped: index > 0 && paragraph[index - 1] === '\\',
  }))
  let open: number | undefined
  for (const { length, isEscaped } of runs) {
    if (open === undefined) open = isEscaped ? undefined : length
    else if (open === length) open = undefined
  }
  return open !== undefined
}
