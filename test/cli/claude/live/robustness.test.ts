/** For any lines in any order, a dialogue never throws, and answers each request of the CLI at most once. */
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { makeDialogue } from "../../../../src/cli/claude/live/dialogue.ts"
import { type Dialogue, isAction, type Output } from "../../../../src/cli/Live.ts"
import { runs } from "../../../kit/runs.ts"
import type { Json } from "./player.ts"

const run = () => undefined
const params = {
  tools: [{ name: "t", description: "", inputSchema: {}, run }],
  hooks: [{ event: "Stop", run }] as const
}

const Id = Schema.Literals(["r1", "r2", "r3", "u1", "u2", "u3", "reins-1", "reins-2", "reins-3", "no such"])
const AnyJson = Schema.Union([
  Schema.Json,
  Schema.Literals(["can_use_tool", "Bash", "AskUserQuestion", "host", "0", "success", "x".repeat(40)])
])

const asking = [
  { subtype: "can_use_tool", tool_name: "Bash", input: { command: "ls" }, tool_use_id: "t1" },
  { subtype: "can_use_tool", tool_name: "Edit", input: { file_path: 7, old_string: [] }, tool_use_id: "t2" },
  { subtype: "can_use_tool", tool_name: "MultiEdit", input: { file_path: "a", edits: [null, 1] } },
  { subtype: "can_use_tool", tool_name: "AskUserQuestion", input: { questions: [{ question: "?", options: [] }, 1] } },
  { subtype: "can_use_tool", tool_name: "AskUserQuestion" },
  { subtype: "hook_callback", callback_id: "0" },
  { subtype: "hook_callback", callback_id: "-1" },
  { subtype: "mcp_message", server_name: "host", message: { method: "tools/call", id: 1 } },
  {
    subtype: "mcp_message",
    server_name: "host",
    message: { method: "notifications/cancelled", params: { requestId: 1 } }
  },
  { subtype: "mcp_message", server_name: "host", message: null },
  { subtype: "hologram" },
  null
]

const lines = [
  { type: "system", subtype: "init", session_id: "s1" },
  { type: "system", subtype: "init", session_id: "s2" },
  { type: "conversation_reset" },
  { type: "result", is_error: false, user_message_uuids: ["u1"], session_id: "s1" },
  { type: "result", is_error: false, origin: { kind: "task-notification" } },
  { type: "result", subtype: "error_during_execution", is_error: true, terminal_reason: "aborted_tools" },
  { type: "command_lifecycle" },
  { type: "assistant", message: { content: [{ type: "tool_use", id: "t1", name: "Bash" }] }, agent_id: "a" },
  { type: "user", message: { content: [{ type: "tool_result", tool_use_id: "t1", content: [] }] } },
  { type: "system", subtype: "background_tasks_changed", tasks: [{ task_id: "b" }] },
  { type: "system", subtype: "task_notification", task_id: "b", status: "completed" },
  { type: "control_request", request: asking[0] },
  { type: "control_response", response: null },
  { type: "keep_alive" }
]

const states = ["queued", "started", "completed", "cancelled", "hologram"]

/** One thing that happens to a dialogue: `what` selects a line or a call. */
const Happening = Schema.Struct({ what: Schema.Natural, which: Schema.Natural, id: Id, json: AnyJson })
type Happening = typeof Happening.Type

const of = <A>(items: ReadonlyArray<A>, which: number) => items[which % items.length] as A // none is empty

const happenings: ReadonlyArray<(dialogue: Dialogue, input: Happening) => ReadonlyArray<Output> | undefined> = [
  (dialogue, { json }) => dialogue.push(json),
  (dialogue, { which }) => dialogue.push(of(lines, which)),
  (dialogue, { which, json }) => dialogue.push({ ...of(lines, which), message: json, response: json }),
  (dialogue, { which, id }) => dialogue.push({ type: "control_request", request_id: id, request: of(asking, which) }),
  (dialogue, { json, id }) => dialogue.push({ type: "control_request", request_id: id, request: json }),
  (dialogue, { id }) => dialogue.push({ type: "control_cancel_request", request_id: id }),
  (dialogue, { which, id }) =>
    dialogue.push({
      type: "control_response",
      response: { subtype: of(["success", "error"], which), request_id: id, response: { still_queued: ["u1", "u2"] } }
    }),
  (dialogue, { which, id }) => dialogue.push({ type: "command_lifecycle", command_uuid: id, state: of(states, which) }),
  (dialogue, { which }) => dialogue.turn(of(["go", "", "/x"], which)),
  (dialogue, { which }) => dialogue.steer(of(["more", ""], which)),
  (dialogue) => dialogue.interrupt(),
  (dialogue, { which, id, json }) =>
    dialogue.decide(
      id,
      of(
        [{ decision: "allow", input: json } as const, { decision: "deny", message: "no", interrupt: true } as const],
        which
      )
    ),
  (dialogue, { which, id }) => dialogue.answer(id, of([undefined, {}, { "?": ["a", "b"] }], which)),
  (dialogue, { id, json }) => dialogue.reply(id, json),
  (dialogue, { id }) => dialogue.change(id, { _tag: "Model", model: "m" })
]

const started = () => {
  let texts = 0
  return makeDialogue(params, () => {
    texts++
    return `u${texts}`
  })
}

const answersIn = (outputs: ReadonlyArray<Output>): ReadonlyArray<string> =>
  outputs.flatMap((output) => {
    const json: Json = isAction(output) && output._tag === "Write" ? output.json : undefined
    return json?.type === "control_response" ? [json.response.request_id] : []
  })

const namedIn = (outputs: ReadonlyArray<Output>): ReadonlyArray<string> =>
  outputs.flatMap((output) => {
    if (!isAction(output)) return []
    if (output._tag === "Asked") return [output.ask.requestId]
    if (output._tag === "Questioned") return [output.requestId]
    return output._tag === "HookCalled" || output._tag === "McpCalled" ? [output.callId] : []
  })

describe("with arbitrary lines and calls", () => {
  it.prop(
    "nothing throws, and every request is passed on or refused, and has one answer at most",
    [Arbitrary.array(Arbitrary.schema(Happening), { maxLength: 60 })],
    ([all]) => {
      const dialogue = started()
      dialogue.open()
      /** Requests that wait for an answer. */
      const open = new Set<string>()
      for (const input of all) {
        const outputs = of(happenings, input.what)(dialogue, input) ?? []
        JSON.stringify(outputs)
        for (const id of namedIn(outputs)) open.add(id)
        for (const output of outputs) {
          if (isAction(output) && output._tag === "Withdrawn") assert.isTrue(open.delete(output.requestId))
        }
        const answers = answersIn(outputs)
        assert.isAtMost(answers.length, 1)
        const isRefusal = outputs.some((output) => "type" in output && output.type === "unknown")
        for (const id of answers) assert.strictEqual(open.delete(id), !isRefusal)
        assert.include(["opening", "working", "background", "resting"], dialogue.standing())
      }
    },
    runs(2_000)
  )

  it.prop(
    "a request with an id always gets an answer, or a pending entry",
    [Arbitrary.schema(AnyJson), Schema.Natural],
    ([json, which]) => {
      for (const request of [json, of(asking, which)]) {
        const outputs = started().push({ type: "control_request", request_id: "r1", request })
        assert.deepStrictEqual([...answersIn(outputs), ...namedIn(outputs)], ["r1"])
      }
    },
    runs(500)
  )
})
