// Measures in the page, where it runs before its own scripts. Times are in ms, from an event to the end of the frame in which its outcome
// is painted.

const { port1, port2 } = new MessageChannel()
const afterFrame = []
port1.onmessage = () => afterFrame.shift()(performance.now())

/** Checks before every frame, and returns the time when the first frame that meets the condition was painted. */
function painted(holds) {
  return new Promise((resolve) => {
    const look = () => {
      if (!holds()) return requestAnimationFrame(look)
      afterFrame.push(resolve)
      port2.postMessage(undefined)
    }
    requestAnimationFrame(look)
  })
}

/** From the next event of this kind to the first frame after it that meets the condition. */
function timeFrom(kind, holds) {
  return new Promise((resolve) => {
    const begin = async ({ timeStamp }) => resolve((await painted(holds)) - timeStamp)
    addEventListener(kind, begin, { capture: true, once: true })
  })
}

const newest = () => [...document.querySelectorAll('[role=log] article')].at(-1)

/** Brings an element to its end, and from then on records each frame while it scrolls, until `end` is called. */
function watchScroll(element) {
  element.scrollTo(0, element.scrollHeight)
  const frames = []
  const rows = element.getElementsByTagName('article')
  let isOver = false
  const record = () => {
    frames.push({ at: performance.now(), top: element.scrollTop, rows: rows.length })
    if (!isOver) requestAnimationFrame(record)
  }
  requestAnimationFrame(record)
  return {
    end() {
      isOver = true
      const moved = frames.flatMap(({ top }, n) => (n > 0 && top !== frames[n - 1].top ? [n] : []))
      const scrolled = frames.slice(moved[0], (moved.at(-1) ?? 0) + 1)
      return {
        frames: scrolled.slice(1).map(({ at }, n) => at - scrolled[n].at),
        mostRows: Math.max(...frames.map(({ rows }) => rows)),
      }
    },
  }
}

globalThis.bench = {
  /** When the composer and messages are painted first, from the beginning of the navigation. */
  usable: painted(() => document.querySelector('form textarea') !== null && newest() !== undefined),
  nextKey: () => timeFrom('keydown', () => true),
  nextSend: (text) => timeFrom('keydown', () => newest()?.textContent.includes(text)),
  nextSwitch: (id) => timeFrom('click', () => newest()?.dataset.id === id),
  /** Waits until another message than this one is the newest, and gives its id. */
  newestBut: (id) => painted(() => newest() && newest().dataset.id !== id).then(() => newest().dataset.id),
  /** Follows links in turn, from the second on, each once the newest message of the last is painted. */
  async switchRooms(hrefs, count) {
    for (let n = 1; n <= count; n += 1) {
      const before = newest()?.dataset.id
      document.querySelector(`.rooms a[href="${hrefs[n % hrefs.length]}"]`).click()
      await bench.newestBut(before)
    }
  },
  watchScroll,
}
