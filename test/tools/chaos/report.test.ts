/** The table at the end, and the command line. */
import { assert, describe, it } from "vitest"
import { parseOptions } from "../../../tools/chaos/options.ts"
import { add, draw, nothing } from "../../../tools/chaos/report.ts"
import { warmUpOf } from "../../../tools/chaos/warmUps.ts"

const report = { findings: [], fired: ["abort"], killedBy: undefined, isHung: false }
const one = add(nothing, warmUpOf("claude", "effect"), report)
const sums = add(one, warmUpOf("codex", "promise"), { ...report, fired: ["abort", "edit"], killedBy: "SIGKILL" })

describe("the report", () => {
  it("says what was done, and that nothing was found", () => {
    const lines = draw({ seconds: 12.3, seed: 7, sums, found: [] }).split("\n")
    assert.include(lines, "runs                    2 (claude 1, codex 1)")
    assert.include(lines, "faults                  3 (abort 2, edit 1)")
    assert.include(lines, "hosts killed            1 (SIGKILL 1)")
    for (const kind of ["survivors", "missing done", "doubled done", "changed files", "leaked descriptors", "hangs"]) {
      assert.include(lines, `${kind.padEnd(24)}0`)
    }
  })

  it("says what was found, in what, and how to have it again", () => {
    const scenario = warmUpOf("claude", "effect")
    const found = [{ kind: "survivors", detail: "12: sleep", steps: "4", scenario } as const]
    const text = draw({ seconds: 1, seed: 7, sums, found })
    assert.include(text, "survivors in step 4: 12: sleep")
    assert.include(text, JSON.stringify(scenario))
    assert.include(text, "npm run chaos -- --seed 7 --only 4")
    assert.include(text.split("\n"), "survivors               1")
  })
})

describe("the command line", () => {
  it.each([
    [[], { seconds: 60, seed: 5, only: undefined, times: 1 }],
    [["--seconds", "3", "--seed=8"], { seconds: 3, seed: 8, only: undefined, times: 1 }],
    [["--only", "4", "--times", "9"], { seconds: 60, seed: 5, only: [4, 4], times: 9 }],
    [["--only", "4-12"], { seconds: 60, seed: 5, only: [4, 12], times: 1 }]
  ])("%j", (args, options) => {
    assert.deepStrictEqual(parseOptions(args, 5), options as ReturnType<typeof parseOptions>)
  })

  it.each([
    ["--seconds", "x"],
    ["--only", "0"],
    ["--only", "5-4"],
    ["--only", "1-2-3"],
    ["--only", "1-"],
    ["--unknown"],
    ["1"]
  ])("refuses %s %s", (...args) => {
    assert.isUndefined(parseOptions(args, 5))
  })
})
