type Factory = {
  createPolicy(
    name: string,
    rules: { createScriptURL(url: string): string },
  ): {
    createScriptURL(url: string): string
  }
}

const address = '/app/worker.js'

/** Lets the service worker keep the page, where there is one to have: over https, or on this machine. */
export function startWorker(): void {
  if (import.meta.env.MODE !== 'production' || !('serviceWorker' in navigator)) return
  const { trustedTypes } = globalThis as { trustedTypes?: Factory }
  // The only address that ever becomes a script.
  const policy = trustedTypes?.createPolicy('hearth-worker', { createScriptURL: () => address })
  const url = policy?.createScriptURL(address) ?? address
  // Without it everything works but opening the page offline.
  navigator.serviceWorker.register(url, { scope: '/app/' }).then(nameLoaded, () => {})
}

/** Tells the worker what the page has loaded so far, also without it: the language, and what was shown. */
async function nameLoaded(): Promise<void> {
  const { active } = await navigator.serviceWorker.ready
  const loaded = performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname)
  active?.postMessage({ loaded })
}
