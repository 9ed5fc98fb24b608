/** For tests of the ledger: runs as they are noted. */
import type { Entry, OpenRun } from "../../../src/money/ledger/rows.ts"

export const openRun = (input: Partial<OpenRun> = {}): OpenRun => ({
  id: "r",
  kind: "run",
  runId: "r",
  sessionId: undefined,
  cli: "claude",
  home: "here",
  model: undefined,
  project: undefined,
  user: undefined,
  billing: "unknown",
  started: 1,
  ...input
})

export const entry = (input: Partial<Entry> = {}): Entry => ({
  id: "e",
  at: 1,
  runId: "r",
  turnId: null,
  sessionId: null,
  cli: "claude",
  home: "here",
  model: null,
  project: null,
  user: null,
  input: null,
  output: null,
  cacheRead: null,
  cacheWrite: null,
  micros: null,
  assumed: null,
  source: "none",
  priceVersion: null,
  billing: "unknown",
  turns: null,
  ...input
})
