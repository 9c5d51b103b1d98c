import { presenceOf } from '../events/presence.ts'
import { member } from '../members/forms.ts'
import type { MemberRow } from '../members/queries.ts'
import type { Payload } from './frames.ts'

/** The bytes that a payload takes for a part that it shares with others. */
const referenceBytes = 8

type MemberPart = { json: string; bytes: number }

/**
 * Where a row keeps its part, with the presence that it shows: those who log in at the same moment are given the same
 * rows. As keys of a weak map, so many rows would take megabytes.
 */
const partOfRow = Symbol('part')

type RowWithPart = MemberRow & { [partOfRow]?: MemberPart & { presence: string } }

/** The parts that the events to several members of a house have in common, each made once for all of them. */
export class HouseParts {
  readonly #heads = new Map<string, string>()
  readonly #members = new Map<string, MemberPart>()

  /** The same text for all who see the same rooms. */
  head(json: string): string {
    const known = this.#heads.get(json)
    if (known === undefined) this.#heads.set(json, json)
    return known ?? json
  }

  /** The members as JSON, as many as fit into so many bytes. */
  membersWithin(maxBytes: number, members: readonly MemberRow[]): string[] {
    const listed: string[] = []
    let left = maxBytes
    for (const row of members) {
      const { json, bytes } = this.#member(row)
      left -= bytes + 1
      if (left < 0 && listed.length > 0) break
      listed.push(json)
    }
    return listed
  }

  #member(row: MemberRow): MemberPart {
    const known = this.#members.get(row.user_id)
    if (known) return known
    const part = makePart(row)
    this.#members.set(row.user_id, part)
    return part
  }
}

function makePart(row: RowWithPart): MemberPart {
  const presence = presenceOf(row.user_id)
  const known = row[partOfRow]
  if (known?.presence === presence) return known
  const json = JSON.stringify(member(row))
  row[partOfRow] = { json, bytes: Buffer.byteLength(json), presence }
  return row[partOfRow]
}

/**
 * A house with its members. Its text is big, and different for every receiver, so that only the parts are kept, which
 * they share.
 */
export class HousePayload implements Payload {
  readonly name: 'HOUSE_JOIN' | 'HOUSE_UPDATE'
  readonly length: number
  readonly ownLength: number
  readonly #head: string
  readonly #members: readonly string[]

  constructor(name: HousePayload['name'], head: string, members: readonly string[]) {
    this.name = name
    this.#head = head
    this.#members = members
    this.ownLength = members.length * referenceBytes
    this.length = members.reduce((sum, json) => sum + json.length + 1, head.length)
  }

  get json(): string {
    return `${this.#head.slice(0, -1)},"members":[${this.#members.join(',')}]}`
  }
}
