/** The outcomes of runs as their caller sees them, and how they are counted. */
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import type { AgentRunResult } from "../../src/contract/AgentRunResult.ts"
import type { Ended } from "./doors.ts"

export interface RunAccount {
  readonly how: Ended["how"]
  readonly problem?: string
  /** By type; `stalled` and `queued` notices hang on the load of the machine and are left out. */
  readonly counts: Readonly<Record<string, number>>
  readonly dones: number
  readonly isDoneLast: boolean
  readonly joinedText: string
  readonly lastErrorCode?: string
  readonly result?: AgentRunResult
  readonly fired: ReadonlyArray<string>
  /** From the first end that was asked for from outside to the end of the run; not where the consumer had paused. */
  readonly endedAfterMs?: number
}

export interface Account {
  readonly runs: ReadonlyArray<RunAccount>
  readonly fired: ReadonlyArray<string>
}

export const makeTally = () => {
  const counts: Record<string, number> = {}
  let dones = 0
  let isDoneLast = false
  let text = ""
  let error: string | undefined
  let result: AgentRunResult | undefined
  return {
    onEvent: (event: AgentEvent) => {
      isDoneLast = event.type === "done"
      if (event.type === "notice" && (event.kind === "stalled" || event.kind === "queued")) return
      counts[event.type] = (counts[event.type] ?? 0) + 1
      if (event.type === "text" && event.parentToolId === undefined) text += event.text
      if (event.type === "notice" && event.kind === "text_voided") {
        text = text.slice(0, Math.max(0, text.length - Number(event.data?.["characters"])))
      }
      if (event.type === "error") error = event.code
      if (event.type !== "done") return
      dones += 1
      result = event.result
    },
    account: (ended: Ended) => ({
      how: ended.how,
      counts,
      dones,
      isDoneLast,
      joinedText: text,
      ...(ended.how === "threw" ? { problem: ended.problem } : {}),
      ...(error === undefined ? {} : { lastErrorCode: error }),
      ...(ended.how === "gave" ? { result: ended.result } : result === undefined ? {} : { result })
    })
  }
}
