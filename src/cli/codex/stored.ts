/**
 * The threads of Codex (0.169.0): rollouts, one file a thread, and an index of them in SQLite, whose name has a number that
 * changes with its form. Without the index all threads can be resumed, without its file none.
 */

import { at, cutTextAt, firstOf, lastOf, numberAt, parsedLines, textAt, timeAt } from "../jsonFields.ts"
import type { Stored, StoredFile, StoredFilesUsage, StoredReading, StoredRow, StoredUsage } from "../Stored.ts"
import { recordedUsage } from "./run/state.ts"
import { baseOf, promptOf, reader } from "./storedItems.ts"

const fileName = /^rollout-.*?-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl$/i
const idOf = (name: string): string | undefined => fileName.exec(name)?.[1]

const rolloutPaths: ReadonlyArray<ReadonlyArray<string | RegExp>> = [
  ["sessions", /^\d{4}$/, /^\d\d$/, /^\d\d$/, fileName],
  ["archived_sessions", fileName]
]

const readUsage = (line: unknown, sessionId: string): StoredUsage | undefined => {
  const [type, payload] = [textAt(line, "type"), at(line, "payload")]
  const [time, id] = [timeAt(line, "timestamp"), textAt(payload, "turn_id")]
  if (time === undefined || id === undefined) return undefined
  if (type === "turn_context") return { id, at: time, model: textAt(payload, "model") }
  if (type !== "token_usage_record") return undefined
  const session = textAt(payload, "session_id") ?? textAt(payload, "thread_id")
  return session === sessionId ? { id, at: time, usage: recordedUsage(payload) } : undefined
}

/** Each answer has the sum of its turn so far; the first line of a turn has the model. Sub-agents have own rollouts. */
const usage: StoredFilesUsage = {
  marks: ['"token_usage_record"', '"turn_context"'],
  read: readUsage,
  agents: () => rolloutPaths.slice(0, 1)
}

const isOfType = (line: unknown, type: string) => at(line, "type") === type
const isStart = (line: unknown) => isOfType(line, "event_msg") && at(line, "payload", "type") === "task_started"

const read = ({ name, head, tail, isWhole }: StoredFile): StoredReading => {
  const sessionId = idOf(name)
  if (sessionId === undefined) return "has a name without an id"
  const [first, last] = [parsedLines(head), parsedLines(tail)]
  const lines = [...first, ...last]
  const meta = first.find((line) => isOfType(line, "session_meta"))
  const isCut = meta === undefined && head.startsWith('{"timestamp"') && head.slice(0, 400).includes('"session_meta"')
  if (meta === undefined && !isCut) return "does not begin as a thread of Codex does"
  const turns = lines.filter(isStart).length
  const contexts = lines.filter((line) => isOfType(line, "turn_context"))
  const times = lines.map((line) => timeAt(line, "timestamp"))
  return {
    sessionId,
    directory: textAt(meta, "payload", "cwd") ?? cutTextAt(head, "cwd"),
    title: firstOf(lines.map(promptOf)),
    model: lastOf(contexts.map((line) => textAt(line, "payload", "model"))),
    createdAt: timeAt(meta, "payload", "timestamp") ?? firstOf(times),
    usedAt: lastOf(times),
    ...(isWhole ? { turns } : {})
  }
}

/** In ms; older forms of the index have seconds. */
const timeOf = (row: StoredRow, name: string): number | undefined => {
  const seconds = numberAt(row, name)
  return numberAt(row, `${name}_ms`) ?? (seconds === undefined ? undefined : seconds * 1000)
}

const readRow = (row: StoredRow): StoredReading => {
  const sessionId = textAt(row, "id")
  if (sessionId === undefined) return "is a thread without an id"
  return {
    sessionId,
    directory: textAt(row, "cwd"),
    title: textAt(row, "name") ?? textAt(row, "title") ?? textAt(row, "preview") ?? textAt(row, "first_user_message"),
    model: textAt(row, "model"),
    createdAt: timeOf(row, "created_at"),
    usedAt: timeOf(row, "updated_at"),
    isArchived: at(row, "archived") === 1
  }
}

export const stored: Stored = {
  home: ({ CODEX_HOME, HOME }) => CODEX_HOME || `${HOME}/.codex`,
  files: {
    paths: rolloutPaths,
    idOf,
    isOf: (name, sessionId) => idOf(name) === sessionId,
    read,
    reader,
    baseOf,
    usage
  },
  database: {
    file: () => /^state_(\d+)\.sqlite$/,
    sessions: {
      name: "threads",
      id: "id",
      columns: [
        "id", "cwd", "name", "title", "preview", "first_user_message", "model", "archived",
        "created_at", "created_at_ms", "updated_at", "updated_at_ms"
      ], // biome-ignore format: one list
      newest: ["updated_at_ms", "updated_at"]
    },
    read: readRow
  }
}
