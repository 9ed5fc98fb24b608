/**
 * The turns of a session, one at a time: whose turn it is, what its text is so far, and its one end. What comes while no
 * turn was asked for is a turn that the CLI began by itself.
 */
import { type Clock, Exit } from "effect"
import { visibleLength } from "../approvals/planGate.ts"
import type { RunReport } from "../cli/Cli.ts"
import { startStopwatch } from "../clock/stopwatch.ts"
import type { FailureReason } from "../contract/AgentError.ts"
import type { AgentEvent } from "../contract/AgentEvent.ts"
import type { AgentRunResult } from "../contract/AgentRunResult.ts"
import { addUsage } from "../contract/usage.ts"
import { type Backlog, makeBacklog } from "../engine/backlog.ts"
import { errorEvent } from "../engine/failure.ts"
import { type Ending, makeResult } from "../engine/judge.ts"
import { type Ended, smallEventBytes } from "../engine/outbox.ts"
import { makeTally, type Tally } from "../engine/tally.ts"
import type { Audience } from "./audience.ts"

export interface Turn {
  readonly prompt: string
  /** For whoever asked for the turn by `turn`. */
  readonly backlog: Backlog
  /** How it came out, once it is over: the reason itself, which no event has. */
  ended: Ended | undefined
}

export const makeTurn = (prompt: string): Turn => ({
  prompt,
  backlog: makeBacklog(),
  ended: undefined
})

interface Current {
  /** Undefined for one that the CLI began by itself. */
  readonly turn: Turn | undefined
  readonly tally: Tally
  readonly elapsedMs: () => number
}

export interface Turns {
  readonly give: (event: AgentEvent, bytes?: number) => void
  readonly isUnderWay: () => boolean
  readonly current: () => Turn | undefined
  /** Undefined: one that the CLI begins by itself. */
  readonly begin: (turn: Turn | undefined) => void
  /** `isOwn: false`: the turn that was asked for is still to come. */
  readonly end: (ending: Ending, report: RunReport, isOwn: boolean) => void
  readonly isToolOpen: () => boolean
  /** Main-thread characters of the session that can be seen. */
  readonly textLength: () => number
  readonly sessionId: () => string | undefined
  /** The end of a turn that never began. */
  readonly refuse: (turn: Turn, failure: FailureReason) => void
  /** The end of the session: of the turn under way, of which `report` was told so far; then the one `done`. */
  readonly conclude: (ending: Ending, stderr: string, report?: RunReport) => void
  readonly result: () => AgentRunResult | undefined
}

/** What the turns have cost so far, all of them together. */
const addReport = (before: RunReport, { sessionId, usage, totalCostUsd, numTurns }: RunReport): RunReport => {
  const allUsage = addUsage(before.usage, usage)
  const cost = totalCostUsd === undefined ? before.totalCostUsd : (before.totalCostUsd ?? 0) + totalCostUsd
  const count = numTurns === undefined ? before.numTurns : (before.numTurns ?? 0) + numTurns
  return {
    ...before,
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(allUsage === undefined ? {} : { usage: allUsage }),
    ...(cost === undefined ? {} : { totalCostUsd: cost }),
    ...(count === undefined ? {} : { numTurns: count })
  }
}

export const makeTurns = (audience: Audience, clock: Clock.Clock): Turns => {
  const openMs = startStopwatch(clock)
  let current: Current | undefined
  let total: RunReport = {}
  let result: AgentRunResult | undefined
  let over: { readonly ending: Ending; readonly stderr: string } | undefined
  let sessionId: string | undefined
  let visibleBefore = 0

  const start = (turn: Turn | undefined): Current => ({
    turn,
    tally: makeTally(),
    elapsedMs: startStopwatch(clock)
  })

  const give = (event: AgentEvent, bytes = smallEventBytes) => {
    if (result !== undefined) return
    if (event.type === "session" && event.parentToolId === undefined) sessionId = event.sessionId
    current?.tally.push(event)
    audience.offer(event, bytes)
    current?.turn?.backlog.offer(event, bytes)
  }

  const named = (report: RunReport): RunReport => (sessionId === undefined ? report : { sessionId, ...report })

  const end = (ending: Ending, report: RunReport, isOwn: boolean, stderr = "") => {
    current ??= start(undefined)
    const { turn, tally, elapsedMs } = current
    total = addReport(total, report)
    visibleBefore += visibleLength(tally.text())
    if (ending.failure !== undefined) give(errorEvent(ending.failure))
    const ended = makeResult({ ending, text: tally.text(), durationMs: elapsedMs(), report: named(report), stderr })
    const done: AgentEvent = { type: "turn_done", result: ended }
    audience.offer(done, 0)
    if (!isOwn) {
      current = turn === undefined ? undefined : start(turn)
      return
    }
    current = undefined
    if (turn === undefined) return
    turn.ended = { result: ended, failure: ending.failure, hadOutput: tally.hadOutput() }
    turn.backlog.offer(done, 0)
    turn.backlog.end(Exit.void)
  }

  return {
    give,
    isUnderWay: () => current !== undefined,
    current: () => current?.turn,
    begin: (turn) => {
      current = start(turn)
    },
    end,
    isToolOpen: () => current?.tally.isToolOpen() ?? false,
    textLength: () => visibleBefore + (current === undefined ? 0 : visibleLength(current.tally.text())),
    sessionId: () => sessionId,
    refuse: (turn, failure) => {
      // Refused for the end of the session, it shares what is known of that.
      const { ending, stderr } = over?.ending.failure === failure ? over : { ending: { failure }, stderr: "" }
      const ended = makeResult({ ending, text: "", durationMs: 0, report: {}, stderr })
      turn.ended = { result: ended, failure, hadOutput: false }
      turn.backlog.offer(errorEvent(failure), smallEventBytes)
      turn.backlog.offer({ type: "turn_done", result: ended }, 0)
      turn.backlog.end(Exit.void)
    },
    conclude: (ending, stderr, report = {}) => {
      if (result !== undefined) return
      const isTold = current !== undefined
      if (isTold) end(ending, report, true, stderr)
      if (ending.failure !== undefined && !isTold) give(errorEvent(ending.failure))
      const done = makeResult({ ending, text: "", durationMs: openMs(), report: named(total), stderr })
      give({ type: "done", result: done }, 0)
      result = done
      over = { ending, stderr }
    },
    result: () => result
  }
}
