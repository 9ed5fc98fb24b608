/**
 * Help and version, which the whole program has printed for the build: to load it takes several times as long as a bare Node. The
 * sources have no such file; there the whole program answers.
 */
import { readFileSync } from "node:fs"

/** By its words: the output of a command line, styled as on a terminal. */
type Precomputed = Readonly<Record<string, string>>

const full: ReadonlyMap<string, string> = new Map([
  ["-h", "--help"],
  ["-v", "--version"]
])
const flags = ["--help", "--version", "--completions"]

const read = (): Precomputed => {
  try {
    return JSON.parse(readFileSync(new URL("./precomputed.json", import.meta.url), "utf8"))
  } catch {
    return {}
  }
}

/** False if the whole program is needed. */
export const printPrecomputed = (args: ReadonlyArray<string>): boolean => {
  const words = args.map((word) => full.get(word) ?? word)
  if (words.some((word) => word.includes(" "))) return false
  if (words.length > 0 && !words.some((word) => flags.includes(word))) return false
  const text = read()[words.join(" ")]
  if (text === undefined) return false
  const isStyled = process.stdout.isTTY === true && !process.env["NO_COLOR"]
  process.stdout.on("error", () => {}) // its reader has left
  process.stdout.write(isStyled ? text : text.replace(/\x1b\[[\d;]*m/g, ""))
  return true
}
