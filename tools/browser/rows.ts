/** Rows of a scripted conversation: each function gives one row without id and time, a script puts them on a clock. */
import { makeTurnRows, type TurnRows } from "../../src/channels/web/rows/turnRows.ts"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"

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

/** Events go the way of the server's own: pieces of text get their place, their segment and its blocks. */
export const makeScript = () => {
  const turns = new Map<string, TurnRows>()
  return (rows: ReadonlyArray<Unplaced>, lastAt: number): ReadonlyArray<Placed> =>
    rows.flatMap((row, index): ReadonlyArray<Placed> => {
      // One second apart.
      const at = lastAt - (rows.length - 1 - index) * 1000
      const of = row["turn"]
      if (row.row !== "event" || typeof of !== "string" || row["blocks"] !== undefined) return [{ at, ...row }]
      const made = turns.get(of) ?? makeTurnRows(of)
      turns.set(of, made)
      // Scripts have events of later versions, too.
      return made.push(row["event"] as AgentEvent).map(({ take }) => ({ at, ...take() }))
    })
}
