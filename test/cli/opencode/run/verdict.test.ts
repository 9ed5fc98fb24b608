/** The last lines and the exit → how the run came out; and the lines whose meaning is not in their type. */
import { assert, describe, it } from "vitest"
import type { Standing } from "../../../../src/cli/Decoder.ts"
import { opencode } from "../../../../src/cli/opencode/index.ts"
import { describeTool } from "../../../../src/cli/opencode/run/tools.ts"
import type { ProcessExit } from "../../../../src/contract/AgentRunResult.ts"
import { translate } from "../../../kit/translate.ts"
import { print, runTranscript } from "../../transcript.ts"
import { error, type Json, refused, stepFinish, stepStart, text, tool } from "../wireLines.ts"

const judge = (lines: ReadonlyArray<Json | string>, exit: ProcessExit = { code: 0 }, stderr = "") =>
  runTranscript(opencode, { chunks: print(lines), exit, stderr })

const api = (data: Json) => [error("APIError", { message: "no", ...data })]
const answered = [stepStart("m1"), text("m1", "hi"), stepFinish("m1", "stop")]
const overflow = error("ContextOverflowError", { message: "too long" })
const rejected = tool("m1", "c1", "bash", { status: "error", error: refused })
const stopped = [stepStart("m1"), rejected, stepFinish("m1", "tool-calls")]

describe("the verdict", () => {
  const table: ReadonlyArray<readonly [string, ReadonlyArray<Json | string>, ProcessExit, string]> = [
    ["a finished step and exit 0", answered, { code: 0 }, "completed"],
    ["cut off by its length", [...answered, stepStart("m2"), stepFinish("m2", "length")], { code: 0 }, "completed"],
    ["a finished step, but another exit", answered, { code: 1 }, "exited"],
    ["a finished step, then a signal", answered, { signal: "SIGKILL" }, "killed"],
    ["nothing", [], { code: 0 }, "no_result"],
    ["a step that never ended", [stepStart("m1"), text("m1", "hi")], { code: 0 }, "no_result"],
    ["a step begun after the end", [...answered, stepStart("m2")], { code: 0 }, "no_result"],
    [
      "tools called, nothing refused, and no more",
      [stepStart("m1"), stepFinish("m1", "tool-calls")],
      { code: 0 },
      "no_result"
    ],
    ["a refused permission", stopped, { code: 0 }, "agent_failed"],
    ["a refused permission, then a signal", stopped, { signal: "SIGTERM" }, "killed"],
    [
      "a refusal in an earlier step",
      [...stopped, stepStart("m2"), stepFinish("m2", "tool-calls")],
      { code: 0 },
      "no_result"
    ],
    ["an error", [...answered, overflow], { code: 1 }, "agent_failed"],
    ["an error that was recovered from", [overflow, ...answered], { code: 1 }, "agent_failed"],
    ["an error that was recovered from, well ended", [overflow, ...answered], { code: 0 }, "completed"],
    ["an error that was recovered from, then a signal", [overflow, stepStart("m1")], { signal: "SIGKILL" }, "killed"],
    [
      "a late word of a broken answer",
      [...answered, tool("m1", "c1", "bash", { status: "error", error: "Tool execution aborted" })],
      { code: 0 },
      "completed"
    ]
  ]
  it.each(table)("%s", (_, lines, exit, reason) => {
    assert.strictEqual(judge(lines, exit).result.reason, reason)
  })

  it("of a refused permission has the tool's error for an answer", () => {
    const { all, result } = judge(stopped)
    assert.deepInclude(all.at(-2), { type: "error", category: "permission", message: `bash: ${refused}` })
    assert.deepStrictEqual(result.permissionDenials, [{ toolName: "bash", toolId: "c1", input: {} }])
    assert.strictEqual(result.text, "")
  })

  it.each<readonly [string, ReadonlyArray<Json>, Standing]>([
    ["an answer that stands whole", answered, "resting"],
    ["one that its length has cut off", [stepStart("m1"), text("m1", "hi"), stepFinish("m1", "length")], "resting"],
    ["an answer that goes on", [stepStart("m1"), text("m1", "hi")], "working"],
    ["a step begun after the end", [...answered, stepStart("m2")], "working"],
    [
      "a late word of a broken answer",
      [...answered, tool("m1", "c1", "bash", { status: "error", error: "x" })],
      "resting"
    ],
    ["tools that were called", [stepStart("m1"), stepFinish("m1", "tool-calls")], "working"],
    ["an end whose reason is unknown", [stepStart("m1"), stepFinish("m1", "unknown")], "working"],
    ["an error", [...answered, overflow], "working"],
    ["an error that was recovered from", [overflow, ...answered], "working"],
    ["nothing", [], "working"]
  ])("is never certain before the exit; a silence confirms it after %s, or not", (_, lines, standing) => {
    const decoder = opencode.decoder({ prompt: "hello" })
    for (const line of lines) translate(decoder, line)
    assert.strictEqual(decoder.standing(), standing)
  })

  const failures: ReadonlyArray<readonly [ReadonlyArray<Json>, Json]> = [
    [api({ statusCode: 401 }), { category: "auth", code: "401", retryable: false, message: "no" }],
    [api({ statusCode: 429, responseHeaders: { "retry-after": "3" } }), { category: "rate_limit", retryAfterMs: 3000 }],
    [api({ statusCode: 429, responseHeaders: { "retry-after": "soon" } }), { category: "rate_limit", retryable: true }],
    [
      api({ statusCode: 429, responseHeaders: { "retry-after": "Fri, 20 Nov 2026 09:12:15 GMT" } }),
      { category: "rate_limit", retryAt: "2026-11-20T09:12:15.000Z" }
    ],
    [api({ statusCode: 503 }), { category: "overloaded", retryable: true }],
    [
      api({ statusCode: 400, responseBody: '{"error":{"code":"context_length_exceeded"}}' }),
      { category: "context_overflow" }
    ],
    [[error("UnknownError", { message: "what" })], { category: "other", code: "UnknownError", message: "what" }],
    [[{ type: "error", error: { message: "outer" } }], { code: "unknown", message: "outer" }],
    [[{ type: "error", error: { name: "Odd" } }], { code: "Odd", message: "The agent failed: Odd" }],
    [[{ type: "error", error: {} }], { code: "unknown", message: "The agent failed: unknown" }]
  ]
  it.each(failures)("%j", (lines, expected) => {
    const { all } = judge(lines, { code: 1 })
    assert.deepInclude(all.at(-2), { type: "error", ...expected })
  })

  it("of an early error comes from stderr", () => {
    const { all, result } = judge([], { code: 1 }, "Error: Session not found")
    assert.deepInclude(all.at(-2), { type: "error", category: "session_not_found" })
    assert.isUndefined(result.sessionId)
  })
})

