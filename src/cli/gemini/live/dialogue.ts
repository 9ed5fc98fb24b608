/** The dialogue of Gemini CLI (0.61.0): the Agent Client Protocol, with its modes, plans and session ids corrected. */
import { Result, Schema } from "effect"
import { acpDialogue } from "../../acp/live/dialogue.ts"
import { Chunk } from "../../acp/live/glance.ts"
import { diffsOf } from "../../acp/wire.ts"
import type { GlanceAt } from "../../Decoder.ts"
import { type Dialogue, isAction, type Live, type Output } from "../../Live.ts"
import { typed, wireDecoder } from "../../wireDecoder.ts"
import { sessionServers } from "../command.ts"
import { geminiFlavor } from "./flavor.ts"

const MessageChunk = Schema.Struct({
  method: Schema.Literal("session/update"),
  params: Schema.Struct({
    sessionId: Schema.String,
    update: Schema.Struct({
      sessionUpdate: Schema.Literal("agent_message_chunk"),
      content: typed("text", { text: Schema.String })
    })
  })
})
const decodeChunk = wireDecoder(MessageChunk)
const modeUpdate = /^\[MODE_UPDATE\] (default|autoEdit|yolo|plan)$/

const asModeUpdate = (json: unknown): unknown => {
  if (json instanceof Chunk) return json
  const chunk = decodeChunk(json)
  if (Result.isFailure(chunk)) return json
  const { sessionId, update } = chunk.success.params
  const currentModeId = modeUpdate.exec(update.content.text)?.[1]
  if (currentModeId === undefined) return json
  const params = { sessionId, update: { sessionUpdate: "current_mode_update", currentModeId } }
  return { jsonrpc: "2.0", method: "session/update", params }
}

/** Lets a change of the mode be parsed. */
const withoutModes =
  (glance: GlanceAt<object>): GlanceAt<object> =>
  (line) => {
    const found = glance(line)
    return found?.wire instanceof Chunk && modeUpdate.test(found.wire.text) ? undefined : found
  }

/** Makes a change of the mode, which comes as text in a chunk of its own (`[MODE_UPDATE] plan`), that of the protocol. */
const withModes = (dialogue: Dialogue): Dialogue => ({
  ...dialogue,
  ...(dialogue.glance === undefined ? {} : { glance: withoutModes(dialogue.glance) }),
  push: (json) => dialogue.push(asModeUpdate(json))
})

const Update = Schema.Struct({
  params: Schema.Struct({ update: Schema.Struct({ content: Schema.Array(Schema.Unknown) }) })
})
const decodeUpdate = wireDecoder(Update)
const isPlan = /[\\/]plans[\\/][^\\/]+\.md$/

/** To leave plan mode, the CLI asks with the name of a file that it wrote before: its content is the plan to show. */
const withPlans = (dialogue: Dialogue): Dialogue => {
  const plans = new Map<string, string>()

  const keep = (json: unknown) => {
    const update = decodeUpdate(json)
    if (Result.isFailure(update)) return
    for (const { path, newText } of diffsOf(update.success.params.update.content)) {
      if (isPlan.test(path) && newText != null) plans.set(path, newText)
    }
  }

  const withPlan = (output: Output): Output => {
    if (!isAction(output) || output._tag !== "Asked" || output.ask.toolName !== "exit_plan_mode") return output
    const [, plan] = [...plans].find(([path]) => output.ask.title.endsWith(path)) ?? []
    return plan === undefined ? output : { ...output, ask: { ...output.ask, plan, isIncomplete: plan.trim() === "" } }
  }

  return {
    ...dialogue,
    push: (json) => {
      if (json instanceof Chunk) return dialogue.push(json)
      keep(json)
      return dialogue.push(json).map(withPlan)
    }
  }
}

const named = (output: Output): Output =>
  !isAction(output) && output.type === "session" ? { ...output, sessionId: output.sessionId.trim() } : output

/** Restores the id of a loaded session. */
const withName = (dialogue: Dialogue): Dialogue => ({ ...dialogue, push: (json) => dialogue.push(json).map(named) })

/**
 * A session is loaded by its id with a blank in front. The CLI looks the id up without the blank; but with it, the empty record
 * that it creates on the way has a name of its own. By the same name that record would replace a conversation started in the
 * same minute, and at the next start the empty one would be deleted together with the real one.
 */
export const dialogue: Live["dialogue"] = (params, context) => {
  const { sessionId } = params
  const sessionParams = {
    ...params,
    mcpServers: sessionServers(params),
    ...(sessionId === undefined ? {} : { sessionId: ` ${sessionId}` })
  }
  return withModes(withPlans(withName(acpDialogue(geminiFlavor)(sessionParams, context))))
}
