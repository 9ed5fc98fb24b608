/** Files and to-do lists of tool calls, for all CLIs: the wire of a call in, `paths`, `edits` and `plan` out. */
import { assert, describe, it } from "vitest"
import { acpDialogue } from "../../src/cli/acp/live/dialogue.ts"
import { askOf } from "../../src/cli/claude/live/permission.ts"
import { type CliId, clis } from "../../src/cli/clis.ts"
import { filesOf } from "../../src/cli/codex/live/fileEdits.ts"
import { makeToolCalls } from "../../src/cli/codex/live/items.ts"
import { isAction } from "../../src/cli/Live.ts"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import type { PlanEntry, PlanEvent, ToolUseEvent } from "../../src/contract/ToolEvent.ts"
import { runLines } from "./transcript.ts"

/** The line with which a run of the CLI reports a call. */
const lineOf: { readonly [Id in Exclude<CliId, "codex">]: (name: string, input: object) => object } = {
  claude: (name, input) => ({
    type: "assistant",
    message: { id: "m", content: [{ type: "tool_use", id: "t", name, input }] }
  }),
  gemini: (name, parameters) => ({ type: "tool_use", tool_name: name, tool_id: "t", parameters }),
  opencode: (name, input) => ({
    type: "tool_use",
    sessionID: "s",
    part: { type: "tool", tool: name, callID: "t", state: { status: "completed", input, output: "" } }
  }),
  pi: (toolName, args) => ({ type: "tool_execution_start", toolCallId: "t", toolName, args })
}

const item = (value: object) => ({ type: "item.completed", item: { id: "t", ...value } })

const callIn = (events: ReadonlyArray<AgentEvent>): ToolUseEvent =>
  events.find((event) => event.type === "tool_use") ?? assert.fail("no call")

const plansIn = (events: ReadonlyArray<AgentEvent>): ReadonlyArray<PlanEvent> =>
  events.filter((event) => event.type === "plan")

const files = ({ paths, edits }: Pick<ToolUseEvent, "paths" | "edits">) => ({ paths, edits })

type Row = readonly [tool: string, input: object, paths?: ReadonlyArray<string>, edits?: ToolUseEvent["edits"]]

const named = (rows: ReadonlyArray<Row>) => rows.map((row) => [`${row[0]} ${JSON.stringify(row[1])}`, row] as const)

const claude: ReadonlyArray<Row> = [
  ["Read", { file_path: "/w/a" }, ["/w/a"]],
  ["Glob", { pattern: "*.ts", path: "src" }, ["src"]],
  ["Glob", { pattern: "*.ts" }],
  ["Grep", { pattern: "x", path: "/w/src" }, ["/w/src"]],
  ["NotebookEdit", { notebook_path: "/w/n.ipynb", new_source: "1" }, ["/w/n.ipynb"]],
  ["Write", { file_path: "/w/a", content: "x" }, ["/w/a"], [{ path: "/w/a", after: "x" }]],
  ["Write", { file_path: "/w/a" }, ["/w/a"]],
  [
    "Edit",
    { file_path: "/w/a", old_string: "x", new_string: "y", replace_all: true },
    ["/w/a"],
    [{ path: "/w/a", before: "x", after: "y", everywhere: true }]
  ],
  ["Edit", { file_path: "/w/a", old_string: "", new_string: "y" }, ["/w/a"], [{ path: "/w/a", after: "y" }]],
  ["Edit", { file_path: "/w/a", old_string: 1, new_string: "y" }, ["/w/a"]],
  [
    "MultiEdit",
    {
      file_path: "/w/a",
      edits: [
        { old_string: "x", new_string: "y" },
        { old_string: "z", new_string: "" }
      ]
    },
    ["/w/a"],
    [
      { path: "/w/a", before: "x", after: "y" },
      { path: "/w/a", before: "z", after: "" }
    ]
  ],
  ["MultiEdit", { file_path: "/w/a", edits: [{ old_string: "x" }] }, ["/w/a"]],
  ["Edit", { file_path: ["/w/a"], old_string: "x", new_string: "y" }],
  ["Bash", { command: "cat /w/a" }],
  ["mcp__files__write", { file_path: "/w/a", content: "x" }],
  ["constructor", { file_path: "/w/a" }]
]

const gemini: ReadonlyArray<Row> = [
  ["read_file", { file_path: "a" }, ["a"]],
  ["list_directory", { dir_path: "/w" }, ["/w"]],
  ["grep_search", { pattern: "x", dir_path: "src" }, ["src"]],
  ["glob", { pattern: "**/*" }],
  ["read_many_files", { include: ["*.md"] }],
  ["write_file", { file_path: "a", content: "x" }, ["a"], [{ path: "a", after: "x" }]],
  [
    "replace",
    { file_path: "a", old_string: "x", new_string: "y", allow_multiple: true },
    ["a"],
    [{ path: "a", before: "x", after: "y", everywhere: true }]
  ],
  ["run_shell_command", { command: "rm a", dir_path: "/w" }],
  ["mcp_files_write", { file_path: "a" }]
]

