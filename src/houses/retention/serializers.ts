import type { Retention } from './schemas.ts'

/** `maxAge` of a house and `serverMaxAge` are in seconds; null: there is no limit. */
export function serializeRetention(
  houseId: string,
  maxAge: number | null,
  serverMaxAge: number | null,
): Retention {
  const ages = [maxAge, serverMaxAge].filter((age) => age !== null)
  return {
    house_id: houseId,
    max_age: maxAge,
    server_max_age: serverMaxAge,
    effective_max_age: ages.length === 0 ? null : Math.min(...ages),
  }
}
