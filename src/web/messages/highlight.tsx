import { common, createLowlight } from 'lowlight'
import type { ComponentChildren } from 'preact'

const lowlight = createLowlight(common)

type Node = ReturnType<typeof lowlight.highlight>['children'][number]

/** A code with its parts coloured; undefined where the language is not known. Loaded on demand. */
export function highlight(text: string, language: string): ComponentChildren {
  const name = language.trim().split(/\s/)[0]?.toLowerCase() ?? ''
  return lowlight.registered(name) ? lowlight.highlight(name, text).children.map(toVNode) : undefined
}

function toVNode(node: Node): ComponentChildren {
  if (node.type === 'text') return node.value
  if (node.type !== 'element') return null
  const names = node.properties.className
  return <span class={Array.isArray(names) ? names.join(' ') : undefined}>{node.children.map(toVNode)}</span>
}
