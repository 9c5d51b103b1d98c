import { fieldsInvalid } from '../../errors.ts'
import { greatestId, unknownId } from '../../ids.ts'
import { defaultListLimit, type ListQuery, type PageQuery } from './params.ts'

const defaultLimit = 50

/** The page that a query asks for, with at most one of the three ids. Throws `invalid_schema` for two at once. */
export function readPage({ limit, ...ids }: PageQuery) {
  const given = (['before', 'after', 'around'] as const).filter((name) => ids[name] !== undefined)
  if (given.length > 1) throw fieldsInvalid(...given)
  return { limit: limit === undefined ? defaultLimit : Number(limit), ...ids }
}

/** The page that a query asks for. */
export function readListPage({ before = greatestId, limit }: ListQuery) {
  return { before, limit: limit === undefined ? defaultListLimit : Number(limit) }
}

/** The page of a list in order of ids that a query asks for. */
export function readAscendingPage({ after = unknownId, limit }: { after?: string; limit?: string }) {
  return { after, limit: limit === undefined ? defaultLimit : Number(limit) }
}
