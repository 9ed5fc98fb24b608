/** For tests of the ledger: runs as they are noted. */
import type { OpenRun } from "../../src/ledger/rows.ts"

export const openRun = (given: Partial<OpenRun> = {}): OpenRun => ({
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
  ...given
})
