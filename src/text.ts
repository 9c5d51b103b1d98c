/** Scripts whose letters ZWJ and ZWNJ join or part. */
const joining = String.raw`\p{M}\p{scx=Arab}\p{scx=Syrc}\p{scx=Mong}\p{scx=Nkoo}\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Tibt}`
/** Characters that are not seen by themselves: joiners, marks of direction, selectors, fillers. */
const invisible = String.raw`\p{DI}\u2800\ufff9-\ufffb\u{1d159}`
/** Places where such a character shapes its neighbours. */
const shaping = [
  String.raw`(?<=[\p{ExtPict}\p{EMod}\ufe0f])\u200d(?=\p{ExtPict})`,
  String.raw`(?<=[${joining}])[\u200c\u200d](?=[${joining}])`,
  String.raw`(?<=\p{ExtPict})[\ufe0e\ufe0f]`,
  String.raw`(?<=[0-9#*])\ufe0f(?=\u20e3)`,
  String.raw`(?<=\p{UIdeo})[\u{e0100}-\u{e01ef}]`,
  String.raw`(?<=\p{sc=Mong})[\u180b-\u180d\u180f]`,
  // Flags of parts of countries, with the black flag itself: a lookbehind for it would look at each sign again and again.
  String.raw`\u{1f3f4}[\u{e0020}-\u{e007e}]*\u{e007f}?`,
]
const invisibles = new RegExp(`(${shaping.join('|')})|[${invisible}]`, 'gu')

/** A visible character, as the source of a regular expression. */
export const visibleCharacter = `[^\\s${invisible}]`
const visible = new RegExp(visibleCharacter, 'u')

/** The most characters (UTF-16) that are cleaned: the time to compose marks grows with the square of their number. */
export const maxCleanedLength = 4_096

/**
 * A line of text as it is stored, cut to `maxCleanedLength`: composed (NFC), without invisible characters except where they shape others, and with
 * spaces in place of the separators of lines and paragraphs.
 */
export function cleanLine(text: string): string {
  return text
    .slice(0, maxCleanedLength)
    .normalize('NFC')
    .replace(/[\u2028\u2029]/g, ' ')
    .replace(invisibles, (_, shaping?: string) => shaping ?? '')
}

/** Whether a text has a visible character. */
export function isVisible(text: string): boolean {
  return visible.test(text)
}
