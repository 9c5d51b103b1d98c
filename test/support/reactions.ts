import { call, house, message, type Person, user } from './world.ts'

/** A message of ann's in a house with bob, and how to react to it. */
export async function reactionScene() {
  const [ann, bob] = [await user(), await user()]
  const den = await house({ owner: ann, members: [bob] })
  const id = await message(den.room_id, ann)
  const url = `/rooms/${den.room_id}/messages/${id}`
  const path = (emoji: string) => `${url}/reactions/${encodeURIComponent(emoji)}`
  const put = (person: Person, emoji: string) => call(person, 'PUT', path(emoji))
  const remove = (person: Person, emoji: string) => call(person, 'DELETE', path(emoji))
  const seenBy = async (person: Person) =>
    (await call(person, 'GET', `${url}?extended=true`)).body.data.reactions
  return { ann, bob, den, id, url, path, put, remove, seenBy }
}
