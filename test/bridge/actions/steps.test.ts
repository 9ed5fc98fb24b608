/** Single events → actions: kinds and titles, times, output, changes; and how they are labelled. */
import { assert, describe, it } from "vitest"
import { actionsOf } from "../../../src/bridge/actions/Actions.ts"
import type { Action, AgentAction } from "../../../src/bridge/actions/AgentAction.ts"
import { compactInput, outputOf, outputText } from "../../../src/bridge/actions/detail.ts"
import { actionStep, changesOf, noActionsYet } from "../../../src/bridge/actions/step.ts"
import { labelOf } from "../../../src/bridge/actions/tools.ts"
import type { AgentEvent } from "../../../src/contract/AgentEvent.ts"
import type { ToolUseEvent } from "../../../src/contract/ToolEvent.ts"

const use = (toolName: string, input: unknown = {}, more: Partial<ToolUseEvent> = {}): ToolUseEvent => ({
  type: "tool_use",
  toolId: "t",
  toolName,
  input,
  ...more
})
const result = (output: string, isError = false): AgentEvent => ({ type: "tool_result", toolId: "t", output, isError })

const only = (actions: ReadonlyArray<AgentAction>): Action => {
  const last = actions.at(-1)
  return last?.type === "action" ? last : assert.fail("no action")
}

describe("kind and title of a tool that comes without (UX-01)", () => {
  for (const [name, input, kind, title] of [
    ["Bash", { command: "npm test\nls" }, "command", "npm test"],
    ["KillShell", { shell_id: "s1" }, "command", "s1"],
    ["Edit", { file_path: "/w/a.ts" }, "file_change", "/w/a.ts"],
    ["Write", { file_path: "/w/b.ts" }, "file_change", "/w/b.ts"],
    ["NotebookEdit", { notebook_path: "/w/c.ipynb" }, "file_change", "/w/c.ipynb"],
    ["Read", { file_path: "/w/a.ts" }, "read", "/w/a.ts"],
    ["Glob", { pattern: "*.ts" }, "search", "*.ts"],
    ["Grep", { pattern: "foo", path: "src" }, "search", "foo"],
    ["WebSearch", { query: "cats" }, "web", "cats"],
    ["WebFetch", { url: "https://a.b", prompt: "sum up" }, "web", "https://a.b"],
    ["TodoWrite", { todos: [] }, "plan", "TodoWrite"],
    ["TodoRead", {}, "plan", "TodoRead"],
    ["AskUserQuestion", {}, "question", "AskUserQuestion"],
    ["Task", { description: "find callers", prompt: "…" }, "subagent", "find callers"],
    ["Agent", { prompt: "find callers" }, "subagent", "find callers"],
    ["mcp__db__execute", { sql: "…" }, "mcp", "db: execute"],
    ["constructor", {}, "other", "constructor"]
  ] as const) {
    it(name, () => assert.deepInclude(only(actionsOf([use(name, input)])), { kind, title }))
  }

  it("is what the CLI's decoder says, where it says it", () => {
    const action = only(actionsOf([use("Bash", { command: "x" }, { kind: "other", title: "mine" })]))
    assert.deepInclude(action, { kind: "other", title: "mine" })
  })

  it("is one harmless line of at most 300 characters", () => {
    const { title } = only(actionsOf([use("Bash", {}, { title: `a\n\u202eb ${"x".repeat(400)}` })]))
    assert.strictEqual(title, `${`a \\u202eb ${"x".repeat(400)}`.slice(0, 299)}…`)
  })
})

