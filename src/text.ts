/** Scripts whose letters ZWJ and ZWNJ join or part. */
const joining = String.raw`\p{M}\p{scx=Arab}\p{scx=Syrc}\p{scx=Mong}\p{scx=Nkoo}\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Tibt}`
/** Signs that take the vowel from a consonant of Indic scripts. */
const viramas = String.raw`\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca`
/** Signs that nobody sees by themselves: joiners, marks of direction, selectors, fillers. */
const invisible = String.raw`\p{DI}\u2800\ufff9-\ufffb\u{13430}-\u{1343f}\u{16fe4}\u{1d159}`
/** Where such a sign shapes what stands beside it. */
const shaping = [
  String.raw`(?<=[\p{ExtPict}\p{EMod}\ufe0f])\u200d(?=\p{ExtPict})`,
  String.raw`(?<=[${joining}])[\u200c\u200d](?=[${joining}])`,
  String.raw`(?<=\p{ExtPict})[\ufe0e\ufe0f]`,
  String.raw`(?<=[0-9#*])\ufe0f(?=\u20e3)`,
  String.raw`(?<=\p{UIdeo})[\u{e0100}-\u{e01ef}]`,
  // At the end of a word, too: Malayalam and Bengali write final consonants so.
  String.raw`(?<=[${viramas}])[\u200c\u200d]`,
  String.raw`(?<=\p{sc=Mong})[\u180b-\u180f]`,
  // Flags of parts of countries.
  String.raw`\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{3,6}\u{e007f}`,
]
const invisibles = new RegExp(`(${shaping.join('|')})|[${invisible}]`, 'gu')

/** A visible character, as the source of a regular expression. */
export const visibleCharacter = `[^\\s${invisible}]`
const visible = new RegExp(visibleCharacter, 'u')

/** The most units of UTF-16 that one character of a cleaned text may have been written with. */
const unitsPerCharacter = 4

/**
 * Whether a text is longer than one of so many characters can be that is cleaned. Such a text is not cleaned: composing
 * takes a time that grows with the square of its length.
 */
export function isTooLongToClean(text: string, maxLength: number): boolean {
  return text.length > unitsPerCharacter * maxLength
}

/** As much of a text as a cleaned text of so many characters is made of. */
export function startOf(text: string, maxLength: number): string {
  return text.slice(0, unitsPerCharacter * maxLength).toWellFormed()
}

/**
 * A line of text as it is stored: composed (NFC), without invisible characters except where they shape others, and with
 * spaces in place of the separators of lines and paragraphs. The time for it grows with the square of its length.
 */
export function cleanLine(text: string): string {
  return text
    .normalize('NFC')
    .replace(/[\u2028\u2029]/g, ' ')
    .replace(invisibles, (_, shaping?: string) => shaping ?? '')
}

/** Whether a text has a visible character. */
export function isVisible(text: string): boolean {
  return visible.test(text)
}
