import { assert, describe, it } from "vitest"
import {
  decodePacked,
  type Packed,
  problemsOfFiles,
  problemsOfLicences,
  targetsOf
} from "../../../tools/release/tarball.ts"

const targets = targetsOf({
  exports: { ".": { types: "./dist/index.d.ts", default: "./dist/index.js" }, "./package.json": "./package.json" },
  bin: { reins: "./dist/program.js" }
})

const packed = (more: ReadonlyArray<string> = [], sizes: Partial<Packed> = {}): Packed => ({
  filename: "reins-0.1.0.tgz",
  size: 2_700_000,
  unpackedSize: 10_500_000,
  files: ["LICENSE", "README.md", "CHANGELOG.md", "dist/LICENSES.txt", ...targets, ...more].map((path) => ({ path })),
  ...sizes
})

describe("the files of the package", () => {
  it("are those that its users need", () => {
    assert.deepStrictEqual(targets, ["dist/index.d.ts", "dist/index.js", "package.json", "dist/program.js"])
    const more = ["dist/cli/Cli.d.ts", "dist/precomputed.json", "docs/events.md", "examples/budget/main.ts"]
    assert.deepStrictEqual(problemsOfFiles(packed([...more, "fixtures/programs/live/pi.mjs"]), targets), [])
  })

  it.each([
    ".env",
    "dist/promise.ts",
    "dist/index.tsbuildinfo",
    "test/a.test.ts",
    "src/index.ts",
    "docs/a/b.md",
    "a.tgz"
  ])("have no %s", (path) => {
    assert.deepStrictEqual(problemsOfFiles(packed([path]), targets), [`${path} does not belong into the package`])
  })

  it("are complete, and not too large", () => {
    const without = { files: packed().files.filter(({ path }) => path !== "dist/index.d.ts" && path !== "LICENSE") }
    assert.deepStrictEqual(problemsOfFiles(packed([], { ...without, unpackedSize: 40_000_000 }), targets), [
      "LICENSE is missing in the package",
      "dist/index.d.ts is missing in the package",
      "unpackedSize: 40.0 MB, at most 14.0 MB"
    ])
  })

  it("are read from both forms of npm's answer", () => {
    assert.deepStrictEqual(decodePacked([packed()]), packed())
    assert.deepStrictEqual(decodePacked({ reins: packed() }), packed())
    assert.throws(() => decodePacked([]))
  })
})

describe("the licences of what the package carries", () => {
  it("are free", () => {
    const text = "They contain:\n\n@effect/platform-node 4.1.0 (MIT)\n\nCopyright (c) 2023 A\n\nmarked 18.2.1 (ISC)\n"
    assert.deepStrictEqual(problemsOfLicences(text), [])
    assert.deepStrictEqual(problemsOfLicences(`${text}\nother 1.0.0 (GPL-3.0)\n`), [
      "other 1.0.0 has the licence GPL-3.0: it may not be carried without a decision"
    ])
  })

  it("are there", () => {
    assert.deepStrictEqual(problemsOfLicences(""), ["dist/LICENSES.txt names no package"])
  })
})
