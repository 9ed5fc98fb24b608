import { assert, describe, it } from "vitest"
import { notesOf, withLockedVersion, withVersion } from "../../../tools/release/notes.ts"

const changelog = `# Changes

## 0.2.0

### Minor Changes

- Something new.

## 0.1.0

- The first.

## 0.0.9
`

describe("the notes of a release", () => {
  it.each([
    ["0.2.0", "### Minor Changes\n\n- Something new."],
    ["0.1.0", "- The first."],
    ["0.0.9", undefined],
    ["0.1", undefined],
    ["1.0.0", undefined]
  ])("%s", (version, expected) => {
    assert.strictEqual(notesOf(changelog, version), expected)
  })
})

describe("the version", () => {
  it("stands in the names of packed files, and nowhere else", () => {
    assert.strictEqual(
      withVersion("npm install ./reins-0.1.0.tgz # since 0.1.0, as other-0.1.0.tgz", "0.2.0-rc.1"),
      "npm install ./reins-0.2.0-rc.1.tgz # since 0.1.0, as other-0.1.0.tgz"
    )
    assert.strictEqual(withVersion("reins-0.2.0-rc.1.tgz", "0.2.0"), "reins-0.2.0.tgz")
  })

  it("stands in the lock file twice, and that of a dependency remains", () => {
    const lockOf = (version: string) => ({
      name: "reins",
      version,
      packages: { "": { name: "reins", version }, "node_modules/a": { name: "a", version: "0.1.0" } }
    })
    const lock = JSON.stringify(lockOf("0.1.0"), undefined, 2)
    assert.deepStrictEqual(JSON.parse(withLockedVersion(lock, "0.2.0")), lockOf("0.2.0"))
  })
})
