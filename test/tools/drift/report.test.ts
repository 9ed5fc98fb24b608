/** The report at the end, the exit code, and how they follow from vitest's report and the tests' names. */
import { assert, describe, it } from "vitest"
import { afterRetry, outcomeOf, type TestsOutcome, together } from "../../../tools/drift/outcome.ts"
import { exitCodeOf, type Outcome, reportOf } from "../../../tools/drift/report.ts"
import { anyOf, selectionsOf } from "../../../tools/drift/selection.ts"

const failure = { file: "test/real/a.test.ts", names: ["group", "one"], name: "group › one", why: "no" }
const passed: TestsOutcome = { passed: 3, failed: [], flaky: [] }
const difference = { type: "break", where: "run result", what: "cost: number" } as const
const outcome: Outcome = { cli: "claude", version: "2.0.0", recorded: "1.0.0", differences: [], problems: [] }

describe("the exit code", () => {
  it.each([
    ["all is as it was", [{ ...outcome, tests: passed }], 0],
    ["nothing was asked for", [], 0],
    ["words differ", [outcome, { ...outcome, tests: passed, differences: [difference] }], 1],
    ["a scenario broke off", [{ ...outcome, problems: ["x"] }], 1],
    [
      "tests fail",
      [
        { ...outcome, tests: { ...passed, failed: [failure] } },
        { ...outcome, differences: [difference] }
      ],
      2
    ],
    ["a test passed only alone", [{ ...outcome, tests: { ...passed, flaky: ["x"] } }], 0]
  ] as const)("where %s", (_, outcomes, code) => assert.strictEqual(exitCodeOf(outcomes), code))
})

describe("the report", () => {
  it("says that nothing differs", () => {
    assert.deepStrictEqual(reportOf({ ...outcome, tests: passed }), [
      "claude 2.0.0, compared with 1.0.0",
      "  tests: 3 passed, 0 failed",
      "  the vocabulary is the same"
    ])
  })

  it("says what differs, breaks first, and what holds in several places once", () => {
    const differences = [
      { type: "offered new", where: "claude --help", what: "--new" } as const,
      difference,
      { ...difference, where: "live result" },
      { ...difference, what: "usage: object" }
    ]
    const tests = { passed: 1, failed: [failure], flaky: ["two"] }
    assert.deepStrictEqual(reportOf({ ...outcome, tests, differences, problems: ["text: not over after 120 s"] }), [
      "claude 2.0.0, compared with 1.0.0",
      "  tests: 1 passed, 1 failed",
      "    test/real/a.test.ts › group › one: no",
      "    passed only when tried once more: two",
      "  a scenario broke off: text: not over after 120 s",
      "  gone, and read or named by us (2)",
      "    cost: number  (run result, live result)",
      "    usage: object  (run result)",
      "  newly offered (1)",
      "    --new  (claude --help)"
    ])
  })
})

describe("tests", () => {
  const test = (title: string, status: string) => ({
    ancestorTitles: ["group"],
    title,
    status,
    failureMessages: status === "failed" ? ["why\n at x"] : []
  })

  it("are counted from vitest's report", () => {
    const file = { name: "/r/test/a.test.ts", message: "", status: "failed" }
    const report = {
      testResults: [
        { ...file, assertionResults: [test("one", "failed"), test("two", "passed"), test("three", "pending")] },
        { ...file, name: "/r/test/b.test.ts", message: "no module\nx", assertionResults: [] }
      ]
    }
    assert.deepStrictEqual(outcomeOf(report, "/r"), {
      passed: ["group › two"],
      failed: [
        { file: "test/a.test.ts", names: ["group", "one"], name: "group › one", why: "why" },
        { file: "test/b.test.ts", names: [], name: "", why: "no module" }
      ]
    })
  })

  it.each([
    ["passed", { passed: ["group › one", "other"], failed: [] }, { passed: 1, failed: [], flaky: ["group › one"] }],
    [
      "failed",
      { passed: ["other"], failed: [{ ...failure, why: "again" }] },
      { passed: 0, failed: [{ ...failure, why: "again" }], flaky: [] }
    ],
    ["was not found", { passed: [], failed: [] }, { passed: 0, failed: [failure], flaky: [] }]
  ])("one that %s when tried once more", (_, again, expected) => {
    assert.deepStrictEqual(afterRetry([failure], again), expected)
    assert.deepStrictEqual(together([passed, expected]), { ...expected, passed: 3 + expected.passed })
  })

  it("of one CLI are its own files, and in shared ones the tests that name it", () => {
    const files = ["a/claude.test.ts", "a/doors.test.ts", "a/codexTools.test.ts", "a/chat.test.ts", "a/rig/rig.test.ts"]
    assert.deepStrictEqual(selectionsOf("claude", files), [
      { files: ["a/claude.test.ts", "a/doors.test.ts"] },
      { files: ["a/chat.test.ts"], names: "[Cc]laude" }
    ])
    assert.deepStrictEqual(selectionsOf("gemini", files), [{ files: ["a/chat.test.ts"], names: "[Gg]emini" }])
  })

  it("are found by their names, whatever is in them", () => {
    const pattern = new RegExp(anyOf([["other"], ["a (b)", "$x/y?"]]))
    assert.match("file a (b) $x/y?", pattern)
    assert.match("a (b) > $x/y?", pattern)
    assert.notMatch("a (b) $x/y? more", pattern)
  })
})
