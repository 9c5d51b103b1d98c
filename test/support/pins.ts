import { call, house, type Person, user } from './world.ts'

/** A house of ann's with bob, and how to pin messages in its room. */
export async function pinScene() {
  const [ann, bob] = [await user(), await user()]
  const { room_id } = await house({ owner: ann, members: [bob] })
  const pin = (id: string, person: Person = ann) => call(person, 'PUT', `/rooms/${room_id}/pins/${id}`)
  const unpin = (id: string) => call(ann, 'DELETE', `/rooms/${room_id}/pins/${id}`)
  const pinned = async () =>
    (await call(bob, 'GET', `/rooms/${room_id}/pins`)).body.data.map((one: { id: string }) => one.id)
  return { ann, bob, room_id, pin, unpin, pinned }
}
