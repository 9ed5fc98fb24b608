/** A command line in one text → its words, with the quotes of a shell and nothing else of it; pure. */

/** Undefined where a quote is not closed. */
export const wordsOf = (text: string): ReadonlyArray<string> | undefined => {
  const words: Array<string> = []
  let word: string | undefined
  let quote: string | undefined
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? ""
    if (quote !== undefined) {
      if (character === quote) quote = undefined
      else if (character === "\\" && quote === '"' && /["\\]/.test(text[at + 1] ?? ""))
        word = `${word ?? ""}${text[++at]}`
      else word = `${word ?? ""}${character}`
    } else if (character === "'" || character === '"') {
      quote = character
      word ??= ""
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else if (character === "\\") word = `${word ?? ""}${text[++at] ?? "\\"}`
    else word = `${word ?? ""}${character}`
  }
  if (quote !== undefined) return undefined
  return word === undefined ? words : [...words, word]
}
