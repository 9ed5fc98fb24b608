/**
 * The public types are documented, name nothing of Effect, and are all that the declarations of the plain doors lead to. The
 * build has to be there.
 */
import { existsSync, globSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { FailureReason } from "../../../src/contract/FailureReason.ts"
import { docstringsOf } from "../../../tools/docs/kit/docstrings.ts"
import { root } from "../../../tools/docs/kit/pages.ts"

const types = globSync("src/types/*.ts", { cwd: root })
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

describe("src/types", () => {
  it.each(types)("%s imports its neighbours alone", (file) => {
    assert.deepStrictEqual(
      importsOf(read(file)).filter((path) => !/^\.\/\w+\.ts$/.test(path)),
      []
    )
  })

  it.each(types)("%s documents every member", (file) => {
    const lines = read(file).split("\n")
    const silent = lines.flatMap((line, at) => {
      const [, name = "type"] = /^ {2}readonly (\w+)\??: /.exec(line) ?? []
      return lines[at - 1]?.endsWith("*/") === true || undocumented.has(name) ? [] : [name]
    })
    assert.deepStrictEqual(silent, [])
  })
})

describe("a reason", () => {
  const classes = ["refusals", "mismatches", "failures"].flatMap((file) => [
    ...read(`src/contract/${file}.ts`).matchAll(/\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\nexport class (\w+)/g)
  ])
  it.each(classes.map(([, about = "", name = ""]) => ({ name, about })))("$name has one meaning", ({ name, about }) => {
    const words = about
      .replaceAll(/^\s*\* ?/gm, "")
      .replaceAll(/\s+/g, " ")
      .trim()
    assert.strictEqual(docstringsOf(name).about, words)
  })
  it("is a class in one of these files", () => assert.lengthOf(classes, FailureReason.members.length))
})

describe.each([
  ["dist/promise.d.ts", []],
  ["dist/testing.d.ts", []],
  ["dist/aiSdk.d.ts", ["ai in dist/aiSdk/AiSdk.d.ts"]]
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
  it("name nothing of another package but the one that they are for", () => {
    assert.isTrue(existsSync(join(root, door)), "npm run build")
    follow(door)
    assert.isAbove(reached.size, 15)
    assert.deepStrictEqual([...outside], packages)
  })
})
