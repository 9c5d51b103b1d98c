import sharp from 'sharp'
import { firstIdAt } from '../../../src/ids.ts'
import { resident } from '../../support/accounts.ts'
import { inviteTo } from '../../support/invites.ts'
import { sendMedia } from '../../support/media.ts'
import { filePart } from '../../support/multipart.ts'
import { withTotp } from '../../support/two-factor.ts'
import { webhook } from '../../support/webhooks.ts'
import {
  admin,
  block,
  call,
  type Den,
  db,
  friends,
  group,
  house,
  houseRoom,
  oneToOne,
  type Person,
  role,
  user,
} from '../../support/world.ts'

type Rgb = [number, number, number]

/** A picture by the colour of each of its points. */
function paint(width: number, height: number, colorAt: (x: number, y: number) => Rgb): Promise<Buffer> {
  const points = Array.from({ length: width * height }, (_, at) =>
    colorAt(at % width, Math.floor(at / width)),
  )
  return sharp(Uint8Array.from(points.flat()), { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer()
}

/** Two hills before an evening sky. */
const hills = await paint(640, 300, (x, y) => {
  if (y > 235 + 25 * Math.sin(x / 110)) return [74, 59, 54]
  if (y > 180 + 45 * Math.sin(x / 140 + 2)) return [140, 106, 93]
  if (Math.hypot(x - 470, y - 110) < 42) return [239, 131, 84]
  return [247, 197 + y / 7, 159 + y / 4]
})
/** Rings, for a face. */
const rings = await paint(128, 128, (x, y) => {
  return Math.hypot(x - 64, y - 64) % 26 < 13 ? [61, 90, 108] : [247, 237, 226]
})
const asDataUrl = (png: Buffer) => `data:image/png;base64,${png.toString('base64')}`

/** Puts messages into a room, so many minutes ago. */
async function say(room_id: string, house_id: string | null, lines: [number, Person, string][]) {
  const rows = lines.map(([minutes, author, content], at) => ({
    id: String(BigInt(firstIdAt(Date.now() - minutes * 60_000)) + BigInt(at)),
    room_id,
    house_id,
    author_id: author.id,
    device_id: author.session_id,
    content,
  }))
  await db.insertInto('messages').values(rows).execute()
  await db
    .updateTable('rooms')
    .set({ last_message_id: rows.at(-1)!.id })
    .where('id', '=', room_id)
    .execute()
}

const send = (caller: Person, roomId: string, content: string, more: object = {}) =>
  call(caller, 'POST', `/rooms/${roomId}/messages`, { content, ...more })

const code = `It is in \`read.ts\`, and it is *short*:

\`\`\`ts
/** What is left to read. */
export function countUnread(messages: Message[], readUpTo: string): number {
  return messages.filter(({ id }) => compareIds(id, readUpTo) > 0).length
}
\`\`\``

const prose = `> A list, a quote, a [link](https://example.org/a/rather/long/path/to/something):

1. first
2. second, which goes on for longer than one line has room for, so that it shows how a list breaks where it has to break
3. ~~third~~ **last**`

type People = { ann: Person; bob: Person; cat: Person; dan: Person; long: Person; amal: Person }

async function makePeople(): Promise<People> {
  const ann = await user({ name: 'Ann', username: 'ann' })
  const bob = await user({ name: 'Bob', username: 'bob' })
  const cat = await user({ name: 'Cat', username: 'cat' })
  const dan = await user({ name: 'Dan Okafor', username: 'dan' })
  const long = await user({
    name: 'Wolfeschlegelsteinhausenbergerdorff the Elder of the Hills',
    username: 'wolfeschlegelsteinhausenberger',
  })
  const amal = await user({ name: 'أمل', username: 'amal' })
  await call(cat, 'PATCH', '/users/@me', { icon: asDataUrl(rings), bio: 'Tea, trains, and tiny servers.' })
  return { ann, bob, cat, dan, long, amal }
}

async function fillHouse(den: Den, { ann, bob, cat, dan, long, amal }: People) {
  await call(ann, 'PATCH', `/houses/${den.id}`, { name: 'The Den', description: 'Friends of the house.' })
  const host = await role(den, { position: 3, members: [ann] })
  const helper = await role(den, { position: 2, members: [bob] })
  const reader = await role(den, { position: 1, members: [cat] })
  const named = { [host]: ['Host', 'c2410c'], [helper]: ['Helper', '2e86de'], [reader]: ['Reader', '2f9e44'] }
  for (const [id, [name, color]] of Object.entries(named))
    await call(ann, 'PATCH', `/houses/${den.id}/roles/${id}`, { name, color })
  await call(ann, 'PATCH', `/rooms/${den.room_id}`, {
    name: 'general',
    description: 'What everybody should see',
  })
  const plans = await houseRoom(den, { name: 'plans' })
  const workshop = await houseRoom(den, { name: 'workshop' })
  const quiet = await houseRoom(den, { name: 'music' })
  const { body } = await call(ann, 'POST', `/houses/${den.id}/entities`, { name: 'Far away' })
  const entity_id = body.data.entities.at(-1).id
  await houseRoom({ ...den, entity_id }, { name: 'a-room-with-a-name-that-is-longer-than-the-list-is-wide' })
  await say(plans, den.id, [[50, bob, 'Saturday at eight?']])
  await say(den.room_id, den.id, [
    [1_460, cat, 'The kettle is back.'],
    [1_458, ann, 'Welcome. This server runs on the small machine in the hall.'],
    [64, bob, 'It took me **one link** and half a minute to get here.'],
    [63, bob, 'Does it keep what I write while the train is in a tunnel?'],
    [61, ann, 'Yes: it waits here and is sent once, in order, when the connection is back.'],
  ])
  await sendMedia(cat, den.room_id, filePart(hills, 'hill.png', 'image/png'), {
    name: 'content',
    value: 'From the window, just now',
  })
  await send(dan, den.room_id, 'That is the hill behind the station?')
  await send(bob, den.room_id, `It is. I put the dates into the room plans, <@${ann.id}>`)
  await say(workshop, den.id, [
    [200, ann, code],
    [198, ann, 'Looks right to me.'],
    [30, long, prose],
    [28, amal, 'مرحبا بالجميع، هذه رسالة من اليمين إلى اليسار.'],
    [20, dan, `https://example.org/${'very-long-address/'.repeat(8)}`],
    [2, cat, '👋'],
  ])
  await sendMedia(bob, workshop, filePart('Minutes\n'.repeat(400), 'minutes of the long meeting.txt'))
  await send(bob, workshop, 'This one is gone in an hour.', { exploding: true, exploding_age: 3_600 })
  return { workshop, quiet }
}

/** An admin, who has done something. */
async function makeAdmin({ amal }: People): Promise<Person> {
  const ruler = await admin()
  for (const disabled of [true, false]) await call(ruler, 'PATCH', `/admin/users/${amal.id}`, { disabled })
  await db.updateTable('users').set({ username: 'ruler', name: 'Ruler' }).where('id', '=', ruler.id).execute()
  return ruler
}

/** People, houses and rooms in which all the screens can be seen. */
export async function makeScene() {
  const people = await makePeople()
  const { ann, bob, cat, dan, long, amal } = people
  const den = await house({ owner: ann, members: [bob, cat, dan, long, amal] })
  const rooms = await fillHouse(den, people)
  for (const name of ['Rivers of the North', 'Zeppelin', 'Bakers and their ovens']) {
    const other = await house({ owner: dan, members: [ann] })
    await call(dan, 'PATCH', `/houses/${other.id}`, {
      name,
      ...(name[0] === 'Z' && { icon: asDataUrl(hills) }),
    })
  }
  await webhook(den, { name: 'Workshop calendar' })
  await call(ann, 'PUT', `/houses/${den.id}/bans/${(await user({ name: 'Spam' })).id}`, { reason: 'Spam' })
  for (const friend of [bob, dan, long]) await friends(ann, friend)
  await call(cat, 'POST', '/relationships/@me/friend-requests', { user_id: ann.id })
  await call(ann, 'POST', '/relationships/@me/friend-requests', { user_id: amal.id })
  await block(ann, await user({ name: 'Mallory', username: 'mallory' }))
  const withBob = await oneToOne(ann, bob)
  await say(withBob, null, [
    [300, bob, 'Are you coming by train?'],
    [280, ann, 'Yes, at six. Shall I bring the small table?'],
    [9, bob, 'Please do.'],
  ])
  const crew = await group(ann, bob, dan, long)
  await say(crew, null, [[90, dan, 'Who has the key of the shed?']])
  await oneToOne(ann, long)
  await call(ann, 'POST', '/bots', { username: 'robin-bot', name: 'Robin' })
  return {
    ...people,
    eve: await resident('eve'),
    ruler: await makeAdmin(people),
    // Their secret is theirs alone: one screen each.
    locked: await withTotp('locked'),
    den,
    ...rooms,
    withBob,
    crew,
    invite: await inviteTo(den),
    leaveUnread,
  }
}

/** Lets somebody have read a room up to the message with this text, by default to the end. */
async function leaveUnread(person: Person, room_id: string, text = ''): Promise<void> {
  const { id } = await db
    .selectFrom('messages')
    .select('id')
    .where('room_id', '=', room_id)
    .where('content', 'like', `${text}%`)
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow()
  await db
    .insertInto('read_states')
    .values({ user_id: person.id, room_id, message_id: id })
    .onConflict((conflict) => conflict.columns(['user_id', 'room_id']).doUpdateSet({ message_id: id }))
    .execute()
}

export type Scene = Awaited<ReturnType<typeof makeScene>>