describe("an action", () => {
  it("is updated by news of its call, and keeps its start", () => {
    const [first] = actionStep(noActionsYet, use("shell", {}, { title: "…" }), 10)
    const [, [action]] = actionStep(first, use("shell", {}, { title: "ls", kind: "command" }), 20)
    assert.deepInclude(action, { phase: "updated", title: "ls", kind: "command", startedAt: 10 })
  })

  it("has its time where times are given, and its result in short", () => {
    const [first] = actionStep(noActionsYet, use("Bash", { command: "ls" }), 10)
    const [state, [action]] = actionStep(first, result("one\ntwo\n", true), 25)
    assert.deepInclude(action, { phase: "completed", ok: false, startedAt: 10, durationMs: 15 })
    const output = { characters: 8, lines: 2, firstLine: "one", truncated: true }
    assert.deepStrictEqual(action?.type === "action" && action.detail, { input: { command: "ls" }, output })
    assert.strictEqual(state.open.size, 0)
  })

  it("counts lines that the result alone reports", () => {
    const edits = [{ path: "/w/a", before: "a\nb\nc\n", after: "a\nB\nc\nd\n" }]
    const [first] = actionStep(noActionsYet, use("apply_patch"))
    const [, [action]] = actionStep(first, { ...result(""), edits } as AgentEvent)
    assert.deepInclude(action, { changes: { added: 2, removed: 1 } })
  })

  it("of a result alone is an unknown tool", () => {
    assert.deepInclude(only(actionsOf([result("x")])), {
      phase: "completed",
      toolName: "tool",
      kind: "other",
      ok: true
    })
  })

  it("that runs when a turn ends is completed without an outcome, once", () => {
    const error = { type: "error", message: "gone", code: "x", category: "other", retryable: false } as AgentEvent
    const end = {
      type: "turn_done",
      result: { outcome: "failed", reason: "agent_failed", text: "", durationMs: 1, aborted: false }
    } as AgentEvent
    const actions = actionsOf([use("Bash"), error, end, end])
    assert.deepStrictEqual(
      actions.map((one) => (one.type === "action" ? [one.phase, one.ok] : [one.type])),
      [["started", undefined], ["completed", undefined], ["completed"], ["completed"]]
    )
    assert.deepStrictEqual(
      actions.flatMap((one) => (one.type === "completed" ? [one.error?.message] : [])),
      ["gone", undefined]
    )
  })
})

describe("changed lines", () => {
  for (const [name, edits, changes] of [
    ["none", [], undefined],
    ["moved", [{ path: "/a", movedTo: "/b" }], undefined],
    ["written", [{ path: "/a", after: "1\n2\n" }], { added: 2, removed: 0 }],
    ["deleted", [{ path: "/a", before: "1\n2" }], { added: 0, removed: 2 }],
    ["context", [{ path: "/a", before: "1\n2\n3", after: "1\nx\n3" }], { added: 1, removed: 1 }],
    ["repeated", [{ path: "/a", before: "x\nx", after: "x\nx\nx" }], { added: 1, removed: 0 }]
  ] as const) {
    it(name, () => assert.deepStrictEqual(changesOf(edits), changes))
  }
})

describe("a compact input", () => {
  it("keeps what is short", () => {
    const input = { command: "ls", list: [1, true, null], deep: { er: { x: 1 } } }
    assert.deepStrictEqual(compactInput(input), input)
  })

  it("is bounded, whatever comes", () => {
    const wide = Array.from({ length: 1_000 }, (_, at) => [`k${at}`, "x".repeat(1_000)])
    const tree = (depth: number): unknown =>
      depth === 0 ? "x".repeat(500) : Array.from({ length: 30 }, () => tree(depth - 1))
    for (const input of ["x".repeat(1e6), Object.fromEntries(wide), tree(4), wide, { a: { b: { c: { d: 1 } } } }]) {
      const text = JSON.stringify(compactInput(input))
      assert.include(text, "(truncated)")
      assert.isBelow(text.length, 4_000)
    }
  })

  it("turns other values into JSON", () => {
    const input = { a: Number.NaN, b: 1n, c: undefined, d: () => 1, ["__proto__"]: 1 }
    assert.deepStrictEqual(compactInput(input), {
      a: "NaN",
      b: "bigint",
      c: "undefined",
      d: "function",
      ["__proto__"]: 1
    })
  })
})

describe("an output", () => {
  for (const [output, lines, text] of [
    ["", 0, ""],
    ["\n one \n", 1, "one"],
    ["one\ntwo", 2, "one (truncated)"],
    ["x".repeat(400), 1, `${"x".repeat(299)}… (truncated)`]
  ] as const) {
    it(JSON.stringify(output.slice(0, 10)), () => {
      const short = outputOf(output)
      assert.deepStrictEqual([short.lines, outputText(short)], [lines, text])
    })
  }
})

describe("a label", () => {
  for (const [kind, toolName, title, name, visible] of [
    ["read", "Read", "/w/src/a.ts", "Read", "src/a.ts"],
    ["read", "Read", "/other/a.ts", "Read", "/other/a.ts"],
    ["plan", "TodoWrite", "TodoWrite", "TodoWrite", ""],
    ["mcp", "mcp__db__execute", "db: execute", "db: execute", ""],
    ["mcp", "mcp__db__execute", "", "mcp__db__execute", ""]
  ] as const) {
    it(`${toolName} ${title}`, () =>
      assert.deepStrictEqual(labelOf({ kind, toolName, title }, "/w"), { name, title: visible }))
  }
})
