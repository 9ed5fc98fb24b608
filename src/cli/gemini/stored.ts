/**
 * The chats of Gemini CLI (0.61.0): `tmp/<slug>/chats/session-<minute>-<first 8 of the id>.jsonl`; `.project_root` beside them
 * has the directory. A session can have several files, and can be resumed only in its directory.
 */
import { addCounts, usageOf } from "../../contract/addUsage.ts"
import { lastOf, numberAt, parsedLines, textAt, timeAt } from "../jsonFields.ts"
import type { Stored, StoredFile, StoredFilesUsage, StoredReading, StoredUsage } from "../Stored.ts"
import { makeChat, promptOf, reader } from "./storedItems.ts"

const readUsage = (line: unknown): StoredUsage | undefined => {
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

/** The usage of an answer is in its message, which can be written several times. Sub-agents have a folder of the session. */
const usage: StoredFilesUsage = {
  marks: ['"tokens"'],
  read: readUsage,
  agents: (sessionId) => [["tmp", /./, "chats", sessionId, /\.jsonl$/]]
}

const fileName = /^session-.*\.jsonl$/

const read = ({ head, tail, isWhole, beside }: StoredFile): StoredReading => {
  const lines = parsedLines(head, tail)
  const sessionId = textAt(lines[0], "sessionId")
  if (sessionId === undefined) return "does not begin as a chat of Gemini CLI does"
  const chat = makeChat()
  for (const line of lines) chat.add(line)
  const messages = chat.messages()
  const prompts = messages.flatMap((message) => promptOf(message) ?? [])
  if (prompts.length === 0 && isWhole) return undefined
  return {
    sessionId,
    directory: beside?.trim(),
    title: prompts[0] ?? textAt(lines[0], "firstUserMessage"),
    model: lastOf(messages.map((message) => textAt(message, "model"))),
    createdAt: timeAt(lines[0], "startTime"),
    usedAt: lastOf(messages.map((message) => timeAt(message, "timestamp"))) ?? timeAt(lines[0], "lastUpdated"),
    ...(isWhole ? { turns: prompts.length } : {})
  }
}

export const stored: Stored = {
  home: ({ GEMINI_CLI_HOME, HOME }) => `${GEMINI_CLI_HOME || HOME}/.gemini`,
  files: {
    paths: [["tmp", /./, "chats", fileName]],
    beside: ["..", ".project_root"],
    isOf: (name, sessionId) => fileName.test(name) && name.includes(`-${sessionId.slice(0, 8)}.`),
    read,
    reader,
    usage
  }
}
