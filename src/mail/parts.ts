/** What a mail says, part by part: a paragraph, a link as a button, or a code to type. */
export type Part = string | { link: string; label: string } | { code: string }

const styles = {
  body: 'margin:0;padding:24px;font:16px/1.5 system-ui,sans-serif;max-width:36em',
  link: 'display:inline-block;padding:10px 18px;border-radius:8px;background:#3b5bdb;color:#fff;text-decoration:none',
  code: 'font:600 22px/1.5 ui-monospace,monospace;letter-spacing:0.08em',
}

/** The parts as plain text and as HTML. */
export function renderParts(parts: readonly Part[]): { text: string; html: string } {
  const text = `${parts.map(asText).join('\n\n')}\n`
  const head = '<meta charset="utf-8"><meta name="color-scheme" content="light dark">'
  const body = parts.map(asHtml).join('\n')
  return {
    text,
    html: `<!doctype html>\n<html lang="en"><head>${head}</head><body style="${styles.body}">\n${body}\n</body></html>\n`,
  }
}

function asText(part: Part): string {
  if (typeof part === 'string') return part
  return 'link' in part ? part.link : part.code
}

function asHtml(part: Part): string {
  if (typeof part === 'string') return `<p>${escapeHtml(part)}</p>`
  if ('code' in part) return `<p style="${styles.code}">${escapeHtml(part.code)}</p>`
  return `<p><a href="${escapeHtml(part.link)}" style="${styles.link}">${escapeHtml(part.label)}</a></p>`
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => entities[sign]!)
}
