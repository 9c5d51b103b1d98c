/** The parts of a picture cannot be told apart, so that its metadata cannot be removed. */
export class DamagedPicture extends Error {}

/** A picture without its metadata. */
export type Cleaned = { content: readonly Buffer[]; isChanged: boolean }

/** Pictures have some thousand parts; the time that a file of tiny ones takes is limited. */
export const maxParts = 65_536

/** Collects what remains of a file, in its order, and changes its bytes in place. */
export class Remaining {
  private readonly bytes: Buffer
  private readonly content: Buffer[] = []
  private parts = 0
  private start = 0
  private end = 0
  private blanked = 0
  private isChanged = false

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }

  /** Counts a part, which is kept or not. Throws `DamagedPicture` for more parts than a picture has. */
  count(parts = 1): void {
    this.parts += parts
    if (this.parts > maxParts) throw new DamagedPicture('too many parts')
  }

  keep(start: number, end: number): void {
    if (start !== this.end) {
      this.flush()
      this.start = start
    }
    this.end = end
  }

  insert(content: Buffer): void {
    this.flush()
    this.start = this.end
    this.content.push(content)
  }

  /** Overwrites bytes, first with `content`, and then with zeros. Throws `DamagedPicture` if parts overlap too often. */
  overwrite(start: number, end: number, content: Buffer = Buffer.alloc(0)): void {
    const part = this.bytes.subarray(start, end)
    this.blanked += part.length
    if (this.blanked > 2 * this.bytes.length) throw new DamagedPicture('overlapping parts')
    const isSame = part.subarray(0, content.length).equals(content.subarray(0, part.length))
    if (isSame && isZero(part.subarray(content.length))) return
    part.fill(0)
    content.copy(part)
    this.isChanged = true
  }

  finish(): Cleaned {
    this.flush()
    const isWhole = this.content.length === 1 && this.content[0]?.length === this.bytes.length
    return { content: this.content, isChanged: this.isChanged || !isWhole }
  }

  private flush(): void {
    if (this.end > this.start) this.content.push(this.bytes.subarray(this.start, this.end))
    this.start = this.end
  }
}

/** Whether all bytes are zero: the first one is, and each equals the one before it. */
function isZero(bytes: Buffer): boolean {
  return bytes.length === 0 || (bytes[0] === 0 && bytes.subarray(1).equals(bytes.subarray(0, -1)))
}
