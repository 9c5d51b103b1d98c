import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { picture } from './pictures.ts'
import { call, db, failure, folder, type Person } from './world.ts'

export function editOwnUser(caller: Person | null, body: unknown) {
  return call(caller, 'PATCH', '/users/@me', body)
}

export const usernameTaken = failure('username_taken', 'That username is already taken')

export function rowOf(person: Person) {
  return db.selectFrom('users').selectAll().where('id', '=', person.id).executeTakeFirstOrThrow()
}

/** A picture as it is sent in a body: base64. */
export async function pictureText(...size: Parameters<typeof picture>): Promise<string> {
  return (await picture(...size)).toString('base64')
}

/** Whether the store has this picture of a user. */
export function isStored(person: { id: string }, kind: 'icons' | 'headers', file: string): boolean {
  return existsSync(join(folder, 'files/users', person.id, kind, file))
}
