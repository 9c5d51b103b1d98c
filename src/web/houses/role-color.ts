import type { Role } from '../state/state.ts'
import { store } from '../state/store.ts'

type Rgb = readonly [number, number, number]

/** `--text` and the surface that is hardest on it (`--surface-2`) of each theme, as sRGB. */
export const light = { text: [0x29, 0x1f, 0x18], surface: [0xf0, 0xea, 0xe4] } as const
export const dark = { text: [0xed, 0xe7, 0xdf], surface: [0x2a, 0x24, 0x1f] } as const

const wantedContrast = 4.5
const steps = 20

/** The colour of somebody's name in a house: that of their highest role that has one. */
export function nameColor(houseId: string | null, userId: string): string | undefined {
  const member = store.members.value[houseId ?? '']?.[userId]
  const ids = new Set(member?.roles.map(({ id }) => id))
  const roles = (store.houses.value[houseId ?? '']?.roles ?? []).filter(({ id }) => ids.has(id))
  return roles
    .sort((a, b) => b.position - a.position)
    .map(roleColor)
    .find(Boolean)
}

/** The colour of a role, readable in both themes. Black stands for none. */
export function roleColor(role: Role): string | undefined {
  if (!/^#?[0-9a-f]{6}$/i.test(role.color) || /^#?0{6}$/.test(role.color)) return undefined
  const color = parse(role.color)
  return `light-dark(${css(readable(color, light))}, ${css(readable(color, dark))})`
}

/** The colour, mixed with that of text until it stands out enough from the surface. */
export function readable(color: Rgb, { text, surface }: { text: Rgb; surface: Rgb }): Rgb {
  for (let step = 0; step < steps; step += 1) {
    const mixed = mix(color, text, step / steps)
    if (contrast(mixed, surface) >= wantedContrast) return mixed
  }
  return text
}

/** The contrast of two colours, from 1 to 21. */
export function contrast(one: Rgb, other: Rgb): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

function luminance([red, green, blue]: Rgb): number {
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
}

function linear(channel: number): number {
  const value = channel / 255
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
}

function mix(one: Rgb, other: Rgb, share: number): Rgb {
  const at = (index: 0 | 1 | 2) => Math.round(one[index] * (1 - share) + other[index] * share)
  return [at(0), at(1), at(2)]
}

function parse(color: string): Rgb {
  const value = Number.parseInt(color.replace('#', ''), 16)
  return [value >> 16, (value >> 8) & 255, value & 255]
}

function css(color: Rgb): string {
  return `rgb(${color.join(' ')})`
}
