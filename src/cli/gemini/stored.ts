/**
 * The chats of Gemini CLI (0.61.0): `tmp/<slug>/chats/session-<minute>-<first 8 of the id>.jsonl`; `.project_root` beside
 * them has the directory. A session can have several files, and can be resumed only in its directory.
 */
import type { Stored, StoredFile, StoredReading } from "../Stored.ts"
import { lastOf, parsedLines, textAt, timeAt } from "../storedLines.ts"
import { makeChat, promptOf, reader } from "./storedItems.ts"
import { usage } from "./storedUsage.ts"

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

/** The part of an id in the names of its files. */
const shortOf = (sessionId: string) => sessionId.slice(0, 8)

export const stored: Stored = {
  home: ({ GEMINI_CLI_HOME, HOME }) => `${GEMINI_CLI_HOME || HOME}/.gemini`,
  files: {
    paths: [["tmp", /./, "chats", fileName]],
    beside: ["..", ".project_root"],
    isOf: (name, sessionId) => fileName.test(name) && name.includes(`-${shortOf(sessionId)}.`),
    read,
    reader,
    usage
  }
}
