/** A file's name begins with a capital letter if, and only if, a door shows what is in it. */
import { readFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { doors, root, sources } from "./sources.ts"

/** What a file hands on from others. */
const handedOn = (file: string): ReadonlyArray<string> => {
  const exports = /^export (?:type )?(?:\*(?: as \w+)?|\{[^}]*\}) from "(\.[^"]+)"/gm
  return [...readFileSync(join(root, file), "utf8").matchAll(exports)].map(([, path = ""]) => join(dirname(file), path))
}

const isDoor = (file: string) => doors.includes(file)
const isCapital = (file: string) => /^[A-Z]/.test(basename(file))

/** Also by files in between. */
const shown = (files: ReadonlyArray<string>): ReadonlySet<string> => {
  const all = new Set<string>()
  const add = (file: string) => {
    if (all.has(file)) return
    all.add(file)
    handedOn(file).forEach(add)
  }
  files.forEach(add)
  return all
}

describe("the name of a file", () => {
  const named = doors.flatMap(handedOn).filter((file) => !isDoor(file))

  it("has a capital letter where a door names the file", () => {
    assert.isAbove(named.length, 20)
    assert.deepStrictEqual(
      named.filter((file) => !isCapital(file)),
      []
    )
  })

  it("has none where no door shows it", () => {
    const all = shown(named)
    assert.deepStrictEqual(
      sources().filter((file) => isCapital(file) && !all.has(file)),
      []
    )
  })
})
