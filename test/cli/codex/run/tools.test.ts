/** Tool items → name, kind and title; and their output. */
import { assert, describe, it } from "vitest"
import { callOf, outcomeOf } from "../../../../src/cli/codex/run/tools.ts"

describe("the title of a command is what was to be run", () => {
  it.each([
    ["/bin/bash -lc 'echo hi'", "echo hi"],
    ["/bin/zsh -lc ls", "ls"],
    ["/bin/sh -c 'a\nb'", "a"],
    ["/bin/bash -lc \"a \"'$b'", "a $b"],
    ["/bin/bash -lc \"it's \"'$HOME'", "it's $HOME"],
    ["bash -lc 'echo hi'", "bash -lc 'echo hi'"],
    ["git status", "git status"],
    ["", "command_execution"],
    [`/bin/bash -lc '${"x".repeat(400)}'`, `${"x".repeat(299)}…`]
  ])("%j", (command, title) => {
    const call = callOf({ id: "c", type: "command_execution", command })
    assert.deepStrictEqual(call, { toolName: "command_execution", kind: "command", input: { command }, title })
  })
})

describe("other titles", () => {
  it("of changes", () => {
    const change = (...paths: ReadonlyArray<string>) =>
      callOf({ id: "c", type: "file_change", changes: paths.map((path) => ({ path, kind: "update" })) }).title
    assert.deepStrictEqual(
      [change("/a"), change("/a", "/b", "/c"), change()],
      ["update /a", "update /a and 2 more", "file_change"]
    )
  })

  it("of MCP calls", () => {
    const call = callOf({ id: "c", type: "mcp_tool_call", server: "s_1", tool: "t", arguments: { a: 1 } })
    assert.deepStrictEqual(call, { toolName: "mcp__s_1__t", kind: "mcp", input: { a: 1 }, title: "s_1: t" })
  })

  it("of searches without a query", () => {
    assert.deepInclude(callOf({ id: "c", type: "web_search", query: "" }), { kind: "web", title: "web_search" })
  })
})

describe("the output", () => {
  it("of an MCP call with more than text has its raw form, too", () => {
    const result = { content: [{ type: "text", text: "a" }, { type: "image", data: "x" }, { odd: 1 }] }
    assert.deepStrictEqual(outcomeOf({ id: "c", type: "mcp_tool_call", result, status: "completed" }), {
      output: 'a\n[image]\n{"odd":1}',
      isError: false,
      raw: result
    })
  })

  it("of a command with an exit code is an error whatever its status", () => {
    const outcome = outcomeOf({ id: "c", type: "command_execution", exit_code: 2, status: "completed" })
    assert.deepStrictEqual(outcome, { output: "", isError: true, exitCode: 2, raw: { exitCode: 2 } })
  })

  it("of a command that the end of the turn has abandoned says so, after its output so far", () => {
    const abandoned = { id: "c", type: "command_execution", exit_code: null, status: "completed" } as const
    const raw = { exitCode: null }
    assert.deepStrictEqual(outcomeOf(abandoned), { output: "did not finish", isError: true, raw })
    const printed = { ...abandoned, aggregated_output: "start" }
    assert.deepStrictEqual(outcomeOf(printed), { output: "start\ndid not finish", isError: true, raw })
  })

  it("of a failed change is an error", () => {
    assert.isTrue(outcomeOf({ id: "c", type: "file_change", changes: null, status: "failed" }).isError)
  })
})
