/** Lines that no recording has, or shorter forms of recorded ones: blocks, sessions, tool results. */
import { assert, describe, it } from "vitest"
import { claude } from "../../../src/cli/claude/index.ts"
import type { AgentEvent } from "../../../src/contract/AgentEvent.ts"
import { translate } from "../../kit/translate.ts"
import { runLines } from "../transcript.ts"

const eventsOf = (...lines: ReadonlyArray<unknown>) => runLines(claude, lines).events

const assistant = (content: unknown, more: object = {}) => ({
  type: "assistant",
  message: { id: "m", content },
  parent_tool_use_id: null,
  ...more
})
const user = (content: unknown, more: object = {}) => ({ type: "user", message: { role: "user", content }, ...more })
const init = (more: object = {}) => ({ type: "system", subtype: "init", session_id: "s", ...more })
const text = (value: string): AgentEvent => ({ type: "text", text: value })

describe("a message of several blocks", () => {
  it("loses none to an unknown one", () => {
    const hologram = { type: "hologram", text: "?" }
    const call = { type: "tool_use", id: "t", name: "Bash", input: { command: "ls" } }
    assert.deepStrictEqual(
      eventsOf(assistant([{ type: "text", text: "a" }, hologram, call, { type: "text", text: "b" }])),
      [
        text("a"),
        { type: "unknown", raw: hologram },
        { type: "tool_use", toolName: "Bash", toolId: "t", input: { command: "ls" }, kind: "command", title: "ls" },
        text("\n\nb")
      ]
    )
  })

  it("may be a text", () => {
    assert.deepStrictEqual(eventsOf(assistant("plain")), [text("plain")])
  })

  it("may call a tool that the API runs itself, with its outcome", () => {
    const found = [{ type: "web_search_result", title: "x", url: "https://x.example" }]
    const events = eventsOf(
      assistant([{ type: "server_tool_use", id: "srv", name: "web_search", input: { query: "news" } }]),
      assistant([{ type: "web_search_tool_result", tool_use_id: "srv", content: found }])
    )
    assert.deepStrictEqual(events, [
      { type: "tool_use", toolName: "web_search", toolId: "srv", input: { query: "news" }, kind: "web", title: "news" },
      { type: "tool_result", toolId: "srv", output: "[web_search_result]", isError: false, raw: found }
    ])
  })

  it("a call without input has an empty one", () => {
    assert.deepInclude(eventsOf(assistant([{ type: "tool_use", id: "t", name: "Nope" }]))[0], { input: {} })
  })
})

describe("wholes that come after all deltas", () => {
  const stream = (event: object) => ({ type: "stream_event", event, api_message_id: "m" })
  const started = (index: number, type: string) =>
    stream({ type: "content_block_start", index, content_block: { type, [type]: "" } })
  const delta = (index: number, type: string, value: string) =>
    stream({ type: "content_block_delta", index, delta: { type: `${type}_delta`, [type]: value } })

  it.each(["text", "thinking"] as const)("find their block, also behind an empty one: %s", (type) => {
    const blocks = ["", "a", "b"]
    const events = eventsOf(
      ...blocks.flatMap((value, index) => [started(index, type), ...(value === "" ? [] : [delta(index, type, value)])]),
      ...blocks.map((value) => assistant([{ type, [type]: value }]))
    )
    assert.deepStrictEqual(events, [
      { type, text: "a" },
      { type, text: "b" }
    ])
  })
})

