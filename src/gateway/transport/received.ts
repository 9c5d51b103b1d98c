/** Frames and bytes that clients may send in a minute. */
export type ReceivedLimit = { readonly frames: number; readonly bytes: number }

export const unlimited: ReceivedLimit = {
  frames: Number.POSITIVE_INFINITY,
  bytes: Number.POSITIVE_INFINITY,
}

const minuteMs = 60_000

/** What was received in the present minute, which begins with a frame: all frames, control frames too, and all bytes. */
export class Received {
  #beganMs = -minuteMs
  #frames = 0
  #bytes = 0

  add(nowMs: number, frames: number, bytes: number): void {
    if (this.isOver(nowMs)) {
      this.#beganMs = Math.trunc(nowMs)
      this.#frames = 0
      this.#bytes = 0
    }
    this.#frames += frames
    this.#bytes += bytes
  }

  exceeds({ frames, bytes }: ReceivedLimit): boolean {
    return this.#frames > frames || this.#bytes > bytes
  }

  /** Whether the next frame begins another minute. */
  isOver(nowMs: number): boolean {
    return nowMs - this.#beganMs >= minuteMs
  }
}
