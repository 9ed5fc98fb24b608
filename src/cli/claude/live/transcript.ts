/**
 * The lines of a live session, read by the step of a run. Lasting state goes on from turn to turn; the facts of a turn
 * start anew with each, so that nothing grows with the number of turns (2.1.328).
 */
import { Result } from "effect"
import type { AgentEvent } from "../../../contract/AgentEvent.ts"
import type { RunReport, Verdict } from "../../Decoder.ts"
import { decodeLeniently } from "../../wireDecoder.ts"
import { step } from "../events.ts"
import { allReported, isQuiet } from "../run/background.ts"
import { report, type State, start } from "../run/state.ts"
import { decodeWire, type Wire } from "../wire.ts"

interface Read {
  readonly events: ReadonlyArray<AgentEvent>
  /** Undefined: an unknown line, kept whole among the events. */
  readonly line: Wire | undefined
  /** This line starts a turn, and may do so before the result of the previous turn. */
  readonly mayBeSecond: boolean
}

export interface Transcript {
  readonly read: (json: unknown) => Read
  /** After a result: the outcome of the turn. The next one starts. */
  readonly endTurn: () => { readonly report: RunReport; readonly verdict: Verdict | undefined }
  /** Facts so far of the turn under way. */
  readonly report: () => RunReport
  /** Other events report the outcome of this tool call: no notice is needed when a result lists it as denied. */
  readonly announced: (toolId: string) => void
  /** The CLI works in the background, or has yet to report finished work to the model. */
  readonly hasBackground: () => boolean
}

const decode = decodeLeniently(decodeWire)

/** Work that ends while a tool runs is reported to the model with the tool's result, and starts no turn of its own. */
const reportsWork = (line: Wire, events: ReadonlyArray<AgentEvent>) =>
  line.type === "user" && line.parent_tool_use_id == null && events.some(({ type }) => type === "tool_result")

/** The next turn. If it has already started, its text is counted, too. */
const nextTurn = (state: State): State => {
  const sessionId = state.report.sessionId ?? state.session?.sessionId
  if (state.results >= state.inits) state.streams.forgetText()
  return {
    ...state,
    lastUsage: undefined,
    report: sessionId === undefined ? {} : { sessionId },
    denied: new Set(),
    verdict: undefined
  }
}

const unread = (raw: unknown): Read => ({
  events: [{ type: "unknown", raw }],
  line: undefined,
  mayBeSecond: false
})

export const makeTranscript = (resumed: boolean): Transcript => {
  let state: State = start(resumed)

  return {
    read: (json) => {
      const decoded = decode(json)
      if (Result.isFailure(decoded)) return unread(json)
      const line = decoded.success
      const mayBeSecond = state.background.unreported > 0
      if (line.type === "conversation_reset") state.totals.reset()
      const [next, events] = step(state, line, json)
      state = reportsWork(line, events) ? { ...next, background: allReported(next.background) } : next
      return { events, line, mayBeSecond }
    },
    endTurn: () => {
      const { report, verdict } = state
      state = nextTurn(state)
      return { report, verdict }
    },
    report: () => report(state),
    announced: (toolId) => {
      state.denied.add(toolId)
    },
    hasBackground: () => state.background.tasks.length > 0 || !isQuiet(state.background)
  }
}
