/**
 * Names of spans, attributes and metrics, and attributes made from facts of runs, tools and notices; pure. The names are those
 * of the OpenTelemetry GenAI conventions (status "Development", `open-telemetry/semantic-conventions-genai`), and `reins.`
 * where these have none. No other file has a `gen_ai.` name. Texts of the agent are short and harmless.
 */
import type { NoticeEvent } from "../../contract/AgentEvent.ts"
import type { AgentRunResult, AgentUsage } from "../../contract/AgentRunResult.ts"
import type { ToolUseEvent } from "../../contract/ToolEvent.ts"
import { withoutInvisible } from "../../contract/text/harmless.ts"

/** Names of spans; a tool's is followed by its name. */
export const spanNames = { agent: "invoke_agent", tool: "execute_tool" } as const

/** True for spans of agents and tools, which an exporter gets. */
export const isOwnSpan = (name: string) => /^(?:invoke_agent|execute_tool) |^Agents\./.test(name)

export const attributes = {
  operation: "gen_ai.operation.name",
  provider: "gen_ai.provider.name",
  agent: "gen_ai.agent.name",
  agentVersion: "gen_ai.agent.version",
  conversation: "gen_ai.conversation.id",
  model: "gen_ai.request.model",
  /** Cached ones included. */
  inputTokens: "gen_ai.usage.input_tokens",
  outputTokens: "gen_ai.usage.output_tokens",
  cacheReadTokens: "gen_ai.usage.cache_read.input_tokens",
  cacheWriteTokens: "gen_ai.usage.cache_write.input_tokens",
  tokenType: "gen_ai.token.type",
  toolName: "gen_ai.tool.name",
  toolCall: "gen_ai.tool.call.id",
  toolType: "gen_ai.tool.type",
  error: "error.type",
  run: "reins.run.id",
  turn: "reins.turn.id",
  kind: "reins.kind",
  outcome: "reins.outcome",
  reason: "reins.reason",
  cost: "reins.cost.usd",
  costSource: "reins.cost.source",
  queued: "reins.queued_ms",
  toolKind: "reins.tool.kind",
  request: "reins.request.id",
  decision: "reins.decision",
  decidedBy: "reins.decided_by",
  waited: "reins.waited_ms",
  budget: "reins.budget"
} as const

/** Only with `content: true`. */
export const contentAttributes = {
  prompt: "gen_ai.input.messages",
  answer: "gen_ai.output.messages",
  toolArguments: "gen_ai.tool.call.arguments",
  toolResult: "gen_ai.tool.call.result",
  directory: "reins.working_directory",
  message: "reins.message"
} as const

/** Kinds of notices that are span events of this name, with those of their facts that are numbers or fixed words. */
export const noticeEvents = new Set(["retry", "rate_limit", "model_fallback", "stalled", "queued", "budget"])
const noticeFacts = ["delayMs", "waitUntilMs", "attempt", "maxAttempts", "level", "spent", "limit"] as const

export const metricNames = {
  agentDuration: "gen_ai.invoke_agent.duration",
  toolDuration: "gen_ai.execute_tool.duration",
  tokens: "gen_ai.client.token.usage",
  cost: "reins.run.cost",
  queueWait: "reins.queue.wait",
  active: "reins.runs.active",
  runs: "reins.runs",
  sessionsBusy: "reins.sessions.busy",
  budgetUsed: "reins.budget.used_ratio"
} as const

/** Providers by the name that an agent for several of them has in its models: `google/gemini-3.8-flash`. */
const providers: Readonly<Record<string, string>> = {
  google: "gcp.gemini",
  "google-vertex": "gcp.vertex_ai",
  "amazon-bedrock": "aws.bedrock",
  azure: "azure.ai.openai",
  mistral: "mistral_ai",
  xai: "x_ai"
}

export type Attributes = Record<string, string | number | boolean>

/** In characters. */
const mostLength = 200

/** A name or an id that a CLI has printed. */
export const short = (text: string): string => withoutInvisible(text.slice(0, mostLength))

/** The name of a tool, or a call id, which can contain it. A model can call a tool by any text: invalid names are hidden. */
export const nameOf = (name: string): string => (/^[\w.:-]{1,200}$/.test(name) ? name : "unknown")

/** The provider from the CLI's value, otherwise the prefix of the model's name before a slash. */
const providerOf = (input: string | undefined, model: string | undefined): string | undefined => {
  const prefix = model?.includes("/") === true ? short(model.slice(0, model.indexOf("/"))) : undefined
  return input ?? (prefix === undefined ? undefined : (providers[prefix] ?? prefix))
}

const known = (facts: Readonly<Record<string, string | number | boolean | undefined>>): Attributes =>
  Object.fromEntries(
    Object.entries(facts).flatMap(([name, value]) =>
      value === undefined || Number.isNaN(value) ? [] : [[name, value]]
    )
  )

export const modelAttributes = (provider: string | undefined, model: string | undefined): Attributes =>
  known({
    [attributes.provider]: providerOf(provider, model),
    [attributes.model]: model === undefined ? undefined : short(model)
  })

/** All input tokens, as the conventions count them. */
export const inputTokensOf = ({ inputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 }: AgentUsage) =>
  inputTokens === undefined ? undefined : inputTokens + cacheReadTokens + cacheWriteTokens

const usageAttributes = (usage: AgentUsage = {}): Attributes =>
  known({
    [attributes.inputTokens]: inputTokensOf(usage),
    [attributes.outputTokens]: usage.outputTokens,
    [attributes.cacheReadTokens]: usage.cacheReadTokens,
    [attributes.cacheWriteTokens]: usage.cacheWriteTokens
  })

/** Attributes of a run, session or turn that has ended. A call by its user to stop is not an error. */
export const resultAttributes = ({ outcome, reason, sessionId, usage, totalCostUsd }: AgentRunResult): Attributes => ({
  [attributes.outcome]: outcome,
  ...(outcome === "completed" || outcome === "aborted" ? {} : { [attributes.error]: reason }),
  ...(sessionId === undefined ? {} : { [attributes.conversation]: short(sessionId) }),
  ...usageAttributes(usage),
  ...(totalCostUsd === undefined ? {} : { [attributes.cost]: totalCostUsd, [attributes.costSource]: "cli" })
})

/** The conventions' word for where a tool runs: here always beside the agent, but for those of the model's provider. */
export const toolAttributes = ({ toolName, toolId, kind = "other" }: ToolUseEvent): Attributes => ({
  [attributes.toolName]: nameOf(toolName),
  [attributes.toolCall]: nameOf(toolId),
  [attributes.toolType]: kind === "mcp" ? "extension" : "function",
  [attributes.toolKind]: kind
})

/** The facts that are numbers and fixed words. The message may quote anything. */
export const noticeAttributes = ({ data = {} }: NoticeEvent): Attributes =>
  known(
    Object.fromEntries(
      noticeFacts.map((name) => {
        const fact = data[name]
        const isWord = typeof fact === "string" && /^[a-z_]{1,20}$/.test(fact)
        return [`reins.${name}`, typeof fact === "number" || isWord ? fact : undefined]
      })
    )
  )
