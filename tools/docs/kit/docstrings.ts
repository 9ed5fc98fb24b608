// The comments in front of a public type and of its members. Editors show them, so the tables of the docs have the same
// words.
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "./pages.ts"

/** In each file a type comes before the Schema or class of the same name. */
const sources = globSync("src/contract/*.ts", { cwd: root }).map((file) => readFileSync(join(root, file), "utf8"))

const plain = (comment: string) =>
  comment
    .replaceAll(/^\s*\* ?/gm, "")
    .replaceAll(/\s+/g, " ")
    .trim()

export interface Docstrings {
  /** The whole declaration. */
  readonly about: string
  readonly fields: ReadonlyMap<string, string>
}

const comment = String.raw`/\*\*((?:(?!\*/)[\s\S])*)\*/`

const declarationOf = (name: string) => {
  const declared = new RegExp(
    `(?:${comment}\\n)?^(?:export )?(?:const|class|interface|(type)) ${name}\\b([\\s\\S]*?)(?:^[})]|$(?![\\s\\S])|\\{\\}$)`,
    "m"
  )
  return sources.map((source) => declared.exec(source)).find((match) => match !== null)
}

/** `<Id extends string> extends Shared<Id>, Parts {` → `Shared` and `Parts`. */
const parentsIn = (body: string) => {
  const head = (body.split(" {\n")[0] ?? "").replaceAll(/<[^<>]*>/g, "").trimEnd()
  const [, parents] = /^ extends (.*)$/.exec(head) ?? []
  return parents === undefined ? [] : parents.split(", ").filter(declarationOf)
}

/** A type, constant, class or interface, which ends with the first line that closes it without being indented. */
export const docstringsOf = (name: string): Docstrings => {
  const [found, about = "", alias, body = ""] = declarationOf(name) ?? []
  if (found === undefined) throw new Error(`src/contract has no ${name}`)
  if (alias !== undefined) return { about: plain(about), fields: new Map() }
  const own = [...body.matchAll(new RegExp(`^ {2}${comment}\\n {2}(?:readonly )?(\\w+)\\??:`, "gm"))]
  return {
    about: plain(about),
    fields: new Map([
      ...parentsIn(body).flatMap((parent) => [...docstringsOf(parent).fields]),
      ...own.map(([, text = "", field = ""]) => [field, plain(text)] as const)
    ])
  }
}
