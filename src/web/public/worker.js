// The service worker: it keeps the page and its scripts, so that the client opens without a connection. What the server
// answers for people (`/v1`, files of messages) is never kept.
const shell = 'shell'
const mostKept = 100

self.addEventListener('install', () => self.skipWaiting())
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()))

self.addEventListener('fetch', (event) => {
  const { request } = event
  const url = new URL(request.url)
  if (request.method !== 'GET' || url.origin !== self.location.origin || !url.pathname.startsWith('/app/'))
    return
  if (request.mode === 'navigate') event.respondWith(page(request))
  else if (url.pathname.startsWith('/app/assets/')) event.respondWith(asset(request))
})

self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(goTo(event.notification.data))
})

/** Shows a place in a window of the client, in a new one if there is none. */
async function goTo(path) {
  const windows = await self.clients.matchAll({ type: 'window' })
  const present = windows.find(({ focused }) => focused) ?? windows[0]
  if (!present) return self.clients.openWindow(path)
  present.postMessage({ path })
  // A browser may refuse to bring it to the front.
  await present.focus().catch(() => {})
}

/** The page from the server, else the one of the last time: every place of the client is the same page. */
async function page(request) {
  const cache = await caches.open(shell)
  try {
    const response = await fetch(request)
    const isPage = response.ok && response.headers.get('Content-Type')?.startsWith('text/html')
    if (isPage && !response.redirected) await cache.put('/app/', response.clone())
    return response
  } catch (error) {
    const kept = await cache.match('/app/')
    if (kept) return kept
    throw error
  }
}

/** What has a hash in its name never changes. */
async function asset(request) {
  const cache = await caches.open(shell)
  const kept = await cache.match(request)
  if (kept) return kept
  const response = await fetch(request)
  if (response.ok) {
    await cache.put(request, response.clone())
    const oldest = (await cache.keys()).slice(0, -mostKept)
    await Promise.all(oldest.map((each) => cache.delete(each)))
  }
  return response
}
