/** The order of versions, and what is read out of an answer to `--version`. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { compareVersions, standingOf, versionIn, versions } from "../../src/cli/versions.ts"

const ascending = [
  "0.50.0-alpha",
  "0.50.0-alpha.1",
  "0.50.0-alpha.beta",
  "0.50.0-beta.2",
  "0.50.0-beta.11",
  "0.50.0-rc.1",
  "0.50.0",
  "0.50.1-nightly.20261101",
  "0.50.1",
  "0.147.0",
  "0.168.5",
  "2.1.99",
  "2.1.309",
  "2.1.400"
]

describe("versions", () => {
  it("are ordered by number, a pre-release before its release", () => {
    for (const [i, a] of ascending.entries()) {
      for (const [j, b] of ascending.entries()) {
        assert.strictEqual(Math.sign(compareVersions(a, b)), Math.sign(i - j), `${a} and ${b}`)
      }
    }
  })

  it.each([
    ["2.1.328 (Claude Code)\n", "2.1.328"],
    ["codex-cli 0.50.0-alpha.1\n", "0.50.0-alpha.1"],
    ["v1.18.99", "1.18.99"],
    ["1.2", "1.2"],
    ["no number", undefined],
    ["", undefined],
    [`${"x".repeat(10_000)}1.2.3`, undefined],
    [`${"9".repeat(100)}.1`, undefined]
  ])("%j has %j", (answer, version) => assert.strictEqual(versionIn(answer), version))

  const Pieces = Schema.Array(Schema.Literals([..."0123456789.-ab \n\x1b"]))
  it.prop("of any answer are short, and have an order", [Pieces], ([pieces]) => {
    const version = versionIn(pieces.join(""))
    if (version === undefined) return
    assert.isAtMost(version.length, 100)
    assert.strictEqual(compareVersions(version, version), 0)
  })

  it.each(Object.entries(versions))("of %s: the oldest is known to work, the tested one is tested", (_, known) => {
    const { testedVersion, oldestVersion } = known
    assert.strictEqual(standingOf(testedVersion, known), "tested")
    assert.isAtMost(compareVersions(oldestVersion, testedVersion), 0)
    assert.strictEqual(standingOf(`${oldestVersion}-rc.1`, known), "older")
    const isOnly = compareVersions(oldestVersion, testedVersion) === 0
    assert.strictEqual(standingOf(`${testedVersion}-rc.1`, known), isOnly ? "older" : "good")
    assert.strictEqual(standingOf("999.0.0-rc.1", known), "newer")
  })
})
