/** The sessions of Pi (1.6.0): `sessions/--<directory>--/<time>_<id>.jsonl`. One can be resumed only in its directory. */
import { at, firstOf, lastOf, parsedLines, textAt, timeAt } from "../jsonFields.ts"
import type { Stored, StoredFile, StoredReading } from "../Stored.ts"
import { isPrompt, promptOf, reader } from "./storedItems.ts"

const fileName = /^[^_]{1,64}_([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl$/i
const idOf = (name: string): string | undefined => fileName.exec(name)?.[1]

/** The name that a person gave it. */
const nameOf = (line: unknown) => (at(line, "type") === "session_info" ? textAt(line, "name") : undefined)

const modelOf = (line: unknown) => {
  if (at(line, "type") !== "message" || at(line, "message", "role") !== "assistant") return undefined
  const [provider, model] = [textAt(line, "message", "provider"), textAt(line, "message", "model")]
  return provider === undefined || model === undefined ? model : `${provider}/${model}`
}

const read = ({ name, head, tail, isWhole }: StoredFile): StoredReading => {
  const lines = [...parsedLines(head), ...parsedLines(tail)]
  const sessionId = textAt(lines[0], "id") ?? idOf(name)
  if (sessionId === undefined || at(lines[0], "type") !== "session") return "does not begin as a session of Pi does"
  const prompts = lines.filter(isPrompt)
  if (prompts.length === 0 && isWhole) return undefined
  return {
    sessionId,
    directory: textAt(lines[0], "cwd"),
    title: lastOf(lines.map(nameOf)) ?? firstOf(lines.map(promptOf)),
    model: lastOf(lines.map(modelOf)),
    createdAt: timeAt(lines[0], "timestamp"),
    usedAt: lastOf(lines.map((line) => timeAt(line, "timestamp"))),
    ...(isWhole ? { turns: prompts.length } : {})
  }
}

export const stored: Stored = {
  home: ({ PI_CODING_AGENT_DIR, HOME }) => PI_CODING_AGENT_DIR || `${HOME}/.pi/agent`,
  files: {
    paths: [["sessions", /^--.*--$/, fileName]],
    idOf,
    isOf: (name, sessionId) => idOf(name) === sessionId,
    read,
    reader
  }
}
