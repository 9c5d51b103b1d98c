import { type Box, BoxReader, Cursor } from './boxes.ts'
import { DamagedPicture } from './remaining.ts'

/** An item of a HEIF file: a picture, a tile of one, or metadata. `entry` is from its type to the end of its `infe` box. */
export type Item = { type: string; entry: Place | undefined } & Places
type Place = { start: number; end: number }
/** Where an item is, unless it is in another item. */
type Places = { extents: Place[]; isInItem: boolean }

/** The boxes of a HEIF file, and those of its `meta` box. */
export type Heif = { reader: BoxReader; boxes: Box[]; metaBoxes: Box[] }

/** Of a box with a version and flags. */
const versionBytes = 4

/** Reads the boxes of a HEIF file. Throws `DamagedPicture`, also without a `meta` box. */
export function readHeif(bytes: Buffer): Heif {
  const reader = new BoxReader(bytes)
  const boxes = reader.listAll()
  const meta = boxes.find(({ type }) => type === 'meta')
  if (!meta || meta.isCut) throw new DamagedPicture('no meta box')
  return { reader, boxes, metaBoxes: reader.list(meta.from + versionBytes, meta.end) }
}

/** The properties of the primary picture, in the order in which they apply. */
export function primaryProperties({ reader, metaBoxes }: Heif): Box[] {
  const primary = metaBoxes.find(({ type }) => type === 'pitm')
  const properties = metaBoxes.find(({ type }) => type === 'iprp')
  if (!primary || !properties) return []
  const idBytes = reader.number(primary.from, 1) === 0 ? 2 : 4
  const id = reader.number(primary.from + versionBytes, idBytes)
  const boxes = reader.list(properties.from, properties.end)
  const container = boxes.find(({ type }) => type === 'ipco')
  const all = container ? reader.list(container.from, container.end) : []
  const indexes = boxes.filter(({ type }) => type === 'ipma').flatMap((each) => associated(reader, each, id))
  return indexes.flatMap((index) => all[index - 1] ?? [])
}

/** The numbers of the properties that an `ipma` box gives an item; the first one is 1. */
function associated(reader: BoxReader, { from }: Box, wanted: number): number[] {
  const version = reader.number(from, 1)
  const isLong = (reader.number(from + 1, 3) & 1) === 1
  const cursor = new Cursor(reader, from + versionBytes)
  for (let left = cursor.number(4); left > 0; left -= 1) {
    reader.step()
    const id = cursor.number(version < 1 ? 2 : 4)
    const count = cursor.number(1)
    if (id !== wanted) cursor.at += count * (isLong ? 2 : 1)
    // The first bit says whether the property is essential.
    else return Array.from({ length: count }, () => cursor.number(isLong ? 2 : 1) & (isLong ? 0x7fff : 0x7f))
  }
  return []
}

/**
 * The size of a HEIF file as it is shown: cut, then turned. Undefined where it has none. Throws `DamagedPicture` where its
 * beginning does not have it.
 */
export function measureHeif(head: Buffer): { width: number; height: number } | undefined {
  const heif = readHeif(head)
  let size: { width: number; height: number } | undefined
  for (const { type, from } of primaryProperties(heif)) {
    const number = (place: number) => heif.reader.number(from + place, 4)
    if (type === 'ispe') size = { width: number(4), height: number(8) }
    else if (!size) continue
    else if (type === 'clap')
      size = { width: ratio(number(0), number(4)), height: ratio(number(8), number(12)) }
    else if (type === 'irot' && heif.reader.number(from, 1) % 2 === 1) {
      size = { width: size.height, height: size.width }
    }
  }
  return size
}

function ratio(dividend: number, divisor: number): number {
  return Math.max(1, Math.floor(dividend / Math.max(1, divisor)))
}

/** The items of a HEIF file, those that are nowhere included. Throws `DamagedPicture` where one is listed twice. */
export function listItems(heif: Heif): Item[] {
  const { metaBoxes } = heif
  const data = metaBoxes.find(({ type }) => type === 'idat')
  const places = metaBoxes.filter(({ type }) => type === 'iloc').flatMap((box) => listPlaces(heif, box, data))
  const entries = metaBoxes.filter(({ type }) => type === 'iinf').flatMap((box) => listEntries(heif, box))
  const placesById = byId(places)
  const entriesById = byId(entries)
  const unnamed = places.filter(({ id }) => !entriesById.has(id))
  return [
    ...unnamed.map((at) => ({ type: '', entry: undefined, ...at })),
    ...entries.map(({ id, type, entry }) => {
      const { extents, isInItem } = placesById.get(id) ?? { extents: [], isInItem: false }
      return { type, entry, extents, isInItem }
    }),
  ]
}

function byId<Numbered extends { id: number }>(all: readonly Numbered[]): Map<number, Numbered> {
  const found = new Map(all.map((each) => [each.id, each]))
  if (found.size < all.length) throw new DamagedPicture('an item is listed twice')
  return found
}

/** The entries of an `iinf` box. Before version 2 an entry has no type, and is none of a picture. */
function listEntries({ reader }: Heif, { from, end }: Box): { id: number; type: string; entry: Place }[] {
  const countBytes = reader.number(from, 1) === 0 ? 2 : 4
  return reader.list(from + versionBytes + countBytes, end).map((box) => {
    const version = reader.number(box.from, 1)
    const idBytes = version < 3 ? 2 : 4
    const start = box.from + versionBytes + idBytes + 2
    const type = version < 2 ? '' : reader.text(start, 4)
    return { id: reader.number(box.from + versionBytes, idBytes), type, entry: { start, end: box.end } }
  })
}

/** Where the items are, by an `iloc` box: in the file, or in the `idat` box (`data`). */
function listPlaces({ reader }: Heif, { from }: Box, data: Box | undefined): ({ id: number } & Places)[] {
  const version = reader.number(from, 1)
  const cursor = new Cursor(reader, from + versionBytes)
  const sizes = cursor.number(2)
  const [offsetBytes, lengthBytes] = [sizes >> 12, (sizes >> 8) & 15]
  const [baseBytes, indexBytes] = [(sizes >> 4) & 15, version === 0 ? 0 : sizes & 15]
  const places: ({ id: number } & Places)[] = []
  for (let left = cursor.number(version < 2 ? 2 : 4); left > 0; left -= 1) {
    const id = cursor.number(version < 2 ? 2 : 4)
    const method = version === 0 ? 0 : cursor.number(2) & 15
    cursor.at += 2
    const base = cursor.number(baseBytes) + (method === 1 ? (data?.from ?? 0) : 0)
    const end = method === 1 ? (data?.end ?? 0) : reader.bytes.length
    const extents = Array.from({ length: cursor.number(2) }, () => {
      reader.step()
      cursor.at += indexBytes
      const start = base + cursor.number(offsetBytes)
      const length = cursor.number(lengthBytes)
      return { start, end: length === 0 ? end : Math.min(start + length, reader.bytes.length) }
    })
    reader.step()
    places.push({ id, extents, isInItem: method === 2 })
  }
  return places
}

/** The colour profile (ICC) of the primary picture, if it has one. */
export function colorProfileOf(heif: Heif): Buffer | undefined {
  const { reader } = heif
  const box = primaryProperties(heif).find(({ type, from, end }) => {
    return type === 'colr' && end - from > 4 && /^(?:prof|rICC)$/.test(reader.text(from, 4))
  })
  return box && reader.bytes.subarray(box.from + 4, box.end)
}
