import { newId } from '../../src/ids.ts'

let firstId = newId()

/** From now on what the next file makes is new. */
export function beginFile(): void {
  firstId = newId()
}

/** Whether something names an id that the present file has made. */
export function isOfFile(value: unknown): boolean {
  if (typeof value === 'string') return /^[1-9]\d{14,18}$/.test(value) && BigInt(value) > BigInt(firstId)
  return typeof value === 'object' && value !== null && Object.values(value).some(isOfFile)
}
