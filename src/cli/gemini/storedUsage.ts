/**
 * Usage in chats of Gemini CLI (0.61.0): that of each answer, in its message, which can be written several times. The chats
 * of sub-agents are in a folder named by the session.
 */
import { addCounts, usageOf } from "../../contract/addUsage.ts"
import type { StoredFilesUsage, StoredUsage } from "../Stored.ts"
import { numberAt, textAt, timeAt } from "../storedLines.ts"

const read = (line: unknown): StoredUsage | undefined => {
  const [id, at] = [textAt(line, "id"), timeAt(line, "timestamp")]
  if (id === undefined || at === undefined || textAt(line, "type") !== "gemini") return undefined
  const [input, cached] = [numberAt(line, "tokens", "input"), numberAt(line, "tokens", "cached")]
  const usage = usageOf({
    inputTokens: input === undefined ? undefined : Math.max(0, input - (cached ?? 0)),
    // Thoughts are paid for as output.
    outputTokens: addCounts(numberAt(line, "tokens", "output"), numberAt(line, "tokens", "thoughts")),
    cacheReadTokens: cached === 0 ? undefined : cached
  })
  return { id, at, usage, model: textAt(line, "model") }
}

export const usage: StoredFilesUsage = {
  marks: ['"tokens"'],
  read,
  agents: (sessionId) => [["tmp", /./, "chats", sessionId, /\.jsonl$/]]
}
