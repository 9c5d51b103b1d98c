import { DamagedPicture } from './remaining.ts'

/** A box of a HEIF file (AVIF, HEIC); `from` is the start of its content, and `isCut` whether the file ends in it. */
export type Box = { type: string; start: number; from: number; end: number; isCut: boolean }

/** Pictures have some hundred boxes and items; the time that a file of tiny ones takes is limited. */
const maxSteps = 65_536

/** Reads a HEIF file. Throws `DamagedPicture` where numbers lead out of the file, or there are too many of them. */
export class BoxReader {
  readonly bytes: Buffer
  private steps = 0

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }

  step(): void {
    this.steps += 1
    if (this.steps > maxSteps) throw new DamagedPicture('too many boxes')
  }

  /** The boxes of the file; only the last one may be cut off. */
  listAll(): Box[] {
    const boxes: Box[] = []
    for (let at = 0; at + 8 <= this.bytes.length; at = boxes.at(-1)!.end) {
      boxes.push(this.readBox(at, this.bytes.length))
    }
    return boxes
  }

  /** The boxes in a box, between two places. */
  list(from: number, to: number): Box[] {
    const boxes: Box[] = []
    for (let at = from; at + 8 <= to; at = boxes.at(-1)!.end) boxes.push(this.readBox(at, to))
    if (boxes.at(-1)?.isCut) throw new DamagedPicture('a box is cut off')
    return boxes
  }

  private readBox(start: number, to: number): Box {
    this.step()
    const size = this.number(start, 4)
    const from = size === 1 ? start + 16 : start + 8
    const end = size === 0 ? to : start + (size === 1 ? this.number(start + 8, 8) : size)
    if (end < from) throw new DamagedPicture('a box has no size')
    return { type: this.text(start + 4, 4), start, from, end: Math.min(end, to), isCut: end > to }
  }

  text(at: number, length: number): string {
    this.require(at, length)
    return this.bytes.toString('latin1', at, at + length)
  }

  /** A number of 0 to 6, or of 8 bytes. */
  number(at: number, length: number): number {
    this.require(at, length)
    if (length === 0) return 0
    if (length <= 6) return this.bytes.readUIntBE(at, length)
    if (length !== 8) throw new DamagedPicture('an unknown size of numbers')
    return this.bytes.readUInt32BE(at) * 2 ** 32 + this.bytes.readUInt32BE(at + 4)
  }

  private require(at: number, length: number): void {
    if (at < 0 || at + length > this.bytes.length) throw new DamagedPicture('a box is cut off')
  }
}

/** Reads numbers one after the other. */
export class Cursor {
  private readonly reader: BoxReader
  at: number

  constructor(reader: BoxReader, at: number) {
    this.reader = reader
    this.at = at
  }

  number(length: number): number {
    this.at += length
    return this.reader.number(this.at - length, length)
  }
}
