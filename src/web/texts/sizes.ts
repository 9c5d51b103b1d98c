import { language } from './texts.ts'

const units = ['B', 'KiB', 'MiB', 'GiB'] as const

/** The size of a file: 1.5 MiB */
export function sizeText(bytes: number): string {
  const at = bytes < 1024 ? 0 : bytes < 1024 ** 2 ? 1 : bytes < 1024 ** 3 ? 2 : 3
  const maximumFractionDigits = at > 1 ? 1 : 0
  const number = new Intl.NumberFormat(language.value, { maximumFractionDigits })
  return `${number.format(bytes / 1024 ** at)} ${units[at]}`
}
