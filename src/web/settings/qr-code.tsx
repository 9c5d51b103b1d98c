import { generate } from 'lean-qr'

/** Light modules around the code, as scanners need them. */
const margin = 4

/** A text as a QR code, drawn as one path. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const code = generate(text)
  const side = code.size + 2 * margin
  return (
    <svg class="qr-code" viewBox={`0 0 ${side} ${side}`} role="img" aria-label={label}>
      <path d={pathOf(code)} />
    </svg>
  )
}

type Modules = { size: number; get(x: number, y: number): boolean }

/** A square for each dark module. */
export function pathOf({ size, get }: Modules): string {
  let path = ''
  for (let y = 0; y < size; y += 1) {
    for (let x = 0; x < size; x += 1) {
      if (get(x, y)) path += `M${x + margin} ${y + margin}h1v1h-1z`
    }
  }
  return path
}
