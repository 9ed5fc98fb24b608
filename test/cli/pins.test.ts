/** One table of versions: the CLIs and their recordings follow it, and no other file repeats them. */
import { globSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"
import { type CliId, clis } from "../../src/cli/clis.ts"
import { versions } from "../../src/cli/versions.ts"
import { recordedVersions } from "../kit/recordings.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const ids = Object.keys(clis) as ReadonlyArray<CliId> // its own keys

/** Comments name the version in which a fact was seen; they stay as they are. */
const withoutComments = (source: string) => source.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|\s)\/\/.*$/gm, "")

describe("the tested version", () => {
  it.each(ids)("of %s is that of its recordings", (id) => {
    assert.strictEqual(clis[id].testedVersion, versions[id].testedVersion)
    assert.deepStrictEqual(recordedVersions(id), [versions[id].testedVersion])
  })

  it("stands in one table", () => {
    const literals = Object.values(versions).map(({ testedVersion }) => testedVersion)
    const files = globSync("{src,test}/**/*.{ts,mjs}", { cwd: root }).filter((file) => file !== "src/cli/versions.ts")
    assert.isAbove(files.length, 300)
    const culprits = files.filter((file) => {
      const code = withoutComments(readFileSync(`${root}/${file}`, "utf8"))
      return literals.some((literal) => code.includes(literal))
    })
    assert.deepStrictEqual(culprits, [])
  })
})
