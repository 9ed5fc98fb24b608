/** The order of src: wings, and the folders in each of them. A rule of the linter has the allowed imports of each wing. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { doors, importsOf, root, sources, wings } from "./sources.ts"

const { overrides } = JSON.parse(readFileSync(join(root, ".biome.json"), "utf8"))

/** The folder of a wing, such as `cli/claude`; a file at the root of a wing counts as a folder of its own. */
const folderOf = (file: string) => {
  const [, wing = "", folder, ...rest] = file.split("/")
  return folder === undefined || rest.length === 0 ? file : `${wing}/${folder}`
}

/** Removes nodes without edges to remaining nodes until none is removed: the rest is on a cycle or leads to one. */
const cyclic = (edges: ReadonlyMap<string, ReadonlySet<string>>): ReadonlyArray<string> => {
  const left = new Map(edges)
  for (;;) {
    const ends = [...left].filter(([, to]) => [...to].every((name) => !left.has(name)))
    if (ends.length === 0) return [...left.keys()]
    for (const [name] of ends) left.delete(name)
  }
}

const edgesBetween = (nameOf: (file: string) => string) => {
  const edges = new Map<string, Set<string>>()
  for (const file of sources()) {
    const to = edges.get(nameOf(file)) ?? new Set<string>()
    for (const path of importsOf(file)) if (nameOf(path) !== nameOf(file)) to.add(nameOf(path))
    edges.set(nameOf(file), to)
  }
  return edges
}

describe("src", () => {
  it("has the wings and the doors, and nothing else", () => {
    assert.deepStrictEqual(
      new Set(readdirSync(join(root, "src"))),
      new Set([...wings, ...doors.map((door) => door.slice("src/".length)), "tsconfig.json"])
    )
  })

  it.each(wings)("explains %s in a README that names existing files", (wing) => {
    const folder = join(root, "src", wing)
    const text = readFileSync(join(folder, "README.md"), "utf8")
    const paths = [...text.matchAll(/`([\w/]+(?:\.ts|\/))`/g)].map(([, path = ""]) => path)
    assert.isNotEmpty(paths)
    assert.deepStrictEqual(
      paths.filter((path) => !existsSync(join(folder, path))),
      []
    )
  })

  it.each(wings)("has a rule of the linter that closes the wings after %s", (wing) => {
    const rule = overrides.find(({ includes }: { includes: ReadonlyArray<string> }) => includes[0] === `src/${wing}/**`)
    const closed = /\*\*\/\.\.\/\{?([\w,]+)\}?\/\*\*/.exec(JSON.stringify(rule))?.[1]?.split(",") ?? []
    assert.includeMembers(closed, wings.slice(wings.indexOf(wing) + 1))
  })

  it("has no cycle of wings", () => {
    assert.deepStrictEqual(cyclic(edgesBetween((file) => file.split("/")[1] ?? "")), [])
  })

  it("has no cycle of folders", () => {
    assert.deepStrictEqual(cyclic(edgesBetween(folderOf)), [])
  })

  it("has a check of cycles that finds one", () => {
    const edges = new Map([
      ["a", new Set(["b"])],
      ["b", new Set(["c"])],
      ["c", new Set(["b"])],
      ["d", new Set<string>()]
    ])
    assert.deepStrictEqual(cyclic(edges), ["a", "b", "c"])
  })
})
