/** Facts of runs, tools and notices → attributes of spans and events; pure. Texts of strangers are short and harmless. */

import type { NoticeEvent } from "../../contract/AgentEvent.ts"
import type { AgentRunResult, AgentUsage } from "../../contract/AgentRunResult.ts"
import type { ToolUseEvent } from "../../contract/ToolEvent.ts"
import { withoutInvisible } from "../../contract/text/harmless.ts"
import { attributes, noticeFacts, providers } from "./names.ts"

export type Attributes = Record<string, string | number | boolean>

/** In characters. */
const mostLength = 200

/** A name or an id that a CLI has printed. */
export const short = (text: string): string => withoutInvisible(text.slice(0, mostLength))

/**
 * The name of a tool, or a call id, which can contain the name. A model can call a nonexistent tool by any text:
 * invalid names are not repeated.
 */
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
