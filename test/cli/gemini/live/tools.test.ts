/** Updates of a call in a live session → name, input and title; and the meaning of an error's code and words. */
import { assert, describe, it } from "vitest"
import { askOfCall, describeCall, toolNameOf } from "../../../../src/cli/gemini/live/flavor.ts"
import { failureOfStatus } from "../../../../src/cli/gemini/run/failures.ts"
import type { ErrorCategory } from "../../../../src/contract/ErrorCategory.ts"

const text = (words: string) => ({ type: "content", content: { type: "text", text: words } })
const diff = (oldText: string, newText: string) => ({ type: "diff", path: "/w/a.txt", oldText, newText })

const call = (
  toolId: string,
  title?: string,
  content: ReadonlyArray<unknown> = [],
  paths: ReadonlyArray<string> = []
) => ({
  toolId,
  title,
  content,
  paths
})

describe("the name of a tool", () => {
  it.each([
    ["read_file__read_file_1795198819935_0", "read_file"],
    ["read_file__ida", "read_file"],
    ["mcp_my__server_echo__mcp_my__server_echo_1_2", "mcp_my__server_echo"],
    ["mcp_my__server_echo__id", "mcp_my__server_echo"],
    ["odd", "odd"],
    ["__odd", "__odd"]
  ])("of %s is %s", (toolId, name) => {
    assert.strictEqual(toolNameOf(toolId), name)
  })
})

describe("a call", () => {
  const table: ReadonlyArray<readonly [ReturnType<typeof call>, string, string, unknown]> = [
    [call("run_shell_command__a", "ls\npwd"), "command", "ls", { command: "ls\npwd" }],
    [call("run_shell_command__a"), "command", "run_shell_command", {}],
    [
      call("write_file__a", "Writing to a.txt", [diff("", "x")], ["/w/a.txt"]),
      "file_change",
      "/w/a.txt",
      { file_path: "/w/a.txt", content: "x" }
    ],
    [call("write_file__a", "Writing to a.txt", [], ["/w/a.txt"]), "file_change", "/w/a.txt", { file_path: "/w/a.txt" }],
    [call("replace__a", "a.txt: 1 => 2", [diff("1", "2")]), "file_change", "/w/a.txt", { file_path: "/w/a.txt" }],
    [call("glob__a", "'*.txt'"), "search", "'*.txt'", {}],
    [call("web_fetch__a", "Processing"), "web", "Processing", {}],
    [call("mcp_tiny_add__a", "add (tiny MCP Server)", [text('{"a":1}')]), "mcp", "tiny: add", { a: 1 }],
    [call("mcp_tiny_add__a", "add (tiny MCP Server)", [text("no JSON")]), "mcp", "tiny: add", {}],
    [call("hologram__a", "Shows it"), "other", "Shows it", {}]
  ]

  it.each(table)("%j is of the kind %s", (value, kind, title, input) => {
    assert.deepStrictEqual(describeCall(value, ["tiny"]), { toolName: toolNameOf(value.toolId), kind, title, input })
  })

  it("that is asked about has the whole command", () => {
    const shell = (reported: string) => askOfCall(call("run_shell_command__a", "ls\npwd", [text(reported)]))
    assert.deepInclude(askOfCall(call("run_shell_command__a", "ls\npwd")), { command: "ls\npwd" })
    assert.deepInclude(shell("[in sub] (d)"), { directory: "sub", rest: { description: "[in sub] (d)" } })
    assert.deepInclude(shell("[current working directory /w/x y] (in] [d)"), { directory: "/w/x y" })
    assert.notProperty(shell("(no place)"), "directory")
    assert.deepStrictEqual(askOfCall(call("replace__a", "w", [diff("1", "2")])), { rest: {} })
    assert.deepStrictEqual(askOfCall(call("enter_plan_mode__a", "plan first")), {
      kind: "other",
      input: { description: "plan first" }
    })
  })

  it("that only its title describes has the title for an input, unless it is cut", () => {
    const fetch = (prompt: string) =>
      askOfCall(call("web_fetch__a", `Processing URLs and instructions from prompt: "${prompt}"`))
    assert.deepStrictEqual(fetch("read http://a/"), {
      input: { description: 'Processing URLs and instructions from prompt: "read http://a/"' }
    })
    assert.deepInclude(fetch("read http://a/…"), { isIncomplete: true })
    assert.deepInclude(fetch("read http://a/..."), { isIncomplete: true })
    assert.deepStrictEqual(askOfCall(call("exit_plan_mode__a", "Requesting plan approval")), {
      isIncomplete: true,
      rest: {}
    })
  })
})

describe("an error", () => {
  const api = (code: number, status: string, message: string) =>
    JSON.stringify({ error: { code, status, message, details: [{ retryDelay: "7s" }] } })

  const table: ReadonlyArray<readonly [number, string, string, ErrorCategory]> = [
    [400, api(400, "INVALID_ARGUMENT", "bad"), "INVALID_ARGUMENT", "invalid_request"],
    [401, api(401, "UNAUTHENTICATED", "who?"), "UNAUTHENTICATED", "auth"],
    [403, api(403, "PERMISSION_DENIED", "no"), "PERMISSION_DENIED", "permission"],
    [429, "slow down", "http_429", "rate_limit"],
    [429, api(429, "RESOURCE_EXHAUSTED", "slow down"), "RESOURCE_EXHAUSTED", "rate_limit"],
    [500, api(500, "INTERNAL", "oops"), "INTERNAL", "overloaded"],
    [500, "scripted 404", "api_error", "other"],
    [500, "terminated", "api_error", "network"],
    [503, "busy", "http_503", "overloaded"]
  ]

  it.each(table)("of %i with %s is %s", (status, message, code, category) => {
    assert.deepInclude(failureOfStatus(status, message), { _tag: "AgentFailed", code, category })
  })

  it("has the time to try again", () => {
    assert.strictEqual(failureOfStatus(429, api(429, "RESOURCE_EXHAUSTED", "slow")).retryAfterMs, 7000)
  })
})
