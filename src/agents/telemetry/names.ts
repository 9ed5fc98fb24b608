/**
 * Names of spans, attributes and metrics: those of the OpenTelemetry GenAI conventions (status "Development",
 * `open-telemetry/semantic-conventions-genai`), and `reins.` where these have none. No other file has a `gen_ai.` name.
 */

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
export const noticeFacts = ["delayMs", "waitUntilMs", "attempt", "maxAttempts", "level", "spent", "limit"] as const

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
export const providers: Readonly<Record<string, string>> = {
  google: "gcp.gemini",
  "google-vertex": "gcp.vertex_ai",
  "amazon-bedrock": "aws.bedrock",
  azure: "azure.ai.openai",
  mistral: "mistral_ai",
  xai: "x_ai"
}
