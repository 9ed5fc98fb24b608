/**
 * The lines of a live session, read by the step of a run (2.1.328). Facts of a turn start anew with each, so that nothing grows
 * with the number of turns. A permission request can come before the line of its call: the `tool_use` event is then made
 * from the request, and not again from the line.
 */
import { Result } from "effect"
import type { AgentEvent } from "../../../contract/AgentEvent.ts"
import type { RunReport, Verdict } from "../../Decoder.ts"
import { decodeLeniently } from "../../wireDecoder.ts"
import { step } from "../events.ts"
import { allReported, isQuiet } from "../run/background.ts"
import type { Delta } from "../run/glance.ts"
import { lacksResult, report, type State, start } from "../run/state.ts"
import { callEvents } from "../run/tools.ts"
import { decodeWire, type RunResult, type Wire } from "../wire.ts"
import type { CanUseTool } from "./wire.ts"

interface Read {
  readonly events: ReadonlyArray<AgentEvent>
  /** Undefined for an unknown line, kept whole among the events. */
  readonly line: Wire | undefined
  /** This line starts a turn, and may do so before the result of the previous turn. */
  readonly mayBeSecond: boolean
}

/** The outcome of a turn. */
export interface Ended {
  readonly report: RunReport
  readonly verdict: Verdict | undefined
}

interface ToolCall {
  readonly parentToolId: string | undefined
  /** Its event was made before its line came. */
  readonly isEarly: boolean
}

export interface Transcript {
  /** `isLate`: whether a result belongs to a turn that was ended without it. */
  readonly read: (json: unknown, isLate: (line: RunResult) => boolean) => Read
  /** The events of a line that was read at a glance. */
  readonly delta: (delta: Delta) => ReadonlyArray<AgentEvent>
  /** Returns the outcome of the turn after its result, and starts the next one. */
  readonly endTurn: () => Ended
  /** Only the result of the turn is missing. */
  readonly lacksResult: () => boolean
  /** The same as `endTurn` for a turn whose result did not come. */
  readonly settleTurn: () => RunReport
  /** Partial report of the running turn. */
  readonly report: () => RunReport
  /** The call of a request: its first events, unless it had them, and the call that it is part of. */
  readonly called: (toolId: string, request: CanUseTool) => Called
  /** Suppresses the notice if a result lists this call as denied: other events report its outcome. */
  readonly announced: (toolId: string) => void
  /** The CLI works in the background, or has yet to report finished work to the model. */
  readonly hasBackground: () => boolean
}

interface Called {
  readonly use: ReadonlyArray<AgentEvent>
  readonly parentToolId: string | undefined
}

const decode = decodeLeniently(decodeWire)

/** Work that ends while a tool runs is reported to the model with the tool's result, and starts no turn of its own. */
const reportsWork = (line: Wire, events: ReadonlyArray<AgentEvent>) =>
  line.type === "user" && line.parent_tool_use_id == null && events.some(({ type }) => type === "tool_result")

/** The state of the next turn. If that has already started, its text is kept. */
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

/** The oldest calls without a result, and agents, are forgotten. */
const mostKept = 1_000

const keep = <A>(map: Map<string, A>, key: string, value: A) => {
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > mostKept && oldest !== undefined) map.delete(oldest)
}

export const makeTranscript = (resumed: boolean): Transcript => {
  let state: State = start(resumed)
  const calls = new Map<string, ToolCall>()
  /** The calls that sub-agents work for, by agent. */
  const agents = new Map<string, string>()
  /** The latest call whose line brought no news. */
  let knownId: string | undefined

  /** False for a tool call that already had its events. */
  const isNews = (event: AgentEvent) => {
    if (event.type === "tool_result" && calls.get(event.toolId)?.isEarly === false) calls.delete(event.toolId)
    if (event.type === "plan") return event.toolId === undefined || event.toolId !== knownId
    if (event.type !== "tool_use") return true
    const isKnown = calls.get(event.toolId)?.isEarly === true
    if (isKnown) knownId = event.toolId
    keep(calls, event.toolId, { parentToolId: event.parentToolId, isEarly: false })
    return !isKnown
  }

  return {
    read: (json, isLate) => {
      const decoded = decode(json)
      if (Result.isFailure(decoded)) {
        return { events: [{ type: "unknown", raw: json }], line: undefined, mayBeSecond: false }
      }
      const line = decoded.success
      if (line.type === "result" && isLate(line)) {
        state.totals.share(line)
        return { events: [], line: undefined, mayBeSecond: false }
      }
      const mayBeSecond = state.background.unreported > 0
      if (line.type === "conversation_reset") state.totals.reset()
      const [next, events] = step(state, line, json)
      state = reportsWork(line, events) ? { ...next, background: allReported(next.background) } : next
      if (line.type === "assistant" && line.agent_id != null && line.parent_tool_use_id != null) {
        keep(agents, line.agent_id, line.parent_tool_use_id)
      }
      return { events: events.filter(isNews), line, mayBeSecond }
    },
    delta: (delta) => {
      const [next, events] = step(state, delta, undefined)
      state = next
      return events
    },
    endTurn: () => {
      const { report, verdict } = state
      state = nextTurn(state)
      return { report, verdict }
    },
    lacksResult: () => lacksResult(state),
    settleTurn: () => {
      const settled = report(state)
      state.answers.forget()
      state.totals.missed()
      state = nextTurn({
        ...state,
        results: state.inits,
        inputs: 0,
        stopReason: undefined,
        isAnswered: false,
        isApart: true
      })
      return settled
    },
    report: () => report(state),
    called: (toolId, { tool_name: toolName, input = {}, agent_id: agentId }) => {
      const known = calls.get(toolId)
      if (known !== undefined) return { use: [], parentToolId: known.parentToolId }
      const parentToolId = agentId == null ? undefined : agents.get(agentId)
      keep(calls, toolId, { parentToolId, isEarly: true })
      const nested = parentToolId === undefined ? {} : { parentToolId }
      return { use: callEvents(toolId, toolName, input, nested), parentToolId }
    },
    announced: (toolId) => {
      state.denied.add(toolId)
    },
    hasBackground: () => state.background.tasks.length > 0 || !isQuiet(state.background)
  }
}
