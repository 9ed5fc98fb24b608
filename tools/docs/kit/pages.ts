// The pages for users: the README and one page a task in docs/. Their code blocks, each with the remark in front of it
// that says what it prints, or why it is not run.
import { globSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"

export const root = fileURLToPath(new URL("../../..", import.meta.url))

/** Paths from the root. */
export const pages: ReadonlyArray<string> = ["README.md", ...globSync("docs/*.md", { cwd: root }).sort()]

/** Pages for people who change Reins or report something: in the repository and on the site, but not in the package. */
export const contributorPages: ReadonlyArray<string> = [
  "CONTRIBUTING.md",
  "CODE_OF_CONDUCT.md",
  "SECURITY.md",
  "decisions/README.md",
  ...globSync("decisions/*.md", { cwd: root, exclude: ["decisions/README.md"] }).sort()
]

export const readPage = (page: string) => readFileSync(join(root, page), "utf8")

export interface Block {
  readonly page: string
  /** From 1, in its page. */
  readonly line: number
  readonly language: string
  readonly code: string
  /**
   * `prints`: what its output must match. `not run`: why it is only compiled. `file`: the whole of a file, which other
   * blocks may import by its name. Undefined without a remark.
   */
  readonly remark:
    | { readonly _tag: "prints"; readonly pattern: RegExp }
    | { readonly _tag: "not run" }
    | { readonly _tag: "file"; readonly name: string }
    | undefined
}

const fence = /^(?:<!-- (prints|not run|file): (.+) -->\n)?```(\w*)\n([\s\S]*?)^```$/gm

const remarkOf = (kind: string | undefined, text: string): Block["remark"] => {
  if (kind === undefined) return undefined
  if (kind === "not run") return { _tag: "not run" }
  if (kind === "file") return { _tag: "file", name: basename(text) }
  const [, source, flags] = /^\/(.*)\/([a-z]*)$/.exec(text) ?? []
  if (source === undefined) throw new Error(`"prints" takes an expression between slashes: ${text}`)
  return { _tag: "prints", pattern: new RegExp(source, flags) }
}

export const blocksIn = (page: string, text: string): ReadonlyArray<Block> =>
  [...text.matchAll(fence)].map((match) => {
    const [, kind, remark = "", language = "", code = ""] = match
    const line = text.slice(0, match.index).split("\n").length
    return { page, line, language, code, remark: remarkOf(kind, remark) }
  })

export const blocks: ReadonlyArray<Block> = pages.flatMap((page) => blocksIn(page, readPage(page)))
