import type { Role } from '../../src/houses/roles/schemas.ts'
import { call, type Person } from './world.ts'

/** These roles of a house in the order of the ids, as the list of its roles has them. */
export async function rolesAs(caller: Person, houseId: string, ids: readonly string[]): Promise<Role[]> {
  const { data } = (await call(caller, 'GET', `/houses/${houseId}/roles`)).body
  return ids.map((id) => data.find((role: Role) => role.id === id))
}
