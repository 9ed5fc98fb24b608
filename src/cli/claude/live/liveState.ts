/**
 * The state of a live session of Claude Code, and its changes by lines of the CLI (2.1.328): control lines are
 * requests and answers, all others are read like those of a run, and some of them move turns.
 */
import { Result } from "effect"
import { Aborted, AgentFailed } from "../../../contract/AgentError.ts"
import type { AgentOpenParams } from "../../../contract/AgentOpenParams.ts"
import type { Output } from "../../Live.ts"
import type { RunResult, Wire } from "../wire.ts"
import { type ControlResponse, decodeControl, requestLine } from "./control.ts"
import { type Deliveries, makeDeliveries } from "./deliveries.ts"
import { type Interrupts, makeInterrupts } from "./interrupts.ts"
import { ask, cancel, drop, makeRequests, type Requests } from "./requests.ts"
import { makeToolCalls, type ToolCalls } from "./toolCalls.ts"
import { makeTranscript, type Transcript } from "./transcript.ts"

type Outputs = ReadonlyArray<Output>

/** The requests of Reins to the CLI. */
type Purpose =
  | { readonly _tag: "Open" }
  | { readonly _tag: "Interrupt" }
  | { readonly _tag: "Change"; readonly id: string }

/** Its parts keep state, and are changed in place. */
export interface LiveState {
  readonly transcript: Transcript
  readonly deliveries: Deliveries
  readonly interrupts: Interrupts
  readonly toolCalls: ToolCalls
  readonly requests: Requests
  readonly pending: Map<string, Purpose>
  requestCount: number
  isOpen: boolean
}

export const makeLiveState = (params: AgentOpenParams): LiveState => {
  const toolCalls = makeToolCalls()
  return {
    transcript: makeTranscript(params.sessionId !== undefined),
    deliveries: makeDeliveries(),
    interrupts: makeInterrupts(),
    toolCalls,
    requests: makeRequests(params, toolCalls),
    pending: new Map(),
    requestCount: 0,
    isOpen: false
  }
}

export const sendRequest = (live: LiveState, purpose: Purpose, request: Readonly<Record<string, unknown>>): Outputs => {
  live.requestCount++
  const id = `reins-${live.requestCount}`
  live.pending.set(id, purpose)
  return [{ _tag: "Write", json: requestLine(id, request) }]
}

export const writeInterrupt = (live: LiveState) => sendRequest(live, { _tag: "Interrupt" }, { subtype: "interrupt" })

const broken = (code: string, detail: string): Output => ({
  _tag: "Failed",
  reason: new AgentFailed({ code, category: "protocol", detail })
})

const granted = (live: LiveState, { response }: ControlResponse): Outputs => {
  const purpose = live.pending.get(response.request_id)
  live.pending.delete(response.request_id)
  const problem = response.subtype === "success" ? undefined : (response.error ?? "The CLI refused without a reason")
  switch (purpose?._tag) {
    case "Open":
      if (problem !== undefined) return [broken(response.error_code ?? "initialize_refused", problem)]
      live.isOpen = true
      return [{ _tag: "Opened" }]
    case "Interrupt": {
      const missed = live.deliveries.waitingTurn(response.response?.still_queued ?? [])
      live.interrupts.answered(problem === undefined, missed)
      return []
    }
    case "Change":
      return [{ _tag: "Changed", changeId: purpose.id, ...(problem === undefined ? {} : { problem }) }]
    default:
      return []
  }
}

const controlTypes: ReadonlySet<unknown> = new Set(["control_request", "control_response", "control_cancel_request"])

export const isControl = (json: unknown) =>
  typeof json === "object" && json !== null && "type" in json && controlTypes.has(json.type)

export const pushControl = (live: LiveState, json: unknown): Outputs => {
  const decoded = decodeControl(json)
  if (Result.isFailure(decoded)) return [{ type: "unknown", raw: json }]
  const line = decoded.success
  switch (line.type) {
    case "control_response":
      return granted(live, line)
    case "control_cancel_request":
      return cancel(live.requests, line.request_id)
    case "control_request": {
      const asking = { requestId: line.request_id, request: line.request, raw: json }
      return ask(live.requests, asking, live.transcript.announced)
    }
  }
}

const aborted = { _tag: "Failure", reason: new Aborted() } as const

const endTurn = (live: LiveState, line: RunResult): Outputs => {
  const { report, verdict } = live.transcript.endTurn()
  // This is how the CLI reports why it leaves, such as a session to resume that does not exist.
  if (!live.isOpen && verdict?._tag === "Failure") return [{ _tag: "Failed", reason: verdict.reason }]
  const isWaited = live.deliveries.end(line)
  const isBroken = line.subtype === "error_during_execution" || line.terminal_reason?.startsWith("aborted_") === true
  const isInterrupted = live.interrupts.ended(isWaited) && isBroken && line.is_error !== false
  return [
    ...(isBroken ? drop(live.requests) : []),
    {
      _tag: "TurnEnded",
      verdict: isInterrupted || verdict === undefined ? aborted : verdict,
      report,
      ...(isInterrupted ? { isInterrupted } : {}),
      ...(isWaited ? { isOwn: false } : {})
    }
  ]
}

const queuedNotice: Output = {
  type: "notice",
  kind: "queued",
  message: "The text came too late for the turn under way and starts a turn of its own"
}

const follow = (live: LiveState, uuid: string, state: string): Outputs => {
  const news = live.deliveries.follow(uuid, state)
  if (news === undefined) return []
  if (news === "dropped") {
    live.interrupts.ended(false)
    return [{ _tag: "TurnEnded", verdict: aborted, report: {}, isInterrupted: true }]
  }
  const again = live.interrupts.isDue(uuid) ? writeInterrupt(live) : []
  return news === "began_late" ? [queuedNotice, ...again] : again
}

const consequences = (live: LiveState, line: Wire): Outputs => {
  switch (line.type) {
    case "result":
      return endTurn(live, line)
    case "command_lifecycle":
      return follow(live, line.command_uuid ?? "", line.state ?? "")
    case "assistant":
      if (line.agent_id != null && line.parent_tool_use_id != null) {
        live.toolCalls.agent(line.agent_id, line.parent_tool_use_id)
      }
      return []
    default:
      return []
  }
}

export const pushLine = (live: LiveState, json: unknown): Outputs => {
  const { events, line, mayBeSecond } = live.transcript.read(json)
  const given = live.toolCalls.withoutKnown(events)
  if (line === undefined) return given
  if (line.type === "system" && line.subtype === "init") live.deliveries.begin(mayBeSecond)
  return [...given, ...consequences(live, line)]
}
