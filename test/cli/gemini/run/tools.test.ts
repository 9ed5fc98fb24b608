/** Calls of tools: what they are about, which of them fail, and which were denied. */
import { assert, describe, it } from "vitest"
import { gemini } from "../../../../src/cli/gemini/index.ts"
import { describeTool } from "../../../../src/cli/gemini/run/tools.ts"
import { runLines } from "../../transcript.ts"
import { init, type Json, result, use } from "../generate.ts"

const run = (lines: ReadonlyArray<Json>) => runLines(gemini, lines)

describe("a denied call", () => {
  const denied = (type: string, message: string, name = "run_shell_command") =>
    run([
      init,
      use("a", name, { command: "rm x" }),
      { type: "tool_result", tool_id: "a", status: "error", error: { type, message } },
      result()
    ])

  it.each([
    ["policy_violation", "Tool execution denied by policy."],
    ["stop_execution", "Agent execution stopped by hook: no"],
    ["tool_not_registered", 'Tool "run_shell_command" not found.'],
    ["unhandled_exception", 'Tool execution for "Shell" requires user confirmation, which is not supported.']
  ])("by %s is told and kept", (type, message) => {
    const { events, result: end } = denied(type, message)
    assert.deepStrictEqual(end.permissionDenials, [
      { toolName: "run_shell_command", toolId: "a", input: { command: "rm x" } }
    ])
    assert.deepInclude(events[2], { type: "notice", kind: "permission_denied", message })
    assert.deepInclude(events[3], { type: "tool_result", isError: true, output: message })
  })

  it.each([
    ["tool_not_registered", 'Tool "hologram" not found.', "hologram"],
    ["unhandled_exception", "boom", "run_shell_command"],
    ["mcp_tool_error", "boom", "mcp_a_b"]
  ])("is not what %s of %s is", (type, message, name) => {
    const { events, result: end } = denied(type, message, name)
    assert.deepStrictEqual(end.permissionDenials, [])
    assert.isFalse(events.some((event) => event.type === "notice"))
  })
})

describe("a tool", () => {
  const table: ReadonlyArray<readonly [string, unknown, string, string]> = [
    ["run_shell_command", { command: " ls\n-l" }, "command", "ls"],
    ["run_shell_command", {}, "command", "run_shell_command"],
    ["write_file", { file_path: "a.txt", content: "x" }, "file_change", "a.txt"],
    ["replace", { file_path: "a.txt" }, "file_change", "a.txt"],
    ["read_file", { file_path: "a.txt" }, "read", "a.txt"],
    ["grep_search", { pattern: "x" }, "search", "x"],
    ["list_directory", { dir_path: "src" }, "search", "src"],
    ["google_web_search", { query: "x" }, "web", "x"],
    ["web_fetch", { prompt: "read http://x" }, "web", "read http://x"],
    ["invoke_agent", { agent_name: "generalist", prompt: "do" }, "subagent", "generalist"],
    ["exit_plan_mode", { plan_filename: "p.md" }, "plan", "exit_plan_mode"],
    ["ask_user", { questions: [] }, "question", "ask_user"],
    ["mcp_tiny_add", {}, "mcp", "tiny: add"],
    ["mcp_tiny_env_dump", {}, "mcp", "tiny: env_dump"],
    ["mcp_my_server_add", {}, "mcp", "my_server: add"],
    ["mcp_my_server_2_add", {}, "mcp", "my_server_2: add"],
    ["mcp_", {}, "other", "mcp_"],
    ["constructor", {}, "other", "constructor"],
    ["hologram", { command: "x" }, "other", "hologram"],
    ["run_shell_command", { command: "x".repeat(400) }, "command", `${"x".repeat(299)}…`],
    ["run_shell_command", null, "command", "run_shell_command"]
  ]

  it.each(table)("%s %j", (name, input, kind, title) => {
    assert.deepStrictEqual(describeTool(name, input, ["my_server", "my_server_2"]), { kind, title })
  })

  it("fails by its status alone", () => {
    const results = [
      { type: "tool_result", tool_id: "a", status: "error" },
      { type: "tool_result", tool_id: "b", status: "success", output: null, error: { type: "odd", message: "told" } }
    ]
    const { events } = run([init, use("a"), use("b"), ...results, result()])
    assert.deepInclude(events[3], { isError: true, output: "" })
    assert.deepInclude(events[4], { isError: false, output: "told" })
  })

  it("without parameters has an empty input", () => {
    const { events } = run([init, { type: "tool_use", tool_name: "glob", tool_id: "a" }, result()])
    assert.deepInclude(events[1], { input: {} })
  })
})
