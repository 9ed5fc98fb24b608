/**
 * Live sessions as they were recorded with the real Claude Code: what is written for the same wishes is, line by line,
 * what was accepted then.
 */
import { assert, describe, it } from "@effect/vitest"
import type { AgentOpenParams } from "../../../src/AgentOpenParams.ts"
import type { Decision, Output } from "../../../src/cli/Live.ts"
import { actions, type Json, type Moment, ofType, type Played, play, when } from "./livePlayer.ts"

const turn = (prompt: string) => when("Opened", (dialogue) => dialogue.turn(prompt))
const nextTurn = (prompt: string) => when("TurnEnded", (dialogue) => dialogue.turn(prompt))
const decide = (decision: Decision) => when("Asked", (dialogue, { ask }) => dialogue.decide(ask.requestId, decision))
const answer = (answers?: Record<string, ReadonlyArray<string>>) =>
  when("Questioned", (dialogue, { requestId }) => dialogue.answer(requestId, answers))
const interrupt = (at: Moment["at"]): Moment => ({ at, wish: (dialogue) => dialogue.interrupt() })
const steer = (text: string): Moment => ({ at: isToolUse, wish: (dialogue) => dialogue.steer(text) })
const isToolUse = (output: Output) => "type" in output && output.type === "tool_use"
const isAsked = (output: Output) => "_tag" in output && output._tag === "Asked"
const hook = (given?: unknown) => when("HookCalled", (dialogue, { callId }) => dialogue.reply(callId, given))
const allow = decide({ decision: "allow" })
const deny = (message: string) => decide({ decision: "deny", message })

const run = () => undefined
const add = { name: "add", description: "adds", inputSchema: { type: "object" }, run }

const server = (method: string, result: unknown): Moment => ({
  at: (output: Json) => output._tag === "McpCalled" && output.message.method === method,
  wish: (dialogue, { callId, message }: Json) =>
    dialogue.reply(callId, message.id === undefined ? undefined : { jsonrpc: "2.0", id: message.id, result })
})
const schema = { type: "object", properties: { a: { type: "number" }, b: { type: "number" } } }
const greeting = (server: string) => ({
  protocolVersion: "2025-11-25",
  capabilities: { tools: {} },
  serverInfo: { name: server, version: "1" }
})
const serving = [
  server("initialize", greeting("host")),
  server("notifications/initialized", undefined),
  server("tools/list", { tools: [{ name: "add", description: "adds", inputSchema: schema }] })
]

type Row = readonly [string, AgentOpenParams, ReadonlyArray<Moment>, ReadonlyArray<string>]

const hooks: AgentOpenParams["hooks"] = [
  { event: "PostToolUse", run },
  { event: "PreToolUse", matcher: "Bash|Edit", run },
  { event: "PreToolUse", matcher: "Write", run },
  { event: "Stop", run }
]

/** By scenario: the params, what was wished for, and how the turns came out. */
const own: ReadonlyArray<Row> = [
  [
    "allow-deny-changed",
    {},
    [
      turn("/go"),
      allow,
      deny("Not this."),
      decide({ decision: "allow", input: { command: "echo new > h; cat h", description: "x" } }),
      allow,
      allow,
      nextTurn("second")
    ],
    ["Success", "Success"]
  ],
  [
    "question",
    {},
    [
      turn("go"),
      answer({ "Which colour?": ["Red", "Green"] }),
      answer({ "Which colour?": ["mauve, rather"] }),
      answer()
    ],
    ["Success"]
  ],
  [
    "plan",
    { permissionMode: "plan" },
    [turn("go"), deny("Outline it."), allow, nextTurn("next")],
    ["Success", "Success"]
  ],
  [
    "hook",
    { hooks },
    [
      turn("go"),
      hook({
        hookSpecificOutput: {
          hookEventName: "PreToolUse",
          permissionDecision: "deny",
          permissionDecisionReason: "a hook says no"
        }
      }),
      hook(),
      hook(),
      hook()
    ],
    ["Success"]
  ],
  [
    "deny-interrupt",
    {},
    [turn("first"), decide({ decision: "deny", message: "Stop.", interrupt: true }), nextTurn("second")],
    ["Aborted", "Success"]
  ],
  [
    "interrupt",
    {},
    [
      turn("first"),
      interrupt(isToolUse),
      nextTurn("second"),
      nextTurn("third"),
      interrupt(isAsked),
      when("TurnEnded", (dialogue) => [...dialogue.turn("at once"), ...dialogue.interrupt()]),
      nextTurn("after")
    ],
    ["Aborted", "Success", "Aborted", "Aborted", "Success"]
  ],
  [
    "steer",
    {},
    [
      turn("first"),
      steer("also this"),
      nextTurn("second"),
      { at: isToolUse, wish: (dialogue) => [...(dialogue.steer("late") ?? []), ...dialogue.interrupt()] }
    ],
    ["Success", "Aborted", "Success"]
  ],
  [
    "change",
    {},
    [
      when("Opened", (dialogue) => dialogue.change("m", { _tag: "Model", model: "haiku" })),
      when("Changed", (dialogue) => dialogue.change("p", { _tag: "PermissionMode", permissionMode: "accept-edits" })),
      when("Changed", (dialogue) => dialogue.change("b", { _tag: "PermissionMode", permissionMode: "bypass" })),
      when("Changed", (dialogue) => dialogue.turn("one")),
      when("TurnEnded", (dialogue) => dialogue.change("p2", { _tag: "PermissionMode", permissionMode: "plan" })),
      when("Changed", (dialogue) => dialogue.turn("two"))
    ],
    ["Success", "Success"]
  ],
  [
    "background",
    {},
    [turn("first"), when("TurnEnded", () => []), nextTurn("second")],
    ["Success", "Success", "Success"]
  ],
  ["agent-ask", {}, [turn("first"), allow], ["Success"]]
]