describe("the outcome of a tool", () => {
  const table: ReadonlyArray<readonly [string, unknown, string]> = [
    ["a text", "done", "done"],
    [
      "texts",
      [
        { type: "text", text: "a" },
        { type: "text", text: "b" }
      ],
      "a\nb"
    ],
    [
      "an image",
      [
        { type: "text", text: "see" },
        { type: "image", source: {} }
      ],
      "see\n[image]"
    ],
    ["an object", { some: "thing" }, '{"some":"thing"}'],
    ["nothing", undefined, ""],
    ["null", null, ""],
    ["an empty list", [], ""]
  ]

  it.each(table)("may be %s", (_, content, output) => {
    const [event] = eventsOf(user([{ type: "tool_result", tool_use_id: "t", content }]))
    assert.deepInclude(event, { type: "tool_result", toolId: "t", output, isError: false })
  })

  it("is an error only when the CLI says so", () => {
    const outcome = (is_error: unknown) => eventsOf(user([{ type: "tool_result", tool_use_id: "t", is_error }]))[0]
    assert.deepInclude(outcome(true), { isError: true })
    for (const no of [false, null, undefined]) assert.deepInclude(outcome(no), { isError: false })
  })

  it.each([
    ["Error: Exit code 3\nout", true, 3],
    ["Error: Exit code 137", true, 137],
    ["Error: Exit code 3", false, undefined],
    ["Error: Exit code 3 of 4", true, undefined],
    ["Exit code 3", true, undefined],
    [{ stdout: "Error: Exit code 3" }, true, undefined]
  ])("has the exit code of a command that failed: %j, %s", (tool_use_result, is_error, exitCode) => {
    const outcome = { type: "tool_result", tool_use_id: "t", content: "x", is_error }
    const [event] = eventsOf(user([outcome], { tool_use_result }))
    assert.strictEqual(event?.type === "tool_result" ? event.exitCode : "no result", exitCode)
  })

  it("has the CLI's richer form, unless two share a line", () => {
    const rich = { stdout: "x" }
    const outcome = { type: "tool_result", tool_use_id: "t", content: "x" }
    assert.deepInclude(eventsOf(user([outcome], { tool_use_result: rich }))[0], { raw: rich })
    for (const event of eventsOf(user([outcome, outcome], { tool_use_result: rich }))) assert.notProperty(event, "raw")
  })

  it("belongs to the sub-agent whose call it answers", () => {
    const outcome = user([{ type: "tool_result", tool_use_id: "t", content: "x" }], { parent_tool_use_id: "p" })
    assert.deepInclude(eventsOf(outcome)[0], { parentToolId: "p" })
  })
})

describe("a session", () => {
  it("comes once, and again when one of its facts changes", () => {
    const events = eventsOf(init(), init(), init({ model: "haiku" }), init({ model: "haiku" }))
    assert.deepStrictEqual(events, [
      { type: "session", sessionId: "s" },
      { type: "session", sessionId: "s", model: "haiku" }
    ])
  })

  it("has no facts that the CLI leaves open", () => {
    const open = { cwd: null, tools: null, mcp_servers: null, model: null, permissionMode: null, apiKeySource: null }
    assert.deepStrictEqual(eventsOf(init(open)), [{ type: "session", sessionId: "s" }])
  })

  it("lists MCP servers that cannot be used, once for each status", () => {
    const servers = (status: string) =>
      init({
        mcp_servers: [
          { name: "a", status },
          { name: "b", status: "connected" }
        ]
      })
    const other = { ...servers("failed"), model: "haiku" }
    const input = eventsOf(servers("pending"), servers("pending"), servers("failed"), other, servers("connected"))
    const notices = input.filter((event) => event.type === "notice")
    assert.deepStrictEqual(
      notices.map(({ kind, data }) => [kind, data]),
      [
        ["mcp_failed", { name: "a", status: "pending" }],
        ["mcp_failed", { name: "a", status: "failed" }]
      ]
    )
  })
})

describe("the end of a limit", () => {
  const limit = (status: string, more: object = {}) => ({
    type: "rate_limit_event",
    rate_limit_info: { status, resetsAt: 1_795_165_935, rateLimitType: "five_hour", ...more }
  })
  const failed = (error: string, more: object = {}) => [
    assistant([{ type: "text", text: "No." }], { is_api_error_message: true, error, ...more }),
    { type: "result", subtype: "success", is_error: true, api_error_status: 429, result: "No.", session_id: "s" }
  ]
  const at = "2026-11-20T09:12:15.000Z"
  const params = { api_error_params: { rate_limit_info: { resetsAt: 1_795_165_935 } } }

  it.each([
    ["in the failure", failed("rate_limit", params), at],
    ["in the event before it", [limit("rejected"), ...failed("rate_limit")], at],
    ["of an earlier turn", [limit("rejected"), ...failed("rate_limit"), init(), ...failed("rate_limit")], at],
    ["that is over", [limit("rejected"), limit("allowed"), ...failed("rate_limit")], undefined],
    ["that only warns", [limit("allowed_warning"), ...failed("rate_limit")], undefined],
    ["without a time", [limit("rejected", { resetsAt: null }), ...failed("rate_limit")], undefined],
    ["with an impossible time", [limit("rejected", { resetsAt: 1e300 }), ...failed("rate_limit")], undefined],
    ["and another failure", [limit("rejected"), ...failed("server_error")], undefined]
  ])("%s", (_, lines, expected) => {
    const decoder = claude.decoder({ prompt: "hello" })
    for (const line of [init(), ...lines]) translate(decoder, line)
    const verdict = decoder.verdict({ code: 1 })
    const reason = verdict?._tag === "Failure" && verdict.reason._tag === "AgentFailed" ? verdict.reason : undefined
    assert.deepStrictEqual([reason?._tag, reason?.retryAt], ["AgentFailed", expected])
  })
})
