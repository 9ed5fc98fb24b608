/**
 * OpenCode's `run --format json` for fakes (1.18.33): steps of one model call each, text in whole blocks, a tool in one
 * line when it has ended, and no last line but the end of the last step.
 */
import {
  countOf,
  type Dialect,
  defaultCostUsd,
  defaultUsage,
  type Lines,
  type Speaker,
  timestampMs
} from "../dialect.ts"
import type * as Steps from "../Steps.ts"
import { failureOf } from "./opencodeFailures.ts"

const time = { start: timestampMs, end: timestampMs }
const noTokens = { total: 0, input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } }

const stateOf = ({ name, input }: Steps.ToolStartStep, { output, isError }: Steps.ToolEndStep): Steps.Fields => {
  // A command that fails has "completed" all the same; only its exit code tells.
  const metadata = name === "bash" ? { output, exit: isError ? 1 : 0, truncated: false } : { truncated: false }
  if (isError && name !== "bash") return { status: "error", input, error: output, time }
  return { status: "completed", input, output, metadata, title: name, time }
}

const speaker: Dialect["speaker"] = ({ sessionId, refuse }): Speaker => {
  let parts = 0
  let messages = 0
  let calls = 0
  let running = 0
  let isOpen = false
  let hasCalled = false

  const messageID = () => `msg_${String(messages).padStart(4, "0")}`
  const line = (type: string, fields: Steps.Fields) => ({
    type,
    timestamp: timestampMs,
    sessionID: sessionId,
    ...fields
  })
  const part = (type: string, partType: string, fields: Steps.Fields = {}) => {
    const id = `prt_${String(++parts).padStart(4, "0")}`
    return line(type, { part: { id, messageID: messageID(), sessionID: sessionId, type: partType, ...fields } })
  }
  const stepStart = () => part("step_start", "step-start")

  const close = (reason: string, fields: Steps.Fields = {}): Lines => {
    if (!isOpen) return []
    isOpen = false
    return [part("step_finish", "step-finish", { reason, tokens: noTokens, cost: 0, ...fields })]
  }

  /** One step is one answer of the model: what it says behind the outcome of its tools is the next. */
  const begin = (): Lines => {
    if (isOpen && !(hasCalled && running === 0)) return []
    const closing = close("tool-calls")
    isOpen = true
    hasCalled = false
    messages++
    return [...closing, stepStart()]
  }

  const block = (type: string, pieces: ReadonlyArray<string>): Lines => [
    ...begin(),
    part(type, type, { text: pieces.join(""), time })
  ]

  return {
    session: ({ model, fields }) => {
      if (model !== undefined || fields !== undefined) refuse("it has no line for the session, only its first step")
      return begin()
    },
    text: (pieces) => block("text", pieces),
    thinking: (pieces) => block("reasoning", pieces),
    newToolId: () => `call_${++calls}`,
    toolStart: () => {
      const opening = begin()
      running++
      hasCalled = true
      return opening
    },
    toolEnd: (start, end) => {
      running--
      return [part("tool_use", "tool", { tool: start.name, callID: start.id, state: stateOf(start, end) })]
    },
    retry: () => [...begin(), stepStart()],
    error: (step) => ({
      lines: [...(hasCalled ? close("tool-calls") : []), line("error", { error: failureOf(step, refuse) })],
      exitCode: 1
    }),
    result: ({ usage = defaultUsage, costUsd: cost = defaultCostUsd, fields }) => {
      const { inputTokens: input, outputTokens: output, cacheReadTokens: read = 0, cacheWriteTokens: write = 0 } = usage
      const total = (input ?? 0) + (output ?? 0) + read + write
      const counts = { ...countOf("input", input), ...countOf("output", output) }
      const tokens = { total, ...counts, reasoning: 0, cache: { read, write } }
      return [...begin(), ...close("stop", { tokens, cost, ...fields })]
    }
  }
}

export const opencode: Dialect = {
  name: "OpenCode",
  sessionId: "ses_4444444444444444444444444444",
  liveArgument: "acp",
  sessionArguments: { named: [], resumed: ["--session", "-s"], forked: ["--fork"] },
  speaker
}