const outcomes = (played: Played) =>
  actions(played, "TurnEnded").map(({ verdict, isInterrupted }) => {
    if (verdict._tag === "Success") return "Success"
    assert.strictEqual(isInterrupted, verdict.reason._tag === "Aborted" ? true : undefined)
    return verdict.reason._tag
  })

const assertHealthy = (played: Played) => {
  assert.deepStrictEqual(ofType(played, "unknown"), [])
  const calls = ofType(played, "tool_use").map(({ toolId }) => toolId)
  assert.strictEqual(new Set(calls).size, calls.length)
  assert.deepStrictEqual(actions(played, "Failed"), [])
  assert.strictEqual(played.standing, "resting")
}

describe("a recorded session with the same wishes", () => {
  it.each(own)("%s", (scenario, params, moments, expected) => {
    const played = play(scenario, params, moments)
    assert.deepStrictEqual(played.written, played.recorded)
    assert.deepStrictEqual(outcomes(played), expected)
    assertHealthy(played)
  })

  /** The host's server can be asked before the session is open, so these two begin with its moments. */
  it("host-tool", () => {
    const [greeted, ...listed] = serving
    const called = server("tools/call", { content: [{ type: "text", text: "5" }] })
    // The recorded host greeted only after it had handed the turn over.
    const opened: Moment = { at: (output: Json) => output._tag === "Opened", wish: (dialogue) => dialogue.turn("go") }
    const moments = greeted === undefined ? [] : [greeted, opened, ...listed, allow, called]
    const played = play("host-tool", { tools: [add] }, moments)
    const inAnyOrder = (lines: ReadonlyArray<Json>) => lines.map((line) => JSON.stringify(line)).sort()
    assert.deepStrictEqual(inAnyOrder(played.written), inAnyOrder(played.recorded))
    assert.deepStrictEqual(outcomes(played), ["Success"])
    assertHealthy(played)
  })

  it("host-interrupted: the call is withdrawn, and its late answer is none", () => {
    const [greeted, ...listed] = serving
    const opened: Moment = { at: (output: Json) => output._tag === "Opened", wish: (dialogue) => dialogue.turn("go") }
    const isCall = (output: Json) => output._tag === "McpCalled" && output.message.method === "tools/call"
    const late = when("Withdrawn", (dialogue, { requestId }) => dialogue.reply(requestId, { late: true }))
    const told = server("notifications/cancelled", undefined)
    const moments = greeted === undefined ? [] : [greeted, opened, ...listed, interrupt(isCall), late, told]
    const played = play("host-interrupted", { tools: [add] }, [...moments, nextTurn("again")])
    const inAnyOrder = (lines: ReadonlyArray<Json>) => lines.map((line) => JSON.stringify(line)).sort()
    assert.deepStrictEqual(inAnyOrder(played.written), inAnyOrder(played.recorded))
    assert.deepStrictEqual(outcomes(played), ["Aborted", "Success"])
    assertHealthy(played)
  })
})

/** What a line means, without names that each host gives by itself. */
const meaning = (lines: ReadonlyArray<Json>) =>
  lines.flatMap((line) => {
    if (line.type === "user") return [line.message]
    if (line.type === "control_request") return line.request.subtype === "initialize" ? [] : [line.request]
    return [line.response]
  })

