/**
 * Public types are documented, and the declarations of the plain doors name nothing of Effect. Needs a build for the latter.
 */
import { existsSync, globSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "vitest"
import { FailureReason } from "../../../src/contract/FailureReason.ts"
import { docstringsOf } from "../../../tools/docs/kit/docstrings.ts"
import { root } from "../../../tools/docs/kit/pages.ts"

/** A capital letter: a door exports from the file. */
const publicFiles = globSync("src/contract/[A-Z]*.ts", { cwd: root })
const read = (file: string) => readFileSync(join(root, file), "utf8")
const importsOf = (text: string) =>
  [...text.matchAll(/\bfrom "([^"]+)"|\bimport\("([^"]+)"\)/g)].map(([, from = "", called = ""]) => from || called)

/** They narrow a member of the same name, or tell the members of a union apart. */
const undocumented = new Set([
  "type",
  "_tag",
  "code",
  "category",
  "retryable",
  "decision",
  "match",
  "handler",
  "options",
  "by"
])

describe("src/contract", () => {
  it.each(publicFiles)("%s documents every member of its types", (file) => {
    const interfaces = [...read(file).matchAll(/^export interface [\s\S]*?^\}/gm)].map(([text]) => text.split("\n"))
    const withoutComment = interfaces.flatMap((lines) =>
      lines.flatMap((line, at) => {
        const [, name = "type"] = /^ {2}readonly (\w+)\??: /.exec(line) ?? []
        return lines[at - 1]?.endsWith("*/") === true || undocumented.has(name) ? [] : [name]
      })
    )
    assert.deepStrictEqual(withoutComment, [])
  })

  it.each(FailureReason.members.map(({ identifier }) => identifier))("documents the reason %s", (name) => {
    assert.notStrictEqual(docstringsOf(name).about, "")
  })
})

describe.each([
  ["dist/promise.d.ts", []],
  ["dist/testing.d.ts", []],
  ["dist/aiSdk.d.ts", ["ai in dist/plain/api/aiSdk/AiSdk.d.ts"]]
])("the declarations that %s leads to", (door, packages) => {
  const reached = new Map<string, ReadonlyArray<string>>()
  const outside = new Set<string>()
  const follow = (file: string) => {
    if (reached.has(file)) return
    const imports = importsOf(read(file))
    reached.set(file, imports)
    for (const path of imports) {
      if (!path.startsWith(".")) outside.add(`${path} in ${file}`)
      else follow(join(dirname(file), path.replace(/\.(js|ts)$/, ".d.ts")))
    }
  }
  it("import no package, or only the one that the door is for", () => {
    assert.isTrue(existsSync(join(root, door)), "npm run build")
    follow(door)
    assert.isAbove(reached.size, 15)
    assert.deepStrictEqual([...outside], packages)
  })
})