const patch =
  "*** Begin Patch\n*** Update File: src/a.ts\n*** Move to: src/b.ts\n@@\n-x\n+y\n*** Add File: c\n+z\n*** End Patch"

const opencode: ReadonlyArray<Row> = [
  ["read", { filePath: "/w/a" }, ["/w/a"]],
  ["list", { path: "/w" }, ["/w"]],
  ["grep", { pattern: "x" }],
  ["write", { filePath: "/w/a", content: "" }, ["/w/a"], [{ path: "/w/a", after: "" }]],
  ["edit", { filePath: "a", oldString: "x", newString: "y" }, ["a"], [{ path: "a", before: "x", after: "y" }]],
  [
    "multiedit",
    { filePath: "a", edits: [{ oldString: "x", newString: "y", replaceAll: true }] },
    ["a"],
    [{ path: "a", before: "x", after: "y", everywhere: true }]
  ],
  ["apply_patch", { patchText: patch }, ["src/a.ts", "src/b.ts", "c"]],
  ["apply_patch", { patchText: "no patch" }],
  ["bash", { command: "cat a", workdir: "/w" }]
]

const pi: ReadonlyArray<Row> = [
  ["read", { path: "a", offset: 1, limit: 2 }, ["a"]],
  ["grep", { pattern: "x", path: "src" }, ["src"]],
  ["find", { pattern: "*.ts", path: "src" }, ["src"]],
  ["ls", { path: "src" }, ["src"]],
  ["ls", {}],
  ["write", { path: "a", content: "new\n" }, ["a"], [{ path: "a", after: "new\n" }]],
  [
    "edit",
    {
      path: "a",
      edits: [
        { oldText: "x", newText: "y" },
        { oldText: "", newText: "z" }
      ]
    },
    ["a"],
    [
      { path: "a", before: "x", after: "y" },
      { path: "a", after: "z" }
    ]
  ],
  ["edit", { path: "a", edits: "all" }, ["a"]],
  ["bash", { command: "cat a" }],
  ["of_an_extension", { path: "a" }]
]

const tables = [
  ["claude", claude],
  ["gemini", gemini],
  ["opencode", opencode],
  ["pi", pi]
] as const

describe.each(tables)("a call of %s", (id, rows) => {
  it.each(named(rows))("%s", (_, [tool, input, paths, edits]) => {
    const call = callIn(runLines(clis[id], [lineOf[id](tool, input)]).events)
    assert.deepStrictEqual(files(call), { paths, edits })
    assert.deepStrictEqual(call.input, input)
  })
})

describe("a call of claude", () => {
  it.each(named(claude))("is asked about with the same files: %s", (_, [tool_name, input, paths, edits]) => {
    const request = askOf("r", "t", { subtype: "can_use_tool", tool_name, input }, undefined)
    assert.deepStrictEqual(files(request), { paths, edits })
  })
})

describe("a call of codex", () => {
  it("has the paths of a run's file change, which has no content", () => {
    const changes = [
      { path: "/w/a", kind: "add" },
      { path: "/w/b", kind: "update" },
      { path: "/w/a", kind: "update" }
    ]
    const call = callIn(runLines(clis.codex, [item({ type: "file_change", changes, status: "completed" })]).events)
    assert.deepStrictEqual(files(call), { paths: ["/w/a", "/w/b"], edits: undefined })
  })

  const diff = "@@ -1,2 +1,2 @@\n one\n-two\n+2\n"
  const change = { path: "/w/a", kind: { type: "update", move_path: "/w/b" }, diff }

  it("has paths and hunks in a live session, which the request has, too", () => {
    const value = { type: "fileChange", id: "t", changes: [change] }
    const [call] = makeToolCalls().started(value) ?? []
    const expected = {
      paths: ["/w/a", "/w/b"],
      edits: [{ path: "/w/a", before: "one\ntwo\n", after: "one\n2\n", line: 1, movedTo: "/w/b" }]
    }
    assert.deepStrictEqual(files(call === undefined ? assert.fail() : callIn([call])), expected)
    assert.deepStrictEqual<unknown>(filesOf(value), expected)
  })

  it("has the paths that Codex sees in a command, from the command's directory on", () => {
    const commandActions = [
      { type: "read", command: "cat a", name: "a", path: "a" },
      { type: "listFiles", command: "ls /w", path: "/w" },
      { type: "search", command: "rg x", query: "x", path: null },
      { type: "unknown", command: "echo" },
      "?"
    ]
    const value = { type: "commandExecution", id: "t", command: "x", cwd: "/w/sub", commandActions }
    assert.deepStrictEqual(filesOf(value), { paths: ["/w/sub/a", "/w"] })
    assert.deepStrictEqual(filesOf({ ...value, commandActions: "?" }), {})
  })
})

