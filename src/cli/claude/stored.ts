/**
 * The transcripts of Claude Code (2.1.330): `projects/<slug>/<id>.jsonl`, one line an entry. The slug of a directory cannot be
 * turned back; `cwd` is in the lines. The end of a file repeats its title and the cost so far.
 */

import { at, cutTextAt, firstOf, lastOf, numberAt, parsedLines, textAt, timeAt } from "../jsonFields.ts"
import type { Stored, StoredFile, StoredReading } from "../Stored.ts"
import { synthetic } from "./run/content.ts"
import { promptOf, reader } from "./storedItems.ts"

const fileName = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl$/i
const idOf = (name: string): string | undefined => fileName.exec(name)?.[1]

const modelOf = (line: unknown) => {
  const model = at(line, "type") === "assistant" ? textAt(line, "message", "model") : undefined
  return model === synthetic ? undefined : model
}

const turnOf = (line: unknown) =>
  at(line, "type") === "user" ? numberAt(line, "turnPosition", "turnIndex") : undefined

/** The user's title, and one that the CLI has made. */
const titleOf = (line: unknown) => (at(line, "type") === "custom-title" ? textAt(line, "customTitle") : undefined)
const madeTitleOf = (line: unknown) => (at(line, "type") === "ai-title" ? textAt(line, "aiTitle") : undefined)
const costOf = (line: unknown) => (at(line, "type") === "cost-state" ? numberAt(line, "totalCostUSD") : undefined)

const read = ({ name, head, tail, isWhole }: StoredFile): StoredReading => {
  const sessionId = idOf(name)
  const [first, last] = [parsedLines(head), parsedLines(tail)]
  const lines = [...first, ...last]
  const isConversation = lines.some((line) => at(line, "type") === "user" || at(line, "type") === "assistant")
  // Neither end of a long one may have a line of the conversation.
  const isKnown = lines.some((line) => textAt(line, "sessionId") !== undefined)
  if (sessionId === undefined || !(isConversation || isKnown)) return "is not a transcript of Claude Code"
  if (!isConversation && isWhole) return undefined
  return {
    sessionId,
    directory: firstOf(lines.map((line) => textAt(line, "cwd"))) ?? cutTextAt(head, "cwd"),
    title:
      lastOf(lines.map(titleOf)) ??
      lastOf(lines.map(madeTitleOf)) ??
      firstOf(first.map(promptOf)) ??
      lastOf(last.map((line) => textAt(line, "lastPrompt"))),
    model: lastOf(lines.map(modelOf)),
    createdAt: firstOf(first.map((line) => timeAt(line, "timestamp"))),
    usedAt: lastOf((last.length > 0 ? last : lines).map((line) => timeAt(line, "timestamp"))),
    turns: lastOf((isWhole ? lines : last).map(turnOf)),
    costUsd: lastOf(lines.map(costOf))
  }
}

export const stored: Stored = {
  home: ({ CLAUDE_CONFIG_DIR, HOME }) => CLAUDE_CONFIG_DIR || `${HOME}/.claude`,
  files: {
    paths: [["projects", /./, fileName]],
    idOf,
    isOf: (name, sessionId) => idOf(name) === sessionId,
    read,
    reader
  }
}
