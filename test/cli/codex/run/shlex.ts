/** Words joined as Rust's shlex 1.3 joins them, which is how Codex shows a command: pieces in the quotes that suit each. */

type Quotes = "none" | "single" | "double"

const fits: Readonly<Record<Quotes, RegExp>> = {
  none: /^[A-Za-z0-9+\-./:@\]_]$/,
  single: /^[^'^\\]$/su,
  double: /^[^`$!^]$/su
}

const closed = (chunk: string, [quotes]: ReadonlyArray<Quotes>) => {
  if (quotes === "none") return chunk
  return quotes === "single" ? `'${chunk}'` : `"${chunk.replace(/["\\$`]/g, "\\$&")}"`
}

export const quoted = (word: string): string => {
  const characters = Array.from(word)
  if (characters.length === 0) return "''"
  let out = ""
  let chunk = ""
  let possible: ReadonlyArray<Quotes> = []
  for (const character of characters) {
    // Only directly behind an opening quote.
    const here = possible.filter((quotes) => fits[quotes].test(character))
    if (chunk !== "" && here.length > 0) {
      chunk += character
      possible = here
      continue
    }
    out += chunk === "" ? "" : closed(chunk, possible)
    chunk = character
    const all: ReadonlyArray<Quotes> = ["none", "single", "double"]
    possible = character === "^" ? ["single"] : all.filter((quotes) => fits[quotes].test(character))
  }
  return out + closed(chunk, possible)
}

export const joined = (words: ReadonlyArray<string>): string => words.map(quoted).join(" ")
