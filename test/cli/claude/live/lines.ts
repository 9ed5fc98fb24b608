/** Made-up lines of Claude Code in a live session, and a dialogue that receives them. */
import { assert } from "vitest"
import { makeDialogue } from "../../../../src/cli/claude/live/dialogue.ts"
import { type Dialogue, isAction, type Output } from "../../../../src/cli/Live.ts"
import type { AgentOpenParams } from "../../../../src/contract/AgentOpenParams.ts"
import type { Json } from "./player.ts"

export const session = "11111111-2222-4333-8444-555555555555"

export const granted = (requestId: string, response = {}) => ({
  type: "control_response",
  response: { subtype: "success", request_id: requestId, response }
})
export const refused = (requestId: string, error: string, code?: string) => ({
  type: "control_response",
  response: { subtype: "error", request_id: requestId, error, ...(code === undefined ? {} : { error_code: code }) }
})
export const request = (requestId: string, requested: object) => ({
  type: "control_request",
  request_id: requestId,
  request: requested
})
export const canUse = (requestId: string, toolId: string, more: object = {}) =>
  request(requestId, {
    subtype: "can_use_tool",
    tool_name: "Bash",
    input: { command: "ls" },
    tool_use_id: toolId,
    ...more
  })
export const toolUse = (id: string, more: object = {}) => ({
  type: "assistant",
  message: { id: "m", content: [{ type: "tool_use", id, name: "Bash", input: { command: "ls" } }] },
  ...more
})
export const init = (id = session) => ({ type: "system", subtype: "init", session_id: id })
export const lifecycle = (uuid: string, state: string) => ({ type: "command_lifecycle", command_uuid: uuid, state })
export const result = (more: object = {}) => ({
  type: "result",
  subtype: "success",
  is_error: false,
  session_id: session,
  result: "",
  ...more
})
export const broken = { subtype: "error_during_execution", is_error: true, terminal_reason: "aborted_streaming" }
export const ofWork = { origin: { kind: "task-notification" } }

/** An open dialogue; its texts are named u1, u2… */
export const opened = (params: AgentOpenParams = {}): Dialogue => {
  let texts = 0
  const dialogue = makeDialogue(params, () => {
    texts++
    return `u${texts}`
  })
  dialogue.open()
  dialogue.push(granted("reins-1"))
  return dialogue
}

export const begun = (params: AgentOpenParams = {}) => {
  const dialogue = opened(params)
  dialogue.turn("go")
  for (const line of [lifecycle("u1", "queued"), lifecycle("u1", "started"), init()]) dialogue.push(line)
  return dialogue
}

export const writes = (outputs: ReadonlyArray<Output> | undefined): ReadonlyArray<Json> =>
  (outputs ?? []).flatMap((output) => (isAction(output) && output._tag === "Write" ? [output.json] : []))
export const tags = (outputs: ReadonlyArray<Output>) =>
  outputs.map((output) => (isAction(output) ? output._tag : output.type))
export const only = (outputs: ReadonlyArray<Output>): Json => {
  assert.lengthOf(outputs, 1)
  return outputs[0]
}
