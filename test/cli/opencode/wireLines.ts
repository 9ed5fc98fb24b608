/** The lines OpenCode prints, made up (1.18.33). */

export type Json = Readonly<Record<string, unknown>>

export const sessionId = "ses_made_up"

const line = (type: string, messageID: string | undefined, part: Json): Json => ({
  type,
  timestamp: 1,
  sessionID: sessionId,
  part: { id: "prt_x", sessionID: sessionId, ...(messageID === undefined ? {} : { messageID }), ...part }
})

export const stepStart = (id: string) => line("step_start", id, { type: "step-start" })

export const text = (id: string, words: string) => line("text", id, { type: "text", text: words, time: {} })

export const reasoning = (id: string, words: string) => line("reasoning", id, { type: "reasoning", text: words })

export const tool = (id: string, callID: string, name: string, state: Json) =>
  line("tool_use", id, { type: "tool", tool: name, callID, state: { input: {}, time: {}, ...state } })

export const tokens = { total: 150, input: 100, output: 10, reasoning: 7, cache: { read: 30, write: 3 } }

export const stepFinish = (id: string, reason: string) =>
  line("step_finish", id, { type: "step-finish", reason, tokens, cost: 0.5 })

export const compacted = (id: string) =>
  line("text", id, {
    type: "text",
    text: "Continue if you have next steps.",
    synthetic: true,
    metadata: { compaction_continue: true }
  })

export const error = (name: string, data: Json) => ({
  type: "error",
  timestamp: 1,
  sessionID: sessionId,
  error: { name, data }
})

export const refused = "The user rejected permission to use this specific tool call."
