/** Usage in rows of OpenCode's table `message` (1.18.33), where each answer of a model has its own. */
import { addCounts, usageOf } from "../../contract/addUsage.ts"
import type { StoredRow, StoredUsage } from "../Stored.ts"
import { numberAt, parsed, textAt } from "../storedLines.ts"

export const answerUsage = (row: StoredRow): StoredUsage | undefined => {
  const [id, at, message] = [textAt(row, "id"), numberAt(row, "time_created"), parsed(textAt(row, "data") ?? "")]
  if (id === undefined || at === undefined || textAt(message, "role") !== "assistant") return undefined
  const [provider, model] = [textAt(message, "providerID"), textAt(message, "modelID")]
  const usage = usageOf({
    inputTokens: numberAt(message, "tokens", "input"),
    outputTokens: addCounts(numberAt(message, "tokens", "output"), numberAt(message, "tokens", "reasoning")),
    cacheReadTokens: numberAt(message, "tokens", "cache", "read"),
    cacheWriteTokens: numberAt(message, "tokens", "cache", "write")
  })
  return {
    id,
    at,
    usage,
    model: provider === undefined || model === undefined ? model : `${provider}/${model}`,
    costUsd: numberAt(message, "cost")
  }
}