/** Written by other hosts, most of them without uuids, so that the CLI told no lifecycles. */
const others: ReadonlyArray<Row> = [
  ["11-allow", {}, [turn("go"), allow], ["Success"]],
  [
    "11-allow-changed",
    {},
    [turn("go"), decide({ decision: "allow", input: { command: "echo changed", description: "changed" } })],
    ["Success"]
  ],
  ["11-deny", {}, [turn("go"), deny("Not this time.")], ["Success"]],
  ["11-exit-plan-deny", {}, [turn("go"), deny("Outline it first.")], ["Success"]],
  [
    "11-interrupt-queued",
    {},
    [
      turn("first"),
      { at: isToolUse, wish: (dialogue) => [...(dialogue.steer("second") ?? []), ...dialogue.interrupt()] }
    ],
    ["Aborted", "Success"]
  ],
  ["11-interrupt-tool", {}, [turn("go"), interrupt(isToolUse)], ["Aborted"]],
  ["11-no-answer-interrupt", {}, [turn("go"), interrupt(isAsked)], ["Aborted"]],
  ["11-plan-file", { permissionMode: "plan" }, [turn("go"), allow], ["Success"]],
  ["11-question", {}, [turn("go"), answer({ "Which colour?": ["Green"] })], ["Success"]],
  ["11-two-questions", {}, [turn("go"), allow, allow], ["Success"]],
  [
    "17-slash",
    { slashCommands: true },
    [turn("first"), nextTurn("/cost"), nextTurn("/clear"), nextTurn("after clear")],
    ["Success", "Success", "Success", "Success"]
  ]
]

describe("a session recorded with another host", () => {
  it.each(others)("%s", (scenario, params, moments, expected) => {
    const played = play(scenario, params, moments)
    assert.deepStrictEqual(meaning(played.written), meaning(played.recorded))
    assert.deepStrictEqual(outcomes(played), expected)
    assertHealthy(played)
  })
})

describe("what the CLI tells", () => {
  it("of each turn is of that turn alone", () => {
    const played = play("17-slash", { slashCommands: true }, others.find(([name]) => name === "17-slash")?.[2] ?? [])
    const reports = actions(played, "TurnEnded").map(({ report }) => [
      report.totalCostUsd,
      report.apiDurationMs,
      report.numTurns
    ])
    assert.deepStrictEqual(reports, [
      [0.00194, 20, 1],
      [0, 0, 0],
      [0, 0, 0],
      [0.00194, 22, 1]
    ])
  })

  it("of a plan is its text, where the model wrote one", () => {
    const plan = [turn("go"), allow]
    const [asked] = actions(play("11-plan-file", { permissionMode: "plan" }, plan), "Asked")
    assert.deepInclude(asked?.ask, { kind: "plan", plan: "# Plan\n1. Do it.\n" })
  })

  it("of files is where they are and what they lose and get", () => {
    const moments = own.find(([name]) => name === "allow-deny-changed")?.[2] ?? []
    const asks = actions(play("allow-deny-changed", {}, moments), "Asked").map(({ ask }) => ask)
    assert.deepStrictEqual(
      asks.map(({ command }) => command),
      ["echo hi > f; cat f", "echo no > g", "echo old > h; cat h", undefined, undefined]
    )
    assert.deepStrictEqual(
      asks.slice(3).map(({ paths, edits }) => [paths, edits]),
      [
        [["/workspace/w.txt"], [{ path: "/workspace/w.txt", added: "one\n" }]],
        [["/workspace/w.txt"], [{ path: "/workspace/w.txt", removed: "one", added: "two" }]]
      ]
    )
  })

  it("of a sub-agent's request is whose it is", () => {
    const [asked] = actions(play("agent-ask", {}, [turn("first"), allow]), "Asked")
    assert.strictEqual(asked?.ask.parentToolId, "toolu_ag")
  })

  it("of a steer that came too late is a notice, when it begins a turn of its own", () => {
    const { outputs } = play("steer", {}, own.find(([name]) => name === "steer")?.[2] ?? [])
    const told = outputs.flatMap((output) => {
      if ("_tag" in output) return output._tag === "TurnEnded" ? ["end"] : []
      return output.type === "notice" && output.kind === "queued" ? ["queued"] : []
    })
    assert.deepStrictEqual(told, ["end", "end", "queued", "end"])
  })

  it("of work in the background is where the session stands", () => {
    const moments = [turn("first"), when("TurnEnded", () => []), nextTurn("second")]
    const { standings } = play("background", {}, moments)
    assert.deepStrictEqual(standings, ["working", "background", "working", "resting"])
  })

  it("of a denial that was decided here is no notice, a hook's is one", () => {
    const denied = (played: Played) =>
      ofType(played, "notice")
        .filter(({ kind }) => kind === "permission_denied")
        .map(({ data }) => data.toolId)
    assert.deepStrictEqual(denied(play("11-deny", {}, [turn("go"), deny("Not this time.")])), [])
    const moments = own.find(([name]) => name === "hook")?.[2] ?? []
    assert.deepStrictEqual(denied(play("hook", { hooks }, moments)), ["toolu_a"])
  })
})