describe("tools", () => {
  it.each([
    ["a command that fails", "bash", { status: "completed", output: "x", metadata: { exit: 3 } }, true, 3],
    ["a command ended for its time", "bash", { status: "completed", output: "x", metadata: { exit: null } }, true],
    ["a command that works", "bash", { status: "completed", output: "x", metadata: { exit: 0 } }, false, 0],
    ["a command without an exit code", "bash", { status: "completed", output: "x", metadata: {} }, false],
    ["another tool with an exit", "tiny_run", { status: "completed", output: "x", metadata: { exit: 3 } }, false],
    ["an error", "read", { status: "error", error: "x" }, true]
  ] as const)("%s", (_, name, state, isError, exitCode?: number) => {
    const [, outcome] = judge([tool("m1", "c1", name, state)]).events.slice(-2)
    assert.deepInclude(outcome, { type: "tool_result", toolId: "c1", output: "x", isError })
    if (exitCode === undefined) assert.notProperty(outcome, "exitCode")
    else assert.deepInclude(outcome, { exitCode })
  })

  it("that are not there have their own name and an error", () => {
    const input = { tool: "webfetch", error: "no such tool" }
    const { events } = judge([tool("m1", "c1", "invalid", { status: "completed", input, output: "no" })])
    assert.deepInclude(events[1], { type: "tool_use", toolName: "webfetch", kind: "web" })
    assert.deepInclude(events[2], { type: "tool_result", isError: true })
  })

  it.each([
    ["bash", { command: "npm test\nsecond" }, "command", "npm test"],
    ["write", { filePath: "a.ts" }, "file_change", "a.ts"],
    ["read", { filePath: "a.ts" }, "read", "a.ts"],
    ["grep", { pattern: "x" }, "search", "x"],
    ["webfetch", { url: "http://x" }, "web", "http://x"],
    ["task", { description: "look" }, "subagent", "look"],
    ["todowrite", { todos: [] }, "plan", "todowrite"],
    ["my_server_add", {}, "mcp", "my server: add"],
    ["other_tool", {}, "other", "other_tool"],
    ["constructor", {}, "other", "constructor"]
  ])("%s is described", (name, input, kind, title) => {
    assert.deepStrictEqual<unknown>(describeTool(name, input, ["my server"]), { kind, title })
  })
})
