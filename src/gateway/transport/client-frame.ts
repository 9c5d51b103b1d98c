import { isUtf8 } from 'node:buffer'

/** A frame from the client. */
export type ClientFrame = { op: number; d: unknown }

/** A JSON object with an int `op`, or undefined. */
export function readFrame(data: Buffer): ClientFrame | undefined {
  if (!isUtf8(data)) return undefined
  let value: unknown
  try {
    value = JSON.parse(data.toString('utf8'))
  } catch {
    return undefined
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const { op, d } = value as { op?: unknown; d?: unknown }
  return Number.isInteger(op) ? { op: op as number, d } : undefined
}
