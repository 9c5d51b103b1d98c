/** A page with nothing but a list of as many rows as messages: scrolled like the client, it shows what the machine can do. */
export function bareList(texts: readonly string[]): string {
  const rows = texts.map((text, n) => {
    const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
    return `<article><b class="hue${n % 8}">M</b><p>Member <time>10:02</time></p><div>${escaped}</div></article>`
  })
  return `<!doctype html>
<style>
  body { margin: 0; padding-inline: 312px 232px; font: 15px/1.45 sans-serif; }
  #list { height: 670px; margin-top: 52px; overflow: auto; }
  article { display: grid; grid-template-columns: 40px 1fr; column-gap: 12px; padding: 2px 16px; margin-top: 12px; }
  article > * { grid-column: 2; margin: 0; white-space: pre-wrap; }
  article > b { grid-column: 1; grid-row: 1 / span 2; height: 40px; border-radius: 50%; text-align: center; background: #dbb; }
</style>
<div id="list">${rows.join('\n')}</div>`
}
