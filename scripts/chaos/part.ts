/** How long a run may be: quick ones together stay under three minutes and are part of the tests. */
export type Size = {
  quick: boolean
  /** How long a part that can go on for ever does so; null takes what the size says. */
  minutes: number | null
  /** What random choices grow from: the same seed makes the same choices. */
  seed: number
}

/**
 * What a part has counted or measured, by name, as it is printed. Where it is several figures, they make the row of a
 * table.
 */
export type Figures = Record<string, number | string | Row>
export type Row = Record<string, number | string>

/** One kind of attack on a server, and the promise that the server must keep. */
export type Part = {
  name: string
  /** The promise, in the words of docs/promises.md. */
  promise: string
  /** Most of its time it waits: quick runs have such parts side by side. */
  mostlyWaits?: boolean
  /** Runs the attack, and returns its figures. Throws `BrokenPromise` when the promise is broken. */
  run(size: Size): Promise<Figures>
}

/** A broken promise: a sentence with the observation, and the figures so far. */
export class BrokenPromise extends Error {
  readonly figures: Figures

  constructor(message: string, figures: Figures = {}) {
    super(message)
    this.figures = figures
  }
}
