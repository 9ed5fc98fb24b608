/**
 * What a live session of Claude Code is made of, and what the lines of the CLI do to it (2.1.328): control lines are
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

/** What this side has asked of the CLI. */
type Wish =
  | { readonly _tag: "Open" }
  | { readonly _tag: "Interrupt" }
  | { readonly _tag: "Change"; readonly id: string }

/** Its parts keep state, and are changed in place. */
export interface Talk {
  readonly transcript: Transcript
  readonly deliveries: Deliveries
  readonly interrupts: Interrupts
  readonly toolCalls: ToolCalls
  readonly requests: Requests
  readonly wishes: Map<string, Wish>
  wished: number
  isOpen: boolean
}

export const makeTalk = (params: AgentOpenParams): Talk => {
  const toolCalls = makeToolCalls()
  return {
    transcript: makeTranscript(params.sessionId !== undefined),
    deliveries: makeDeliveries(),
    interrupts: makeInterrupts(),
    toolCalls,
    requests: makeRequests(params, toolCalls),
    wishes: new Map(),
    wished: 0,
    isOpen: false
  }
}

export const wish = (talk: Talk, what: Wish, request: Readonly<Record<string, unknown>>): Outputs => {
  talk.wished++
  const id = `reins-${talk.wished}`
  talk.wishes.set(id, what)
  return [{ _tag: "Write", json: requestLine(id, request) }]
}

export const writeInterrupt = (talk: Talk) => wish(talk, { _tag: "Interrupt" }, { subtype: "interrupt" })

const broken = (code: string, detail: string): Output => ({
  _tag: "Failed",
  reason: new AgentFailed({ code, category: "protocol", detail })
})

const granted = (talk: Talk, { response }: ControlResponse): Outputs => {
  const what = talk.wishes.get(response.request_id)
  talk.wishes.delete(response.request_id)
  const problem = response.subtype === "success" ? undefined : (response.error ?? "The CLI refused without a word")
  switch (what?._tag) {
    case "Open":
      if (problem !== undefined) return [broken(response.error_code ?? "initialize_refused", problem)]
      talk.isOpen = true
      return [{ _tag: "Opened" }]
    case "Interrupt": {
      const missed = talk.deliveries.waitingTurn(response.response?.still_queued ?? [])
      talk.interrupts.answered(problem === undefined, missed)
      return []
    }
    case "Change":
      return [{ _tag: "Changed", changeId: what.id, ...(problem === undefined ? {} : { problem }) }]
    default:
      return []
  }
}

const controlTypes: ReadonlySet<unknown> = new Set(["control_request", "control_response", "control_cancel_request"])

export const isControl = (json: unknown) =>
  typeof json === "object" && json !== null && "type" in json && controlTypes.has(json.type)

export const pushControl = (talk: Talk, json: unknown): Outputs => {
  const decoded = decodeControl(json)
  if (Result.isFailure(decoded)) return [{ type: "unknown", raw: json }]
  const line = decoded.success
  switch (line.type) {
    case "control_response":
      return granted(talk, line)
    case "control_cancel_request":
      return cancel(talk.requests, line.request_id)
    case "control_request": {
      const asking = { requestId: line.request_id, request: line.request, raw: json }
      return ask(talk.requests, asking, talk.transcript.announced)
    }
  }
}

const aborted = { _tag: "Failure", reason: new Aborted() } as const

const endTurn = (talk: Talk, line: RunResult): Outputs => {
  const { report, verdict } = talk.transcript.endTurn()
  // So the CLI tells why it leaves: a session to resume that is not there.
  if (!talk.isOpen && verdict?._tag === "Failure") return [{ _tag: "Failed", reason: verdict.reason }]
  const isWaited = talk.deliveries.end(line)
  const isBroken = line.subtype === "error_during_execution" || line.terminal_reason?.startsWith("aborted_") === true
  const isInterrupted = talk.interrupts.ended(isWaited) && isBroken && line.is_error !== false
  return [
    ...(isBroken ? drop(talk.requests) : []),
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
  message: "The text came too late for the turn under way and begins one of its own"
}

const follow = (talk: Talk, uuid: string, state: string): Outputs => {
  const news = talk.deliveries.follow(uuid, state)
  if (news === undefined) return []
  if (news === "dropped") {
    talk.interrupts.ended(false)
    return [{ _tag: "TurnEnded", verdict: aborted, report: {}, isInterrupted: true }]
  }
  const again = talk.interrupts.isDue(uuid) ? writeInterrupt(talk) : []
  return news === "began_late" ? [queuedNotice, ...again] : again
}

const consequences = (talk: Talk, line: Wire): Outputs => {
  switch (line.type) {
    case "result":
      return endTurn(talk, line)
    case "command_lifecycle":
      return follow(talk, line.command_uuid ?? "", line.state ?? "")
    case "assistant":
      if (line.agent_id != null && line.parent_tool_use_id != null) {
        talk.toolCalls.agent(line.agent_id, line.parent_tool_use_id)
      }
      return []
    default:
      return []
  }
}

export const pushLine = (talk: Talk, json: unknown): Outputs => {
  const { events, line, mayBeSecond } = talk.transcript.read(json)
  const told = talk.toolCalls.tell(events)
  if (line === undefined) return told
  if (line.type === "system" && line.subtype === "init") talk.deliveries.begin(mayBeSecond)
  return [...told, ...consequences(talk, line)]
}
