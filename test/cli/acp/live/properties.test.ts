/** For any lines of an agent, the dialogue never throws, keeps unknown lines, and answers each request once. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { genericFlavor } from "../../../../src/cli/acp/index.ts"
import type { AcpFlavor } from "../../../../src/cli/acp/live/flavor.ts"
import { isAction, type Output } from "../../../../src/cli/Live.ts"
import { opencodeFlavor } from "../../../../src/cli/opencode/live/flavor.ts"
import type { AgentOpenParams } from "../../../../src/contract/AgentOpenParams.ts"
import { runs } from "../../../kit/runs.ts"
import { opened, printed, request, result, update } from "./talk.ts"

const flavors: ReadonlyArray<readonly [string, AcpFlavor]> = [
  ["an unknown agent", genericFlavor("x")],
  ["OpenCode", opencodeFlavor]
]

const Call = Schema.Struct({
  toolCallId: Schema.Literals(["a", "b", "c"]),
  title: Schema.optionalKey(Schema.Literals(["bash", "invalid", "Look"])),
  kind: Schema.optionalKey(Schema.Literals(["execute", "edit", "odd"])),
  status: Schema.optionalKey(Schema.Literals(["pending", "in_progress", "completed", "failed", "odd"])),
  rawInput: Schema.optionalKey(Schema.Union([Schema.Struct({ command: Schema.String }), Schema.Json])),
  content: Schema.optionalKey(Schema.Json),
  rawOutput: Schema.optionalKey(Schema.Json)
})
const Option = Schema.Struct({
  optionId: Schema.Literals(["1", "2"]),
  kind: Schema.Literals(["allow_once", "reject_once", "allow_always", "odd"])
})
const Kind = Schema.Literals(["tool_call", "tool_call_update", "agent_message_chunk", "plan", "usage_update", "odd"])

const Step = Schema.Union([
  Schema.Struct({ does: Schema.tag("tells"), kind: Kind, call: Call }),
  Schema.Struct({ does: Schema.tag("asks"), call: Call, options: Schema.Array(Option) }),
  Schema.Struct({ does: Schema.tag("asks oddly"), params: Schema.Json }),
  Schema.Struct({ does: Schema.tag("rambles"), line: Schema.Json }),
  Schema.Struct({ does: Schema.Literals(["is allowed", "is denied", "is interrupted", "ends"]) })
])
type Step = typeof Step.Type
const Steps = Schema.Array(Step)

const firstId = 1000

const isRequest = ({ does }: Step) => does === "asks" || does === "asks oddly"

const lineOf = (step: Step, id: number): unknown => {
  switch (step.does) {
    case "tells":
      return update("s", { sessionUpdate: step.kind, ...step.call })
    case "asks":
      return request(id, "session/request_permission", { sessionId: "s", toolCall: step.call, options: step.options })
    case "asks oddly":
      return request(id, "session/request_permission", step.params)
    case "rambles":
      return step.line
    default:
      return undefined
  }
}

const play = (flavor: AcpFlavor, steps: ReadonlyArray<Step>, params: AgentOpenParams = {}) => {
  const { dialogue } = opened(params, flavor)
  const outputs: Array<Output> = []
  const requested: Array<string> = []
  let promptId = 0
  const perform = (input: ReadonlyArray<Output>) => {
    outputs.push(...input)
    for (const output of input) if (isAction(output) && output._tag === "Asked") requested.push(output.ask.requestId)
    const prompt = printed(input).find(({ method }) => method === "session/prompt")
    if (prompt !== undefined) promptId = Number(prompt.id)
  }
  const end = () => perform(dialogue.push(result(promptId, { stopReason: "end_turn" })))
  const decide = (requestId: string | undefined, isAllowed: boolean) => {
    if (requestId === undefined) return
    perform(dialogue.decide(requestId, isAllowed ? { decision: "allow" } : { decision: "deny", message: "no" }))
  }
  perform(dialogue.turn("go"))
  steps.forEach((step, index) => {
    const line = lineOf(step, firstId + index)
    if (line !== undefined) perform(dialogue.push(line))
    if (step.does === "is interrupted") perform(dialogue.interrupt())
    if (step.does === "is allowed" || step.does === "is denied") decide(requested.shift(), step.does === "is allowed")
    if (step.does === "ends") end()
    if (dialogue.standing() === "resting") perform(dialogue.turn("on"))
  })
  end()
  return outputs
}

describe.each(flavors)("with %s", (_, flavor) => {
  it.prop(
    "each request of the agent is answered exactly once, whatever happens",
    [Steps, Schema.Boolean],
    ([steps, isBypass]) => {
      const outputs = play(flavor, steps, isBypass ? { permissionMode: "bypass" } : {})
      const answers = printed(outputs).filter(({ method }) => method === undefined)
      const requests = steps.flatMap((step, index) => (isRequest(step) ? [firstId + index] : []))
      assert.deepStrictEqual(answers.map(({ id }) => Number(id)).sort(), requests.sort())
    },
    runs(500)
  )

  it.prop(
    "each call is given before its request and its result, and has one result",
    [Steps],
    ([steps]) => {
      const open = new Set<string>()
      for (const output of play(flavor, steps)) {
        if (isAction(output)) {
          if (output._tag === "Asked") assert.isTrue(open.has(output.ask.toolId))
          if (output._tag === "TurnEnded") assert.strictEqual(open.size, 0)
        } else if (output.type === "tool_use") {
          assert.isFalse(open.has(output.toolId))
          open.add(output.toolId)
        } else if (output.type === "tool_result") assert.isTrue(open.delete(output.toolId))
      }
    },
    runs(500)
  )

  it.prop("takes any JSON, at any time", [Schema.Array(Schema.Json), Schema.Json], ([lines, payload]) => {
    const { dialogue } = opened({}, flavor)
    for (const line of lines) dialogue.push(line)
    dialogue.turn("go")
    for (const line of lines) dialogue.push(update("s", line))
    dialogue.push(result(Number(printed(dialogue.interrupt())[0]?.id ?? 3), payload))
    assert.include(["working", "resting"], dialogue.standing())
  })
})
