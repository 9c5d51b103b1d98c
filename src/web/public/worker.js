// The service worker: it keeps the page and its scripts, so that the client opens without a connection. What the server
// answers for people (`/v1`, files of messages) is never kept.
const shell = 'shell'
const mostKept = 100
const assets = '/app/assets/'

self.addEventListener('install', (event) => {
  self.skipWaiting()
  // Without the page it is kept at the next visit: pushes work meanwhile.
  event.waitUntil(
    fetch('/app/')
      .then(keepPage)
      .catch(() => {}),
  )
})
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()))

// What the page has loaded before it had a worker.
self.addEventListener('message', (event) => {
  const paths = event.data.loaded.filter((path) => path.startsWith(assets))
  event.waitUntil(Promise.allSettled(paths.map(asset)))
})

self.addEventListener('fetch', (event) => {
  const { request } = event
  const url = new URL(request.url)
  if (request.method !== 'GET' || url.origin !== self.location.origin || !url.pathname.startsWith('/app/'))
    return
  if (request.mode === 'navigate') event.respondWith(page(event))
  else if (url.pathname.startsWith(assets)) event.respondWith(asset(url.pathname))
})

// What a push is about: docs/api.md#push.
self.addEventListener('push', (event) => {
  const push = event.data.json()
  event.waitUntil(push.type === 'close' ? close(push) : show(push))
})

// The page tells the server of the new subscription when it is opened.
self.addEventListener('pushsubscriptionchange', (event) => {
  const options = event.oldSubscription?.options
  if (options && !event.newSubscription) event.waitUntil(self.registration.pushManager.subscribe(options))
})

self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(goTo(event.notification.data))
})

/** A name that does not change the order of what stands beside it, as in texts/isolation.ts. */
function isolated(name) {
  const rightToLeft =
    /[\p{sc=Hebr}\p{sc=Arab}\p{sc=Syrc}\p{sc=Thaa}\p{sc=Nkoo}\p{sc=Adlm}\p{sc=Samr}\p{sc=Mand}\p{sc=Rohg}]/u
  return rightToLeft.test(name) ? `\u2068${name}\u2069` : name
}

/** Shows a message in the one notification of its room. It has no words of its own: the worker knows no language. */
function show({ house_id, room_id, message_id, author, room, text, count }) {
  const where = house_id === null ? room : `#${isolated(room)}`
  const name = where === null ? author : `${isolated(author)} · ${where}`
  const path = house_id === null ? `/app/private/${room_id}` : `/app/houses/${house_id}/rooms/${room_id}`
  return self.registration.showNotification(count > 1 ? `${name} (${count})` : name, {
    body: text,
    tag: room_id,
    renotify: true,
    icon: '/app/icon.svg',
    data: `${path}?message=${message_id}`,
  })
}

/** Closes the notification of a room that was read up to a message. */
async function close({ room_id, message_id }) {
  for (const notification of await self.registration.getNotifications({ tag: room_id })) {
    const shown = new URLSearchParams(notification.data.split('?')[1]).get('message')
    if (BigInt(shown) <= BigInt(message_id)) notification.close()
  }
}

/** Shows a place in a window of the client, in a new one if there is none. */
async function goTo(path) {
  const windows = await self.clients.matchAll({ type: 'window' })
  const present = windows.find(({ focused }) => focused) ?? windows[0]
  if (!present) return self.clients.openWindow(path)
  present.postMessage({ path })
  // A browser may refuse to bring it to the front.
  await present.focus().catch(() => {})
}

/** The page from the server, else the kept one: every place of the client is the same page. */
async function page(event) {
  try {
    const response = await fetch(event.request)
    event.waitUntil(keepPage(response.clone()).catch(() => {}))
    return response
  } catch (error) {
    const cache = await caches.open(shell)
    const kept = await cache.match('/app/')
    if (kept) return kept
    throw error
  }
}

/** Keeps a page once all files that it begins with are kept: one that lacks some would stay blank. */
async function keepPage(response) {
  const isPage = response.ok && response.headers.get('Content-Type')?.startsWith('text/html')
  if (!isPage || response.redirected) return
  const text = await response.clone().text()
  const paths = [...text.matchAll(/"(\/app\/assets\/[^"]+)"/g)].map(([, path]) => path)
  const files = await Promise.all(paths.map(asset))
  if (!files.every(({ ok }) => ok)) return
  const cache = await caches.open(shell)
  await cache.put('/app/', response)
}

/** By path: those on their way. */
const loading = new Map()

/** A file with a hash in its name, which never changes: the kept one, else that of the server. */
async function asset(path) {
  const cache = await caches.open(shell)
  const kept = await cache.match(path)
  if (kept) return kept
  if (!loading.has(path))
    loading.set(
      path,
      load(path).finally(() => loading.delete(path)),
    )
  return (await loading.get(path)).clone()
}

async function load(path) {
  const response = await fetch(path)
  if (!response.ok) return response
  const cache = await caches.open(shell)
  await cache.put(path, response.clone())
  const oldest = (await cache.keys()).slice(0, -mostKept)
  await Promise.all(oldest.map((each) => cache.delete(each)))
  return response
}
