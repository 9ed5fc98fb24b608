/**
 * The turns of a session, one at a time: the current one, its text so far, and its end. Output without a requested turn
 * belongs to a turn that the CLI started by itself.
 */
import { type Clock, Deferred, Effect } from "effect"
import type { RunReport } from "../../cli/Decoder.ts"
import type { FoundSum } from "../../cli/stored/sumOfUsage.ts"
import type { FailureReason } from "../../contract/AgentError.ts"
import type { AgentEvent, NoticeEvent } from "../../contract/AgentEvent.ts"
import { makeParagraphs } from "../../contract/paragraphs.ts"
import type { End } from "../../contract/Start.ts"
import { startStopwatch } from "../../system/hostClock.ts"
import type { Again } from "../answers/answering.ts"
import { addReport, sumOfReports, usageSince } from "../answers/sumOfReports.ts"
import { visibleLength } from "../approvals/planGate.ts"
import { smallEventBytes } from "../engine/backlog.ts"
import { makeEventGate } from "../engine/eventGate.ts"
import type { Ending } from "../engine/judge.ts"
import { errorEvent, makeResult, makeResultTally, type ResultTally } from "../engine/result.ts"
import { makeStop, requestStop, type Stop } from "../engine/stop.ts"
import { type Spent, withFound } from "../engine/unreportedUsage.ts"
import type { Broadcast } from "./broadcast.ts"
import { finish, giveTo, type Turn } from "./turn.ts"

/** Number of last turns that may still change: each is completed within a second of its end. */
const mostOpen = 16

const makeSessionTotals = () => {
  /** The report of all turns except the last few, which may still change. */
  let older: RunReport = {}
  const last: Array<{ report: RunReport }> = []
  return {
    /** Adds a turn; the returned function replaces its report when the usage beside the lines was found. */
    add: (report: RunReport) => {
      const entry = { report }
      last.push(entry)
      const oldest = last.length > mostOpen ? last.shift() : undefined
      if (oldest !== undefined) older = addReport(older, oldest.report)
      return (completed: RunReport) => {
        entry.report = completed
      }
    },
    sum: () => last.reduce((sum, { report }) => addReport(sum, report), older)
  }
}

interface Current {
  /** Undefined for a turn that the CLI started by itself. */
  readonly turn: Turn | undefined
  readonly tally: ResultTally
  readonly separated: (event: AgentEvent) => AgentEvent | undefined
  /** In ms since 1970. */
  readonly since: number
  /** The report of answers that did not match the schema. */
  earlier?: RunReport
  /** The prompt that continues it, as soon as the CLI can take it. */
  further?: string | undefined
}

export type Turns = ReturnType<typeof makeTurns>

type Accounting = (spent: Spent) => Effect.Effect<FoundSum | undefined> | undefined

