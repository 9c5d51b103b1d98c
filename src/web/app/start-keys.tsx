import { startLater } from '../shell/start-later.ts'

/** Listens for the keys that work everywhere. Those that come before their module is loaded act once it is. */
export function startKeys(): () => void {
  return startLater(async () => {
    const early: KeyboardEvent[] = []
    const keep = (event: KeyboardEvent) => void early.push(event)
    addEventListener('keydown', keep)
    try {
      const { listenForKeys } = await import('./keys.tsx')
      return listenForKeys(early)
    } finally {
      removeEventListener('keydown', keep)
    }
  })
}
