/** A run with very many open calls is read in the time of its lines: a copy of what is open, for each, would take minutes. */
import { assert, describe, it } from "vitest"
import { type CliId, clis } from "../../src/cli/clis.ts"
import { runLines } from "./transcript.ts"

const many = 40_000

/** The lines of a call that begins, and of its result. OpenCode prints both in one line. */
const linesOf: { readonly [Id in CliId]: (id: string) => readonly [start: object, end?: object] } = {
  claude: (id) => [
    { type: "assistant", message: { id, content: [{ type: "tool_use", id, name: "Bash", input: {} }] } },
    { type: "user", message: { content: [{ type: "tool_result", tool_use_id: id, content: "ok" }] } }
  ],
  gemini: (id) => [
    { type: "tool_use", tool_name: "glob", tool_id: id, parameters: {} },
    { type: "tool_result", tool_id: id, status: "success", output: "ok" }
  ],
  codex: (id) => [
    { type: "item.started", item: { id, type: "command_execution", command: "ls", status: "in_progress" } },
    {
      type: "item.completed",
      item: { id, type: "command_execution", command: "ls", status: "completed", exit_code: 0 }
    }
  ],
  opencode: (id) => [
    {
      type: "tool_use",
      sessionID: "s",
      part: { type: "tool", tool: "bash", callID: id, state: { status: "completed", input: {}, output: "ok" } }
    }
  ],
  pi: (id) => [
    { type: "tool_execution_start", toolCallId: id, toolName: "bash", args: {} },
    { type: "tool_execution_end", toolCallId: id, toolName: "bash", result: { content: [] }, isError: false }
  ]
}

describe("very many calls at once", () => {
  it.each(Object.values(clis))("of $id are each told once, with their results", { timeout: 30_000 }, (cli) => {
    const calls = Array.from({ length: many }, (_, index) => linesOf[cli.id as CliId](`c${index}`)) // one of `clis`
    const { events } = runLines(cli, [
      ...calls.map(([start]) => start),
      ...calls.flatMap(([, end]) => (end === undefined ? [] : [end]))
    ])
    for (const type of ["tool_use", "tool_result"] as const) {
      assert.strictEqual(events.filter((event) => event.type === type).length, many)
    }
  })
})
