import { signal } from '@preact/signals'

export type Emoji = { text: string; names: string[]; label: string; group: number }

/** All emoji, in their usual order; none before they are loaded. */
export const allEmoji = signal<readonly Emoji[]>([])

let loading: Promise<void> | undefined

/** Loads the emoji, once: the page does without them until somebody wants one. */
export function loadEmoji(): Promise<void> {
  loading ??= readEmoji().catch((error: unknown) => {
    loading = undefined
    throw error
  })
  return loading
}

async function readEmoji(): Promise<void> {
  const [list, names] = await Promise.all([
    import('emojibase-data/en/compact.json'),
    import('emojibase-data/en/shortcodes/github.json'),
  ])
  const byCode: Record<string, string | string[]> = names.default
  const found = list.default.flatMap(({ unicode, hexcode, label, group }) => {
    // Parts of others, as skin tones, have no group or are no emoji alone.
    if (group === undefined || group === components) return []
    const known = byCode[hexcode] ?? label.replaceAll(/[^\p{L}\p{N}]+/gu, '_')
    return [{ text: unicode, names: [known].flat(), label, group }]
  })
  allEmoji.value = found
}

const components = 2
