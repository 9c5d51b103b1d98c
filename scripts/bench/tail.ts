import type { Server } from '../../test/support/server.ts'
import { onDatabase } from './databases.ts'
import type { Load, LoadRequest } from './load.ts'
import type { Row, Trace } from './report.ts'
import { houseId, person } from './seed.ts'

/** A message every so often, whose latency stands for those of all that are sent at the same moment. */
const sampleEveryMs = 5
/** The plot has one point, the longest of its latencies, for each such time. */
const pointMs = 250

/** Sends messages one after the other while something is done. Returns the latencies in ms over time. */
async function sampleWhile(origin: string, request: LoadRequest, work: () => Promise<void>): Promise<Trace> {
  const { method, path, headers, body } = request
  const points: number[] = []
  const started = performance.now()
  let isDone = false
  const working = work().finally(() => {
    isDone = true
  })
  while (!isDone) {
    const from = performance.now()
    const answer = await fetch(origin + path, { method, headers, body: body! })
    await answer.arrayBuffer()
    if (!answer.ok) throw new Error(`a message was answered ${answer.status}`)
    const now = performance.now()
    const point = Math.floor((now - started) / pointMs)
    points[point] = Math.max(points[point] ?? 0, now - from)
    await new Promise((resolve) => setTimeout(resolve, sampleEveryMs))
  }
  await working
  return { pointMs, longest: Array.from(points, (ms) => ms ?? 0) }
}

/** The longest of many sends, and their latencies over time. */
export async function measureTail(
  { load, connections, seconds }: { load: Load; connections: number; seconds: number },
  requests: LoadRequest[],
  hearth: Server,
): Promise<{ rows: Row[]; trace: Trace }> {
  const results: Awaited<ReturnType<Load['run']>>[] = []
  const trace = await sampleWhile(hearth.origin, requests[0]!, async () => {
    results.push(await load.run(hearth.origin, requests, connections, seconds))
  })
  const { requests: count, longest, p50, p999 } = results[0]!
  const sends = `${count.toLocaleString('en')} sends`
  const rows: Row[] = [
    {
      title: `Longest of ${sends}, ${connections} connections`,
      subject: `${longest.toFixed(0)} ms`,
      yardstick: '–',
      value: longest,
      unit: ' ms',
      target: 40,
      higherIsBetter: false,
    },
    {
      title: `p99.9 of them ÷ p50`,
      subject: `${p999.toFixed(2)} ms`,
      yardstick: `p50: ${p50.toFixed(2)} ms`,
      value: p999 / p50,
      unit: '',
      target: 5,
      higherIsBetter: false,
    },
  ]
  return { rows, trace }
}

const [doomedHouse, doomedRoom, doomedMessage] = [1n, 1_000_000n, 1_000n]

/** How long the sends of others take while a house of so many rooms and messages is deleted, and its messages after it. */
export async function measureDeletion(
  { hearth, databaseUrl, send }: { hearth: Server; databaseUrl: string; send: LoadRequest },
  size: { rooms: number; messages: number },
): Promise<Row> {
  const owner = person(0)
  await onDatabase(
    databaseUrl,
    `insert into houses (id, name, owner_id, default_permissions) values (${doomedHouse}, 'Doomed', ${owner.id}, 0);
    insert into members (house_id, user_id) select ${doomedHouse}, user_id from members where house_id = ${houseId(0)};
    insert into rooms (id, type, house_id, name, position)
      select ${doomedRoom} + n, 0, ${doomedHouse}, 'room', n from generate_series(0, ${size.rooms - 1}) as n;
    update room_heads set last_message_id = ${doomedMessage} + ${size.messages} where room_id >= ${doomedRoom};
    insert into messages (room_id, house_id, id, author_id, device_id, content)
      select ${doomedRoom} + n % ${size.rooms}, ${doomedHouse}, ${doomedMessage} + n, ${owner.id}, ${owner.session_id}, 'smoke and snow'
      from generate_series(0, ${size.messages - 1}) as n`,
  )
  const { longest } = await sampleWhile(hearth.origin, send, async () => {
    const headers = { authorization: owner.token }
    const answer = await fetch(`${hearth.origin}/houses/${doomedHouse}`, { method: 'DELETE', headers })
    if (!answer.ok) throw new Error(`the deletion was answered ${answer.status}`)
    for (let left = 1; left > 0; ) {
      await new Promise((resolve) => setTimeout(resolve, 500))
      left = (await onDatabase(databaseUrl, 'select from removed_rooms')).rowCount ?? 0
    }
  })
  const [rooms, messages] = [size.rooms, size.messages].map((count) => count.toLocaleString('en'))
  return {
    title: `Longest send while a house of ${rooms} rooms and ${messages} messages is deleted`,
    subject: `${Math.max(...longest).toFixed(0)} ms`,
    yardstick: '–',
    value: Math.max(...longest),
    unit: ' ms',
    target: 200,
    higherIsBetter: false,
  }
}
