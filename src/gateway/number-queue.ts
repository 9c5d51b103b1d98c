const nothing = new Uint8Array(0)
/** The most bytes of a run: two numbers of up to eight bytes each. */
const maxRunBytes = 16
const leastBytes = 32

/** A queue of whole numbers. Consecutive numbers form a run, and a run takes a few bytes, however long it is. */
export class NumberQueue implements Iterable<number> {
  /** What is left of the oldest run: its first number, and its length. */
  #first = 0
  #firstLength = 0
  /** The runs between it and the newest: each by its distance from the end of the one before, and its length. */
  #bytes = nothing
  #start = 0
  #end = 0
  /** The newest run, which may still grow: the number that would continue it, and its length. */
  #next = 0
  #lastLength = 0
  /** The number after the last run of `#bytes`, or after the oldest where there is none. */
  #base = 0
  #length = 0

  get length(): number {
    return this.#length
  }

  push(number: number): void {
    this.#length += 1
    if (this.#lastLength > 0 && number !== this.#next) this.#writeLast()
    this.#next = number + 1
    this.#lastLength += 1
  }

  /** Removes and returns the oldest. */
  shift(): number | undefined {
    if (this.#length === 0) return undefined
    if (this.#firstLength === 0) this.#readFirst()
    const number = this.#first
    this.#first += 1
    this.#firstLength -= 1
    this.#length -= 1
    return number
  }

  /** All of them, the oldest first. */
  *[Symbol.iterator](): Generator<number> {
    yield* run(this.#first, this.#firstLength)
    let base = this.#first + this.#firstLength
    for (let at = this.#start; at < this.#end; ) {
      const [distance, afterDistance] = readNumber(this.#bytes, at)
      const [length, afterLength] = readNumber(this.#bytes, afterDistance)
      yield* run(base + signed(distance), length)
      base += signed(distance) + length
      at = afterLength
    }
    yield* run(this.#next - this.#lastLength, this.#lastLength)
  }

  #writeLast(): void {
    if (this.#end + maxRunBytes > this.#bytes.length) this.#grow()
    const first = this.#next - this.#lastLength
    this.#end = writeNumber(this.#bytes, this.#end, unsigned(first - this.#base))
    this.#end = writeNumber(this.#bytes, this.#end, this.#lastLength)
    this.#base = this.#next
    this.#lastLength = 0
  }

  #readFirst(): void {
    if (this.#start === this.#end) {
      this.#first = this.#next - this.#lastLength
      this.#firstLength = this.#lastLength
      this.#base = this.#next
      this.#lastLength = 0
      return
    }
    const [distance, afterDistance] = readNumber(this.#bytes, this.#start)
    const [length, afterLength] = readNumber(this.#bytes, afterDistance)
    this.#first += signed(distance)
    this.#firstLength = length
    this.#start = afterLength
    if (this.#start < this.#end) return
    this.#bytes = nothing
    this.#start = this.#end = 0
  }

  #grow(): void {
    const used = this.#bytes.subarray(this.#start, this.#end)
    this.#bytes = new Uint8Array(Math.max(leastBytes, used.length * 1.5 + maxRunBytes))
    this.#bytes.set(used)
    this.#start = 0
    this.#end = used.length
  }
}

function* run(first: number, length: number): Generator<number> {
  for (let number = first; number < first + length; number += 1) yield number
}

/** A variable-length number: seven bits per byte, the lowest first; the last byte is below 128. */
function writeNumber(bytes: Uint8Array, at: number, number: number): number {
  let rest = number
  let place = at
  while (rest > 127) {
    bytes[place++] = 128 + (rest % 128)
    rest = Math.floor(rest / 128)
  }
  bytes[place++] = rest
  return place
}

/** The number at this place, and the place after it. */
function readNumber(bytes: Uint8Array, at: number): [number: number, after: number] {
  let [number, unit, place] = [0, 1, at]
  while (bytes[place]! > 127) {
    number += (bytes[place++]! - 128) * unit
    unit *= 128
  }
  return [number + bytes[place]! * unit, place + 1]
}

/** Distances may be negative (zigzag encoding): 0, -1, 1, -2, … become 0, 1, 2, 3, … */
function unsigned(distance: number): number {
  return distance >= 0 ? distance * 2 : -distance * 2 - 1
}

function signed(number: number): number {
  return number % 2 === 0 ? number / 2 : -(number + 1) / 2
}
