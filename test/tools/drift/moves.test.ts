/** The command line of a CLI, the walk back to the oldest version, and the texts that move with a version. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { type CliId, clis } from "../../../src/cli/clis.ts"
import { withTestedVersion } from "../../../tools/drift/accept.ts"
import { featuresIn, flagsIn, protocolWordsIn } from "../../../tools/drift/offered.ts"
import { walkBack } from "../../../tools/drift/oldest.ts"
import type { Outcome } from "../../../tools/drift/report.ts"
import { ids } from "../../../tools/drift/targets.ts"
import { readVocabulary } from "../../../tools/drift/vocabularyFile.ts"

const root = new URL("../../..", import.meta.url).pathname.replace(/\/$/, "")

describe("flags", () => {
  it("are those at the beginning of a line, in any of the four manners", () => {
    const help = [
      "  --add-dir <directories...>            More, see --other",
      "  --allowedTools, --allowed-tools <tools...>",
      "      Text with --mentioned and -x",
      "  -d, --debug [filter]                  Mode",
      "  -i, --image <FILE>...",
      "      --print-logs   print logs to stderr   [boolean]",
      "                                        --far-right"
    ]
    const flags = ["--add-dir", "--allowed-tools", "--allowedTools", "--debug", "--image", "--print-logs", "-d", "-i"]
    assert.deepStrictEqual(flagsIn(help.join("\n")), flags)
  })

  it("are empty without help", () => assert.deepStrictEqual(flagsIn(""), []))
})

describe("what Codex tells of itself", () => {
  it("features have a stage and a default", () => {
    assert.deepStrictEqual(featuresIn("b_two   under development  false\na_one   stable   true\n\nWARN: x\n"), [
      "a_one stable true",
      "b_two under development false"
    ])
  })

  it("methods and fields come from its schemas", () => {
    const read = (name: string) =>
      name === "ServerRequest.json"
        ? {
            oneOf: [{ properties: { method: { enum: ["item/ask"] } } }, {}],
            definitions: { Ask: { properties: { id: {}, cwd: {} } }, Kind: { enum: ["a"] } }
          }
        : undefined
    assert.deepStrictEqual(protocolWordsIn(read), ["Ask.cwd", "Ask.id", "ServerRequest item/ask"])
  })
})

describe("the walk back", () => {
  const releases = Array.from({ length: 30 }, (_, index) => `1.0.${30 - index}`)
  const outcomeOf = (version: string, isGood: boolean): Outcome => ({
    cli: "claude",
    version,
    recorded: "1.0.30",
    tests: { passed: 1, failed: isGood ? [] : [{ file: "f", names: [], name: "", why: "" }], flaky: [] },
    differences: [],
    problems: []
  })

  it.each(Array.from({ length: 31 }, (_, broken) => [broken]))("finds the oldest above 1.0.%i", async (broken) => {
    const request: Array<string> = []
    const oldest = await walkBack(releases, async (version) => {
      request.push(version)
      return outcomeOf(version, Number(version.split(".")[2]) > broken)
    })
    assert.strictEqual(oldest?.version, broken === 30 ? undefined : `1.0.${broken + 1}`)
    assert.isAtMost(request.length, 11)
    assert.strictEqual(new Set(request).size, request.length)
  })
})

describe("accepting a version moves", () => {
  it.each(ids)("the table's row of %s, and no other", (id: CliId) => {
    const table = readFileSync(`${root}/src/cli/versions.ts`, "utf8")
    const moved = withTestedVersion(table, id, "99.88.77") ?? ""
    assert.strictEqual(moved.split("99.88.77").length, 2)
    assert.strictEqual(moved.replace("99.88.77", clis[id].testedVersion), table)
  })

  it.each(ids)("nothing for %s where it is the tested one: its vocabulary is that", (id: CliId) => {
    assert.strictEqual(readVocabulary(root, id)?.version, clis[id].testedVersion)
  })
})
