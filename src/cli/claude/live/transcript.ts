/**
 * The lines of a live session, read by the step of a run: what lasts goes on from turn to turn, what a turn tells of
 * itself begins anew with each, so that nothing grows with their number (2.1.328).
 */
import { Result } from "effect"
import type { AgentEvent } from "../../../contract/AgentEvent.ts"
import type { RunReport, Verdict } from "../../Decoder.ts"
import { decodeLeniently } from "../../lenient.ts"
import { step } from "../events.ts"
import { allReported, isQuiet } from "../run/background.ts"
import { report, type State, start } from "../run/state.ts"
import { decodeWire, type Wire } from "../wire.ts"

interface Read {
  readonly events: ReadonlyArray<AgentEvent>
  /** Undefined: not known, and kept whole among the events. */
  readonly line: Wire | undefined
  /** A turn begins by this line, and can do so while the result of the one before is still to be told. */
  readonly mayBeSecond: boolean
}

export interface Transcript {
  readonly read: (json: unknown) => Read
  /** After a result: what the turn came to. The next one begins. */
  readonly endTurn: () => { readonly report: RunReport; readonly verdict: Verdict | undefined }
  /** What was told so far of the turn under way. */
  readonly report: () => RunReport
  /** The outcome of this tool call is told by other events, and needs no notice when a result lists it as denied. */
  readonly announced: (toolId: string) => void
  /** The CLI works in the background, or has yet to tell the model of work that is over. */
  readonly hasBackground: () => boolean
}

const decode = decodeLeniently(decodeWire)

/** Work that ends while a tool runs is told to the model with the tool's result, and begins no turn of its own. */
const tellsOfWork = (line: Wire, events: ReadonlyArray<AgentEvent>) =>
  line.type === "user" && line.parent_tool_use_id == null && events.some(({ type }) => type === "tool_result")

/** The next turn; where it has begun already, its text is counted, too. */
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
      state = tellsOfWork(line, events) ? { ...next, background: allReported(next.background) } : next
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
