/**
 * Events of one run → parts of a stream of the AI SDK. The agent runs its tools itself: their calls and results are
 * `providerExecuted`, and `dynamic`, as the caller has not declared them. Text and thinking of sub-agents are left out, as
 * in the text of the result.
 */
import { jsonInText } from "../../agents/answers/jsonInText.ts"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { AgentRunResult, AgentUsage } from "../../contract/AgentRunResult.ts"
import { present } from "../../contract/present.ts"
import type { ToolResultEvent, ToolUseEvent } from "../../contract/ToolEvent.ts"
import type { ReinsMetadata } from "./AiSdk.ts"
import type { FinishReason, Metadata, StreamPart, Usage } from "./spec.ts"

/** A count that the CLI does not report is unknown, not 0. */
export const usageOf = (usage: AgentUsage = {}): Usage => {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage
  const counts = [inputTokens, cacheReadTokens, cacheWriteTokens].filter((count) => count !== undefined)
  return {
    inputTokens: {
      total: counts.length === 0 ? undefined : counts.reduce((sum, count) => sum + count, 0),
      noCache: inputTokens,
      cacheRead: cacheReadTokens,
      cacheWrite: cacheWriteTokens
    },
    // No CLI reports the share of reasoning for all its models.
    outputTokens: { total: outputTokens, text: undefined, reasoning: undefined },
    raw: { ...usage }
  }
}

/** Stop reasons of models, in the words of the CLIs. */
const unified: Readonly<Record<string, FinishReason["unified"]>> = {
  max_tokens: "length",
  length: "length",
  refusal: "content-filter",
  content_filter: "content-filter"
}

export const finishReasonOf = ({ outcome, reason, stopReason }: AgentRunResult): FinishReason => {
  if (reason === "schema_not_met") return { unified: "other", raw: reason }
  if (outcome !== "completed") return { unified: "error", raw: reason }
  const known = stopReason !== undefined && Object.hasOwn(unified, stopReason) ? unified[stopReason] : undefined
  return { unified: known ?? "stop", raw: stopReason }
}

export const metadataOf = (cli: string, result: AgentRunResult): Metadata => {
  const { sessionId, totalCostUsd: costUsd, durationMs, numTurns } = result
  const metadata: ReinsMetadata = { cli, durationMs, ...present({ sessionId, costUsd, numTurns }) }
  return { ...metadata }
}

type Parts = ReadonlyArray<StreamPart>

interface PartingOptions {
  readonly cli: string
  /** Whether the answer is one JSON value, without the text before it. */
  readonly isJson: boolean
  /** Whether each event becomes a part as it is, too. */
  readonly raw: boolean
}

const toolCall = ({ toolId, toolName, input, kind, title, parentToolId }: ToolUseEvent): StreamPart => ({
  type: "tool-call",
  toolCallId: toolId,
  toolName,
  input: JSON.stringify(input ?? {}),
  providerExecuted: true,
  dynamic: true,
  providerMetadata: { reins: present({ kind, title, parentToolId }) }
})

const toolResult = ({ toolId, output, isError }: ToolResultEvent, toolName: string): StreamPart => ({
  type: "tool-result",
  toolCallId: toolId,
  toolName,
  result: output,
  isError,
  dynamic: true
})

/** The answer as JSON: the checked value, else JSON in the text behind the last tool (`last`), else the text. */
const jsonOf = ({ structuredOutput, text }: AgentRunResult, last: string): string => {
  const value = structuredOutput === undefined ? jsonInText(last) : structuredOutput
  return value === undefined ? text : JSON.stringify(value)
}

export const parting = ({ cli, isJson, raw }: PartingOptions) => {
  let open: { readonly kind: "text" | "reasoning"; readonly id: string } | undefined
  let blocks = 0
  /** The names of the called tools, by the ids of the calls; undefined once a call has its result. */
  const calls = new Map<string, string | undefined>()
  /** The text behind the last tool, if the answer is JSON. */
  let last = ""

  const close = (voidedCharacters?: number): Parts => {
    if (open === undefined) return []
    const { kind, id } = open
    open = undefined
    const metadata = voidedCharacters === undefined ? {} : { providerMetadata: { reins: { voidedCharacters } } }
    return [{ type: `${kind}-end`, id, ...metadata }]
  }

  const begin = (kind: "text" | "reasoning"): Parts => {
    const closed = close()
    open = { kind, id: `${kind}-${blocks++}` }
    return [...closed, { type: `${kind}-start`, id: open.id }]
  }

  const delta = (kind: "text" | "reasoning", text: string): Parts => {
    const begun = open?.kind === kind ? [] : begin(kind)
    return open === undefined ? [] : [...begun, { type: `${kind}-delta`, id: open.id, delta: text }]
  }

  const called = (event: ToolUseEvent): Parts => {
    if (calls.has(event.toolId)) return []
    calls.set(event.toolId, event.toolName)
    if (event.parentToolId === undefined) last = ""
    return [...close(), toolCall(event)]
  }

  /** The AI SDK throws for a result without a call. */
  const ended = (event: ToolResultEvent): Parts => {
    const name = calls.get(event.toolId)
    if (name === undefined) return []
    calls.set(event.toolId, undefined)
    return [...close(), toolResult(event, name)]
  }

  /** Streamed text cannot be taken back: its block ends with the number of void characters. */
  const voided = (characters: number): Parts => {
    last = last.slice(0, Math.max(0, last.length - characters))
    return isJson ? [] : [...(open?.kind === "text" ? [] : begin("text")), ...close(characters)]
  }

  const textParts = (text: string): Parts => {
    if (!isJson) return delta("text", text)
    last += text
    return []
  }

  const partsOf = (event: AgentEvent): Parts => {
    const isMain = event.parentToolId === undefined
    switch (event.type) {
      case "session":
        return event.model === undefined ? [] : [{ type: "response-metadata", modelId: event.model }]
      case "text":
        return isMain && event.text !== "" ? textParts(event.text) : []
      case "thinking":
        return isMain && event.text !== "" ? delta("reasoning", event.text) : []
      case "tool_use":
        return called(event)
      case "tool_result":
        return ended(event)
      case "notice":
        return event.kind === "text_voided" && isMain ? voided(event.data?.characters ?? 0) : []
      default:
        return []
    }
  }

  return {
    step: (event: AgentEvent): Parts => (raw ? [{ type: "raw", rawValue: event }, ...partsOf(event)] : partsOf(event)),
    /** The last parts of a run that did not fail, or that had output before. */
    end: (result: AgentRunResult): Parts => {
      const answer = isJson ? jsonOf(result, last) : ""
      return [
        ...(answer === "" ? [] : delta("text", answer)),
        ...close(),
        {
          type: "finish",
          usage: usageOf(result.usage),
          finishReason: finishReasonOf(result),
          providerMetadata: { reins: metadataOf(cli, result) }
        }
      ]
    }
  }
}
