import { common, createLowlight } from 'lowlight'
import type { ComponentChildren } from 'preact'
import { colourInTurn } from './coloring.ts'

const lowlight = createLowlight(common)

type Node = ReturnType<typeof lowlight.highlight>['children'][number]

/** A code with its parts coloured; undefined where the language is not known. */
function highlight(text: string, language: string): ComponentChildren {
  const name = language.trim().split(/\s/)[0]?.toLowerCase() ?? ''
  return lowlight.registered(name) ? lowlight.highlight(name, text).children.map(toVNode) : undefined
}

/** The same, one code after the other; undefined if it is no longer wanted when its turn comes. */
export function highlightInTurn(
  text: string,
  language: string,
  isWanted: () => boolean,
): Promise<ComponentChildren> {
  return colourInTurn(text, () => (isWanted() ? highlight(text, language) : undefined))
}

function toVNode(node: Node): ComponentChildren {
  if (node.type === 'text') return node.value
  if (node.type !== 'element') return null
  const names = node.properties.className
  return <span class={Array.isArray(names) ? names.join(' ') : undefined}>{node.children.map(toVNode)}</span>
}