const stated = (entries: ReadonlyArray<PlanEntry>, toolId?: string): ReadonlyArray<PlanEvent> => [
  { type: "plan", entries, ...(toolId === undefined ? {} : { toolId }) }
]

const three: ReadonlyArray<PlanEntry> = [
  { text: "a", status: "completed" },
  { text: "b", status: "in_progress" },
  { text: "c", status: "pending" }
]

const todos = (name: string) => three.map(({ text, status }) => ({ [name]: text, status, priority: "high" }))

describe("a to-do list", () => {
  const rows = [
    ["claude", "TodoWrite", { todos: todos("content") }],
    ["gemini", "write_todos", { todos: todos("description") }],
    ["opencode", "todowrite", { todos: todos("content") }]
  ] as const

  it.each(rows)("of %s comes behind its call", (id, tool, input) => {
    const { events } = runLines(clis[id], [lineOf[id](tool, input)])
    assert.deepStrictEqual(plansIn(events), stated(three, "t"))
    const types = events.map(({ type }) => type)
    assert.strictEqual(types.indexOf("plan"), types.indexOf("tool_use") + 1)
  })

  it.each(rows)("of %s that is of no known form is only a call", (id, tool) => {
    for (const input of [{}, { todos: "a" }, { todos: [{ status: "pending" }] }, { todos: [null] }]) {
      const { events } = runLines(clis[id], [lineOf[id](tool, input)])
      assert.deepStrictEqual([plansIn(events), callIn(events).input], [[], input])
    }
  })

  it("with words of other versions has no status", () => {
    const input = { todos: [{ content: "a", status: "someday" }, { content: "b" }] }
    const { events } = runLines(clis.claude, [lineOf.claude("TodoWrite", input)])
    assert.deepStrictEqual(plansIn(events), stated([{ text: "a" }, { text: "b" }], "t"))
  })

  it("of a sub-agent is the sub-agent's", () => {
    const line = { ...lineOf.claude("TodoWrite", { todos: [] }), parent_tool_use_id: "p" }
    assert.deepStrictEqual(plansIn(runLines(clis.claude, [line]).events), [
      { type: "plan", entries: [], toolId: "t", parentToolId: "p" }
    ])
  })

  it("of codex says what is done", () => {
    const items = [
      { text: "a", completed: true },
      { text: "b", completed: false }
    ]
    const { events } = runLines(clis.codex, [item({ type: "todo_list", items })])
    assert.deepStrictEqual(
      plansIn(events),
      stated(
        [
          { text: "a", status: "completed" },
          { text: "b", status: "pending" }
        ],
        "t"
      )
    )
  })
})

/** A generic agent of the Agent Client Protocol, in a turn. */
const acpTurn = (...updates: ReadonlyArray<object>): ReadonlyArray<AgentEvent> => {
  const dialogue = acpDialogue({ id: "x" })({}, { workingDirectory: "/w", privateDirectory: "/p" })
  dialogue.open()
  dialogue.push({ jsonrpc: "2.0", id: 1, result: { protocolVersion: 1 } })
  dialogue.push({ jsonrpc: "2.0", id: 2, result: { sessionId: "s" } })
  dialogue.turn("go")
  return updates
    .flatMap((update) =>
      dialogue.push({ jsonrpc: "2.0", method: "session/update", params: { sessionId: "s", update } })
    )
    .flatMap((output) => (isAction(output) ? [] : [output]))
}

describe("an agent of the Agent Client Protocol", () => {
  const call = { sessionUpdate: "tool_call", toolCallId: "t", title: "Edit", kind: "edit", rawInput: { x: 1 } }
  const change = { type: "diff", path: "/w/a", oldText: "x", newText: "y" }
  const edits = [{ path: "/w/a", before: "x", after: "y" }]
  const completed = { sessionUpdate: "tool_call_update", toolCallId: "t", status: "completed" }

  it("has the paths of locations and diffs", () => {
    const events = acpTurn({ ...call, locations: [{ path: "b" }, { path: "/w/a" }], content: [change] }, completed)
    assert.deepStrictEqual(files(callIn(events)), { paths: ["b", "/w/a"], edits })
    assert.isUndefined(events.find((event) => event.type === "tool_result" && event.edits !== undefined))
  })

  it("has edits with the result, where they come no sooner, and did not fail", () => {
    const [use, result] = acpTurn(call, { ...completed, content: [change] })
    assert.deepInclude(result, { type: "tool_result", edits })
    assert.notProperty(use, "edits")
    const [, failed] = acpTurn(call, { ...completed, status: "failed", content: [change] })
    assert.notProperty(failed, "edits")
  })

  it("states its plan by itself", () => {
    const entries = todos("content")
    assert.deepStrictEqual(acpTurn({ sessionUpdate: "plan", entries }), stated(three))
    assert.strictEqual(acpTurn({ sessionUpdate: "plan", entries: 1 })[0]?.type, "unknown")
  })
})