export const makeTurns = (broadcast: Broadcast, clock: Clock.Clock, stop: Stop = makeStop()) => {
  const openMs = startStopwatch(clock)
  let current: Current | undefined
  let begun = 0
  const totals = makeSessionTotals()
  let unreported: Accounting | undefined
  let ended: End | undefined
  let isOver = false
  let hadOutput = false
  const outlet = makeEventGate((reason) => requestStop(stop, "gate", reason))
  let last: { readonly ending: Ending; readonly stderr: string } | undefined
  let over = Deferred.makeUnsafe<void>()
  let sessionId: string | undefined
  /** Undefined if it will not be read. */
  let visibleBefore: number | undefined

  const now = () => clock.currentTimeMillisUnsafe()
  const start = (turn: Turn | undefined): Current => {
    begun += 1
    return { turn, tally: makeResultTally(clock), separated: makeParagraphs(), since: now() }
  }

  const give = (event: AgentEvent, bytes = smallEventBytes) => {
    if (ended !== undefined) return
    if (event.type === "session" && event.parentToolId === undefined) sessionId = event.sessionId
    const visible = event.type === "usage" ? usageSince(current?.earlier, event) : event
    const separated = current === undefined ? visible : current.separated(visible)
    if (separated === undefined) return
    current?.tally.push(separated)
    offer(separated, bytes, current?.turn)
    for (const added of current?.turn?.answering?.push(visible) ?? []) give(added)
  }

  const emit = (event: AgentEvent, bytes: number, turn: Turn | undefined) => {
    broadcast.offer(event, bytes)
    if (turn !== undefined) giveTo(turn, event, bytes)
  }

  const offer = (event: AgentEvent, bytes: number, turn: Turn | undefined) => {
    if (outlet.passes(event)) emit(event, bytes, turn)
    else outlet.give(event, bytes, () => emit(event, bytes, turn))
  }

  const named = (report: RunReport): RunReport => (sessionId === undefined ? report : { sessionId, ...report })

  const end = (ending: Ending, report: RunReport, isOwn: boolean, stderr = "") => {
    current ??= start(undefined)
    const { turn, tally, earlier, since } = current
    const whole = sumOfReports(earlier, report)
    const replace = totals.add(whole)
    if (visibleBefore !== undefined) visibleBefore += visibleLength(tally.text())
    if (ending.failure !== undefined) give(errorEvent(ending.failure))
    const end = tally.end(ending, named(whole), stderr)
    const done: AgentEvent = { type: "turn_done", result: end.result }
    const { usage } = whole
    const finding = unreported?.({ sessionId, since, until: now(), usage, hadSubAgent: tally.hadSubAgent() })
    if (finding !== undefined) {
      outlet.waitFor(
        Effect.map(finding, (found) => {
          replace(withFound(whole, found))
          // The result has not been handed out yet.
          Object.assign(end.result, withFound(end.result, found))
        })
      )
    }
    hadOutput ||= end.hadOutput
    if (!isOwn) {
      current = turn === undefined ? undefined : start(turn)
      return outlet.give(done, 0, () => broadcast.offer(done, 0))
    }
    current = undefined
    Deferred.doneUnsafe(over, Effect.void)
    over = Deferred.makeUnsafe()
    if (turn !== undefined) turn.ended = end
    const settling = turn?.gates?.settle?.(end)
    if (settling !== undefined) outlet.waitFor(settling)
    outlet.give(done, 0, () => {
      broadcast.offer(done, 0)
      if (turn !== undefined) finish(turn, done, end)
    })
  }

  return {
    give,
    /** For notices of a gate of the session or of a turn: also before it has started, and while gates settle. */
    giveNotice: (notice: NoticeEvent, turn?: Turn) => {
      const subject = turn ?? { ended, isOver }
      if (subject.ended === undefined) offer(notice, smallEventBytes, turn)
      else if (!subject.isOver) outlet.insert(notice, () => emit(notice, smallEventBytes, turn))
    },
    isUnderWay: () => current !== undefined,
    current: () => current?.turn,
    /** Number of the turn that is under way, also if the CLI began it by itself; undefined between turns. */
    number: () => (current === undefined ? undefined : begun),
    /** Without a turn for one that the CLI starts by itself. */
    begin: (turn: Turn | undefined) => {
      current = start(turn)
    },
    /** `isOwn: false`: the requested turn is still to come. */
    end,
    /** Completes when the running turn is over. */
    over: () => Deferred.await(over),
    /** Continues the current turn, since its answer does not match its schema. */
    goOn: ({ prompt, notices }: Again, report: RunReport) => {
      if (current === undefined) return
      for (const notice of notices) give(notice)
      current.earlier = sumOfReports(current.earlier, report)
      current.further = prompt
    },
    /** Returns the input that continues the current turn, once. */
    takeFurther: () => {
      if (current?.turn === undefined || current.further === undefined) return undefined
      // The agent has seen them.
      const { attachments: _seen, ...input } = current.turn.input
      const further = { prompt: current.further, input }
      current.further = undefined
      return further
    },
    isToolOpen: () => current?.tally.isToolOpen() ?? false,
    /** Makes `textLength` count; to be called before the first turn. */
    countText: () => {
      visibleBefore = 0
    },
    /** Number of visible characters of the main agent in the session. */
    textLength: () => (visibleBefore ?? 0) + (current === undefined ? 0 : visibleLength(current.tally.text())),
    sessionId: () => sessionId,
    /** Ends a turn that never started; `isPublic`: it is also in the events of the session. */
    refuse: (turn: Turn, failure: FailureReason, isPublic = false) => {
      // A turn that is refused because the session has ended has the facts of that end.
      const { ending, stderr } = last?.ending.failure === failure ? last : { ending: { failure }, stderr: "" }
      const result = makeResult({ ending, text: "", durationMs: 0, report: {}, stderr })
      const end: End = { result, failure, hadOutput: false }
      const error = errorEvent(failure)
      const done: AgentEvent = { type: "turn_done", result }
      turn.ended = end
      if (isPublic && ended === undefined) {
        offer(error, smallEventBytes, turn)
        outlet.give(done, 0, () => {
          broadcast.offer(done, 0)
          finish(turn, done, end)
        })
        return
      }
      giveTo(turn, error, smallEventBytes)
      finish(turn, done, end)
    },
    /** Ends the running turn, with its `report` so far, and then the session with `done`. */
    conclude: (ending: Ending, stderr: string, report: RunReport = {}) => {
      if (ended !== undefined) return
      outlet.close()
      const isRunning = current !== undefined
      if (isRunning) end(ending, report, true, stderr)
      else totals.add(report)
      if (ending.failure !== undefined && !isRunning) give(errorEvent(ending.failure))
      const result = makeResult({ ending, text: "", durationMs: openMs(), report: named(totals.sum()), stderr })
      // By then usage lookups of the last turns have completed.
      if (outlet.isHolding()) outlet.waitFor(Effect.sync(() => Object.assign(result, totals.sum())))
      ended = { result, failure: ending.failure, hadOutput }
      last = { ending, stderr }
      Deferred.doneUnsafe(over, Effect.void)
      outlet.settle(ended)
      const done: AgentEvent = { type: "done", result }
      outlet.give(done, 0, () => {
        isOver = true
        emit(done, 0, undefined)
      })
    },
    ended: () => ended,
    /** Sets the lookup of usage that lines leave out, once a turn is over. */
    accountBy: (accounting: Accounting) => {
      unreported = accounting
    },
    outlet
  }
}
