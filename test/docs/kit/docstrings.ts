// The comments in front of a Schema of the contract and of its fields. Editors show them, so the tables of the docs have
// the same words.
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "./pages.ts"

const sources = globSync("src/contract/*.ts", { cwd: root }).map((file) => readFileSync(join(root, file), "utf8"))

const plain = (comment: string) =>
  comment
    .replaceAll(/^\s*\* ?/gm, "")
    .replaceAll(/\s+/g, " ")
    .trim()

export interface Docstrings {
  /** Of the whole. */
  readonly about: string
  readonly fields: ReadonlyMap<string, string>
}

/** Of an exported constant, class or interface, which ends with the first line that closes it without being indented. */
export const docstringsOf = (name: string): Docstrings => {
  const exported = new RegExp(
    `(?:/\\*\\*((?:(?!\\*/)[\\s\\S])*)\\*/\\n)?^export (?:const|class|interface) ${name}\\b[\\s\\S]*?(?:^[})]|$(?![\\s\\S]))`,
    "m"
  )
  const [found, about = ""] = sources.map((source) => exported.exec(source)).find((match) => match !== null) ?? []
  if (found === undefined) throw new Error(`src/contract exports no ${name}`)
  const fields = [...found.matchAll(/^ {2}\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n {2}(?:readonly )?(\w+)\??:/gm)]
  return { about: plain(about), fields: new Map(fields.map(([, text = "", field = ""]) => [field, plain(text)])) }
}
