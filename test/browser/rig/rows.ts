/**
 * Rows of a scripted conversation: each function gives one row without id and time, `scripted` puts them on a clock and gives
 * the text of each piece its blocks, as the server does.
 */
import { treesOf } from "./trees.ts"

export interface Unplaced {
  readonly row: string
  readonly [field: string]: unknown
}

export const turn = "turn-1"
export const ev = (type: string, fields: object = {}, of: string = turn): Unplaced => ({
  row: "event",
  turn: of,
  event: { type, ...fields }
})
export const say = (text: string, of?: string) => ev("text", { text }, of)
export const use = (toolId: string, toolName: string, kind: string, title: string, input: unknown, more: object = {}) =>
  ev("tool_use", { toolId, toolName, kind, title, input, ...more })
export const got = (toolId: string, output: string, isError = false, more: object = {}) =>
  ev("tool_result", { toolId, output, isError, ...more })
export const me = (message: string, text: string, more: object = {}): Unplaced => ({
  row: "message",
  message,
  by: "You",
  text,
  state: "sent",
  ...more
})
export const run = (more: object = {}): Unplaced => ({
  row: "run",
  turn,
  agent: "claude",
  model: "opus-4.5",
  mode: "default",
  ...more
})
export const session = () =>
  ev("session", {
    sessionId: "8b2d6f0a-41f7-4c1e-9a55-0c8f6f1b2e77",
    model: "opus-4.5",
    workingDirectory: "/home/ann/code/shop"
  })
export const done = (more: object = {}, of: string = turn): Unplaced => ({
  row: "done",
  turn: of,
  result: {
    outcome: "completed",
    reason: "completed",
    sessionId: "8b2d6f0a-41f7-4c1e-9a55-0c8f6f1b2e77",
    durationMs: 123_000,
    aborted: false,
    totalCostUsd: 0.21,
    usage: { inputTokens: 41_200, outputTokens: 3100, cacheReadTokens: 180_400 },
    ...more
  }
})
export const ask = (requestId: string, fields: object) =>
  ev("permission_request", {
    requestId,
    toolId: `tool-${requestId}`,
    input: {},
    escalated: false,
    scopes: [],
    deadlineMs: Date.now() + 300_000,
    ...fields
  })

export interface Placed extends Unplaced {
  readonly at: number
}

const isText = (row: Unplaced) => {
  const event = row["event"] as { type: string; parentToolId?: string; text?: string } | undefined
  return event?.type === "text" && event.parentToolId === undefined ? (event.text ?? "") : undefined
}

/** One second apart, the last four seconds ago; each text with the blocks of its segment from the first that changed. */
export const scripted = (rows: ReadonlyArray<Unplaced>): ReadonlyArray<Placed> => {
  let segment = ""
  let before: ReadonlyArray<unknown> = []
  const last = Date.now() - 4000
  return rows.map((row, index) => {
    const at = last - (rows.length - 1 - index) * 1000
    const text = isText(row)
    if (text === undefined) {
      if (row.row === "event") segment = ""
      return { at, ...row }
    }
    if (segment === "") before = []
    segment += text
    const list = treesOf(segment)
    const from = list.findIndex((block, place) => JSON.stringify(block) !== JSON.stringify(before[place]))
    before = list
    const start = from === -1 ? list.length : from
    return { at, ...row, blocks: { from: start, list: list.slice(start) } }
  })
}
