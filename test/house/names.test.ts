/** The name of a file begins with a capital letter if and only if a door exports from it. */
import { readFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { assert, describe, it } from "vitest"
import { doors, root, sources } from "./sources.ts"

/** The files that a file exports from. */
const reexported = (file: string): ReadonlyArray<string> => {
  const exports = /^export (?:type )?(?:\*(?: as \w+)?|\{[^}]*\}) from "(\.[^"]+)"/gm
  return [...readFileSync(join(root, file), "utf8").matchAll(exports)].map(([, path = ""]) => join(dirname(file), path))
}

const isDoor = (file: string) => doors.includes(file)
const isCapital = (file: string) => /^[A-Z]/.test(basename(file))

/** The closure over re-exports. */
const exportedBy = (files: ReadonlyArray<string>): ReadonlySet<string> => {
  const all = new Set<string>()
  const add = (file: string) => {
    if (all.has(file)) return
    all.add(file)
    reexported(file).forEach(add)
  }
  files.forEach(add)
  return all
}

describe("the name of a file", () => {
  const named = doors.flatMap(reexported).filter((file) => !isDoor(file))

  it("begins with a capital letter if a door exports from the file", () => {
    assert.isAbove(named.length, 20)
    assert.deepStrictEqual(
      named.filter((file) => !isCapital(file)),
      []
    )
  })

  it("begins with a small letter if no door exports from it", () => {
    const all = exportedBy(named)
    assert.deepStrictEqual(
      sources().filter((file) => isCapital(file) && !all.has(file)),
      []
    )
  })
})
