/**
 * Gemini CLI (0.61.0) reports a change of its mode as text of the model, in a chunk of its own: `[MODE_UPDATE] plan`.
 * It becomes the update that the protocol has for it.
 */
import { Result, Schema } from "effect"
import { Chunk as GlancedChunk } from "../../acp/live/glance.ts"
import type { GlanceAt } from "../../Decoder.ts"
import type { Dialogue } from "../../Live.ts"
import { wireDecoder } from "../../wireDecoder.ts"

const Chunk = Schema.Struct({
  method: Schema.Literal("session/update"),
  params: Schema.Struct({
    sessionId: Schema.String,
    update: Schema.Struct({
      sessionUpdate: Schema.Literal("agent_message_chunk"),
      content: Schema.Struct({ type: Schema.Literal("text"), text: Schema.String })
    })
  })
})
const decodeChunk = wireDecoder(Chunk)

const modeUpdate = /^\[MODE_UPDATE\] (default|autoEdit|yolo|plan)$/

const asModeUpdate = (json: unknown): unknown => {
  if (json instanceof GlancedChunk) return json
  const chunk = decodeChunk(json)
  if (Result.isFailure(chunk)) return json
  const { sessionId, update } = chunk.success.params
  const currentModeId = modeUpdate.exec(update.content.text)?.[1]
  if (currentModeId === undefined) return json
  const params = { sessionId, update: { sessionUpdate: "current_mode_update", currentModeId } }
  return { jsonrpc: "2.0", method: "session/update", params }
}

/** A change of the mode is parsed. */
const withoutModes =
  (glance: GlanceAt<object>): GlanceAt<object> =>
  (line) => {
    const found = glance(line)
    return found?.wire instanceof GlancedChunk && modeUpdate.test(found.wire.text) ? undefined : found
  }

export const withModes = (dialogue: Dialogue): Dialogue => ({
  ...dialogue,
  ...(dialogue.glance === undefined ? {} : { glance: withoutModes(dialogue.glance) }),
  push: (json) => dialogue.push(asModeUpdate(json))
})
