/** The sessions of OpenCode (1.18.33): one SQLite database. A session can be resumed only in its directory. */
import { basename, dirname, resolve } from "node:path"
import { addCounts, usageOf } from "../../contract/addUsage.ts"
import { at, numberAt, parsed, textAt } from "../jsonFields.ts"
import type { Stored, StoredReading, StoredRow, StoredUsage } from "../Stored.ts"
import { items } from "./storedItems.ts"

/** The usage of an answer of a model, in its row of the table `message`. */
const answerUsage = (row: StoredRow): StoredUsage | undefined => {
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

const modelOf = (row: StoredRow): string | undefined => {
  const model = parsed(textAt(row, "model") ?? "")
  const [provider, id] = [textAt(model, "providerID"), textAt(model, "id") ?? textAt(model, "modelID")]
  return provider === undefined || id === undefined ? id : `${provider}/${id}`
}

const read = (row: StoredRow): StoredReading => {
  const sessionId = textAt(row, "id")
  if (sessionId === undefined) return "is a session without an id"
  // The session of a sub-agent.
  if (textAt(row, "parent_id") !== undefined) return "belongs to another session"
  return {
    sessionId,
    directory: textAt(row, "directory"),
    title: textAt(row, "title"),
    model: modelOf(row),
    createdAt: numberAt(row, "time_created"),
    usedAt: numberAt(row, "time_updated"),
    costUsd: numberAt(row, "cost"),
    isArchived: at(row, "time_archived") != null
  }
}

const data = ["id", "data", "time_created"]

export const stored: Stored = {
  // A relative path is one below the data.
  home: ({ XDG_DATA_HOME, OPENCODE_DB, HOME }) => {
    const data = `${XDG_DATA_HOME || `${HOME}/.local/share`}/opencode`
    return OPENCODE_DB ? dirname(resolve(data, OPENCODE_DB)) : data
  },
  database: {
    file: ({ OPENCODE_DB }) => (OPENCODE_DB === ":memory:" ? undefined : basename(OPENCODE_DB || "opencode.db")),
    sessions: {
      name: "session",
      id: "id",
      columns: [
        "id", "parent_id", "directory", "title", "model", "cost", "time_created", "time_updated", "time_archived"
      ], // biome-ignore format: one list
      newest: ["time_updated", "time_created"]
    },
    read,
    prompts: { table: "message", session: "session_id", column: "data", contains: '"role":"user"' },
    items: {
      tables: [
        {
          name: "session",
          session: "id",
          columns: ["id", "directory", "version", "model", "time_created"],
          order: "id"
        },
        { name: "message", session: "session_id", columns: data, order: "id" },
        { name: "part", session: "session_id", columns: [...data, "message_id"], order: "id" }
      ],
      read: items
    },
    usage: {
      name: "message",
      columns: data,
      session: "session_id",
      time: "time_created",
      parent: "parent_id",
      read: answerUsage
    }
  }
}
