/**
 * Live sessions recorded with the real `codex app-server`: for the same actions of the host, the dialogue writes the
 * recorded stdin line by line, and gives the expected events.
 */
import { assert, describe, it } from "vitest"
import type { AgentOpenParams } from "../../../../src/contract/AgentOpenParams.ts"
import { allow, answer, deny, interrupt, nextTurn, noAnswer, steerAsked, steerAt, stop, turn } from "./calls.ts"
import { brief, type Json, type Moment, ofType, play, when } from "./player.ts"

const opened = ["session", "Opened"]
const patch = "add /workspace/n1.txt"

type Row = readonly [string, AgentOpenParams, ReadonlyArray<Moment>, ReadonlyArray<string>]

const rows: ReadonlyArray<Row> = [
  ["reasoning-deltas", {}, [turn()], ["thinking", "thinking", "thinking", 'text "Hi"', "Success"]],
  [
    "two-approvals",
    {},
    [turn(), allow, allow, allow],
    [
      ...["use c2 echo b", "Asked", "use c1 echo a", "Asked", "result c1 a", "result c2 b"],
      ...[`use p_n1.txt ${patch}`, "Asked", `result p_n1.txt ${patch}`, 'text "end"', "Success"]
    ]
  ],
  [
    "approve-cancel",
    {},
    [turn(), stop, nextTurn("two"), stop, nextTurn("three")],
    [
      ...["use c1 echo a", "Asked", "error c1 ", "interrupted"],
      ...[`use p_n1.txt ${patch}`, "Asked", "error p_n1.txt did not finish", "interrupted", 'text "end"', "Success"]
    ]
  ],
  [
    "steer-mid-text",
    {},
    [turn(), steerAt("lo", "in text")],
    ['text "Hel"', 'text "lo"', 'text "\\n\\nsecond"', "Success"]
  ],
  ["steer-while-asked", {}, [turn(), steerAsked], ["use c1 echo 1", "Asked", "error c1 ", 'text "1"', "Success"]],
  [
    "interrupt-then-clean",
    {},
    [turn(), interrupt("tool_use")],
    ["use c1 (trap '' INT TERM; sleep 95551) & echo started; sleep 955511", ...["error c1 started", "interrupted"]]
  ],
  [
    "interrupt-while-asked",
    {},
    [turn(), when("Asked", (dialogue) => dialogue.interrupt()), nextTurn("next")],
    ["use c1 echo a", "Asked", "Withdrawn 0", "error c1 did not finish", "interrupted", 'text "end"', "Success"]
  ],
  [
    "question-feature",
    { questions: {} },
    [turn(), answer, noAnswer],
    ["notice warning", "Questioned", "Questioned", 'text "end"', "Success"]
  ],
  ["dynamic-parallel", {}, [turn()], ["use d1 one", "use d2 two"]],
  [
    "mcp-approval-untrusted-workspace-write",
    {},
    [turn(), allow, deny, allow],
    [
      ...["use m1 loc: write", "Asked", 'result m1 did write {"x":1}', "use m2 loc: look", "result m2 did look {}"],
      ...["use m3 loc: write", "Asked", "error m3 user rejected MCP tool call"],
      ...["use m4 loc: write", "Asked", 'result m4 did write {"x":3}'],
      ...["use m5 loc: write", 'result m5 did write {"x":4}', 'text "end"', "Success"]
    ]
  ],
  [
    "mcp-interrupted-while-asked",
    {},
    [turn(), when("Asked", (dialogue) => dialogue.interrupt())],
    ["use m1 loc: write", "Asked", "Withdrawn 0", "error m1 did not finish", "interrupted"]
  ],
  [
    "mcp-server-elicitation",
    {},
    [turn()],
    [
      ...["use m1 loc: write", "notice warning"],
      ...['result m1 answer {"action":"accept","content":{"name":"Ann"}}', 'text "x"', "Success"]
    ]
  ],
  ["error-401", {}, [turn()], ["notice retry", "Failure"]],
  [
    "background-after-turn",
    {},
    [turn()],
    ["use c1 sleep 1.5; echo late", 'text "done"', "error c1 did not finish", "Success"]
  ]
]

describe("a recorded session", () => {
  it.each(rows)("%s", (name, params, moments, expected) => {
    const played = play(name, params, moments)
    const words = brief(played).filter((word) => word !== "usage")
    assert.deepStrictEqual(words, [...opened, ...expected])
    assert.isEmpty(ofType(played, "unknown"))
    assert.strictEqual(played.standing, name === "dynamic-parallel" ? "working" : "resting")
  })
})

/** Scenarios whose host wrote more, or something else. */
const otherwise: ReadonlySet<string> = new Set([
  ...["approve-cancel", "interrupt-while-asked", "mcp-interrupted-while-asked", "question-feature"],
  ...["dynamic-parallel", "mcp-server-elicitation"]
])

describe("the written lines", () => {
  it.each(rows.filter(([name]) => !otherwise.has(name)))("is what was accepted: %s", (name, params, moments) => {
    const { written: output, recorded } = play(name, params, moments)
    const isPersisting = (line: Json) => line.result?._meta?.persist !== undefined
    // Codex has its own answer for the whole session; here the session's memory decides.
    const same = recorded.map((line) => (isPersisting(line) ? { ...line, result: output.at(-1).result } : line))
    assert.sameDeepMembers(output.slice(3), same.slice(3))
    assert.deepStrictEqual(
      output.slice(0, 3).map(({ method }) => method),
      ["initialize", "initialized", "thread/start"]
    )
  })

  it("of answers goes by the ids of the questions, and no answer is one to each", () => {
    const { written: output } = play("question-feature", { questions: {} }, [turn(), answer, noAnswer])
    const none = { answers: ["(no answer: use your own default)"] }
    assert.deepStrictEqual(output.slice(4), [
      { id: 0, result: { answers: { color: { answers: ["Blue"] }, size: { answers: ["XXL"] } } } },
      { id: 1, result: { answers: { color: none, size: none } } }
    ])
  })

  it("of an interrupt comes before the answers to what was asked", () => {
    const moments = [turn(), when("Asked", (dialogue) => dialogue.interrupt())]
    const { written: output } = play("interrupt-while-asked", {}, moments)
    assert.deepStrictEqual(
      output.slice(4, 8).map(({ method, result }) => method ?? result.decision),
      ["turn/interrupt", "cancel", "thread/backgroundTerminals/list", "thread/backgroundTerminals/clean"]
    )
  })

  it("of a function that is not of this session is a failure that the model can read", () => {
    const { written: output } = play("dynamic-parallel", {}, [turn()])
    assert.deepStrictEqual(
      output.slice(4).map(({ id, result }) => [id, result.success]),
      [
        [0, false],
        [1, false]
      ]
    )
  })
})
