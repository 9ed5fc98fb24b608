/**
 * Codex' `exec --json` for fakes (0.169.0): items that start and complete. Text comes in whole messages, a failure as an
 * `error` line and its copy in `turn.failed`. Only the tools that Codex has can be said.
 */
import { countOf, type Dialect, defaultUsage, type Lines, type Speaker } from "../dialect.ts"
import { messageOf } from "./codexFailures.ts"
import { itemOf } from "./codexTools.ts"

const speaker: Dialect["speaker"] = ({ sessionId, refuse }): Speaker => {
  let items = 0
  const newId = () => `item_${items++}`
  const said = (type: string, pieces: ReadonlyArray<string>): Lines => [
    { type: "item.completed", item: { id: newId(), type, text: pieces.join("") } }
  ]

  return {
    session: ({ model, fields }) => {
      if (model !== undefined) refuse("it tells no model")
      return [{ type: "thread.started", thread_id: sessionId, ...fields }, { type: "turn.started" }]
    },
    text: (pieces) => said("agent_message", pieces),
    thinking: (pieces) => said("reasoning", pieces),
    newToolId: newId,
    toolStart: (start) => [{ type: "item.started", item: itemOf(start, undefined, refuse) }],
    toolEnd: (start, end) => [{ type: "item.completed", item: itemOf(start, end, refuse) }],
    retry: ({ attempt, maxRetries }) => [
      {
        type: "error",
        message: `Reconnecting... ${attempt}/${maxRetries} (We’re currently experiencing high demand, which may cause temporary errors.)`
      }
    ],
    error: ({ kind, message, retryAfterMs }) => {
      if (retryAfterMs !== undefined) refuse("it does not tell when to try again")
      const words = messageOf[kind]?.(message) ?? refuse(`it knows no ${JSON.stringify(kind)}`)
      const lines = [
        { type: "error", message: words },
        { type: "turn.failed", error: { message: words } }
      ]
      return { lines, exitCode: 1 }
    },
    result: ({ usage = defaultUsage, costUsd, fields }) => {
      if (costUsd !== undefined) refuse("it tells no cost")
      const cached = usage.cacheReadTokens ?? 0
      const counts = {
        ...countOf("input_tokens", usage.inputTokens === undefined ? undefined : usage.inputTokens + cached),
        cached_input_tokens: cached,
        cache_write_input_tokens: usage.cacheWriteTokens ?? 0,
        ...countOf("output_tokens", usage.outputTokens),
        reasoning_output_tokens: 0
      }
      return [{ type: "turn.completed", usage: counts, ...fields }]
    }
  }
}

export const codex: Dialect = {
  name: "Codex",
  sessionId: "33333333-3333-4333-8333-333333333333",
  liveArgument: "app-server",
  sessionArguments: { named: [], resumed: ["resume"], forked: ["fork"] },
  speaker
}
