const prefix = 'hearth.draft.'

/** What one has begun to write in a room; it outlives a reload. */
export function draftOf(roomId: string): string {
  return localStorage.getItem(prefix + roomId) ?? ''
}

export function keepDraft(roomId: string, text: string): void {
  if (text === '') localStorage.removeItem(prefix + roomId)
  else localStorage.setItem(prefix + roomId, text)
}

/** Forgets all of them, as somebody else may log in next. */
export function forgetDrafts(): void {
  const keys = Object.keys(localStorage).filter((key) => key.startsWith(prefix))
  for (const key of keys) localStorage.removeItem(key)
}
