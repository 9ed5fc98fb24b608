/** The recorded live sessions: the actions of their hosts, and when. */

import type { Output } from "../../../../src/cli/Live.ts"
import type { AgentOpenParams } from "../../../../src/contract/AgentOpenParams.ts"
import type { Decision } from "../../../../src/contract/Rule.ts"
import { type Json, type Moment, when } from "./player.ts"

export const turn = (prompt: string) => when("Opened", (dialogue) => dialogue.turn(prompt))
export const nextTurn = (prompt: string) => when("TurnEnded", (dialogue) => dialogue.turn(prompt))
export const decide = (decision: Decision) =>
  when("Asked", (dialogue, { ask }) => dialogue.decide(ask.requestId, decision))
export const answer = (answers?: Record<string, ReadonlyArray<string>>) =>
  when("Questioned", (dialogue, { requestId }) => dialogue.answer(requestId, answers))
export const interrupt = (at: Moment["at"]): Moment => ({ at, act: (dialogue) => dialogue.interrupt() })
export const steer = (text: string): Moment => ({ at: isToolUse, act: (dialogue) => dialogue.steer(text) })
export const isToolUse = (output: Output) => "type" in output && output.type === "tool_use"
export const isAsked = (output: Output) => "_tag" in output && output._tag === "Asked"
export const hook = (input?: unknown) => when("HookCalled", (dialogue, { callId }) => dialogue.reply(callId, input))
export const allow = decide({ decision: "allow" })
export const deny = (message: string) => decide({ decision: "deny", message })

export const run = () => undefined
export const add = { name: "add", description: "adds", inputSchema: { type: "object" }, run }

export const server = (method: string, result: unknown): Moment => ({
  at: (output: Json) => output._tag === "McpCalled" && output.message.method === method,
  act: (dialogue, { callId, message }: Json) =>
    dialogue.reply(callId, message.id === undefined ? undefined : { jsonrpc: "2.0", id: message.id, result })
})
export const schema = { type: "object", properties: { a: { type: "number" }, b: { type: "number" } } }
export const greeting = (server: string) => ({
  protocolVersion: "2025-11-25",
  capabilities: { tools: {} },
  serverInfo: { name: server, version: "1" }
})

export const serving = [
  server("initialize", greeting("host")),
  server("notifications/initialized", undefined),
  server("tools/list", { tools: [{ name: "add", description: "adds", inputSchema: schema }] })
]

export type Row = readonly [string, AgentOpenParams, ReadonlyArray<Moment>, ReadonlyArray<string>]

export const hooks: AgentOpenParams["hooks"] = [
  { event: "PostToolUse", run },
  { event: "PreToolUse", matcher: "Bash|Edit", run },
  { event: "PreToolUse", matcher: "Write", run },
  { event: "Stop", run }
]

/** By scenario: the params, the actions of the host, and the outcomes of the turns. */
export const own: ReadonlyArray<Row> = [
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
      { at: isToolUse, act: (dialogue) => [...(dialogue.steer("late") ?? []), ...dialogue.interrupt()] }
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

/** Written by other hosts, most of them without uuids, so that the CLI printed no lifecycles. */
export const others: ReadonlyArray<Row> = [
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
      { at: isToolUse, act: (dialogue) => [...(dialogue.steer("second") ?? []), ...dialogue.interrupt()] }
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
