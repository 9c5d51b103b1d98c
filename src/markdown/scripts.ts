/** Letters of scripts that are written without spaces between words, and of Korean, whose particles follow a word directly. */
export const unspaced = String.raw`\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Bopo}\p{scx=Yiii}\p{sc=Hang}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}\p{sc=Tibt}`

/** A character that makes one word of it and a word beside it, as the source of a regular expression. */
export const wordSign = String.raw`(?![${unspaced}])[\p{L}\p{N}\p{M}]`

const wide =
  /[\u1100-\u11ff\u20a9\u2329\u232a\u2e80-\u4dbf\u4e00-\ua4cf\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\ufe10-\ufe1f\ufe30-\ufe6f\uff01-\uffee\u{16fe0}-\u{18dff}\u{1aff0}-\u{1b2ff}\u{20000}-\u{3fffd}]/u
const punctuation = /[\p{P}\p{S}]/u
const selector = /[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/u

/** What a character beside a mark is to emphasis. */
export type Neighbour = { isSpace: boolean; isPunctuation: boolean; isCjk: boolean }

/** What stands before a place; the selectors of variants belong to the character before them. */
export function before(src: string, at: number): Neighbour {
  let end = at
  let sign = signBefore(src, end)
  for (let n = 0; n < 2 && selector.test(sign); n += 1) {
    end -= sign.length
    sign = signBefore(src, end)
  }
  return neighbour(sign)
}

/** What stands at a place. */
export function after(src: string, at: number): Neighbour {
  return neighbour(at < src.length ? String.fromCodePoint(src.codePointAt(at)!) : '')
}

function signBefore(src: string, at: number): string {
  const isPair = (src.codePointAt(at - 2) ?? 0) > 0xffff
  return src.slice(Math.max(0, at - (isPair ? 2 : 1)), at)
}

/** Emoji are to emphasis what letters are. */
function neighbour(sign: string): Neighbour {
  return {
    isSpace: sign === '' || /\s/.test(sign),
    isPunctuation: sign.length === 1 && punctuation.test(sign),
    isCjk: wide.test(sign),
  }
}
