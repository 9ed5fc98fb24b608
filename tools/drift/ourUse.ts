// The fields that our code reads of a CLI, and the flags that it passes, found in the code itself.
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { CliId } from "../../src/cli/clis.ts"
import type { OurUse } from "./compare.ts"
import { wordPlaces } from "./kinds.ts"
import { askedIn, type Recording } from "./vocabulary.ts"

/** A flag, a feature or a method counts as ours where the source has it as a word of a text. */
const mentionIn = (source: string) => (word: string) => {
  const [first = "", second] = word.split(" ")
  const name = /^(Client|Server)(Request|Notification)$/.test(first) && second !== undefined ? second : first
  const escaped = name.replaceAll(/[.*+?^${}()|[\]\\/]/g, "\\$&")
  return new RegExp(`["'\`\\s.]${escaped}["'\`\\s=]`).test(source)
}

const withoutComments = (source: string) => source.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|\s)\/\/.*$/gm, "")

export const ourUseOf = (id: CliId, root: string, recordings: ReadonlyArray<Recording>): OurUse => {
  const request = askedIn(recordings)
  const source = globSync(`src/cli/${id}/**/*.ts`, { cwd: root })
    .map((file) => withoutComments(readFileSync(join(root, file), "utf8")))
    .join("\n")
  return {
    asks: (wire, kind, path) => request.get(`${wire} ${kind}`)?.has(path) === true,
    mentions: mentionIn(source),
    isKindWord: (wire, path) => wordPlaces(id, wire === "live" ? "live" : "run").has(path)
  }
}
