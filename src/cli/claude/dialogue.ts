/**
 * Claude Code's side of a live session (2.1.328): lines and wishes in; events, lines to write and things to be done out.
 * It puts together who each is for: the transcript, the texts that were delivered, the requests of both sides.
 */
import { Result } from "effect"
import { Aborted, AgentFailed } from "../../AgentError.ts"
import type { AgentOpenParams } from "../../AgentOpenParams.ts"
import type { Change, Dialogue, Output } from "../Live.ts"
import { permissionModes } from "./arguments.ts"
import { type ControlResponse, decodeControl, requestLine, userLine } from "./control.ts"
import { makeDeliveries } from "./deliveries.ts"
import { handshake } from "./handshake.ts"
import { makeInterrupts } from "./interrupts.ts"
import { disarmed, promptProblem } from "./prompt.ts"
import { makeRequests } from "./requests.ts"
import { makeToolCalls } from "./toolCalls.ts"
import { makeTranscript } from "./transcript.ts"
import type { RunResult, Wire } from "./wire.ts"

type Outputs = ReadonlyArray<Output>

/** What this side has asked of the CLI. */
type Wish =
  | { readonly _tag: "Open" }
  | { readonly _tag: "Interrupt" }
  | { readonly _tag: "Change"; readonly id: string }

const protocolFailure = (code: string, detail: string): Output => ({
  _tag: "Failed",
  reason: new AgentFailed({ code, category: "protocol", detail })
})

const queuedNotice: Output = {
  type: "notice",
  kind: "queued",
  message: "The text came too late for the turn under way and begins one of its own"
}

const wanted = (change: Change) =>
  change._tag === "Model"
    ? { subtype: "set_model", model: change.model }
    : { subtype: "set_permission_mode", mode: permissionModes[change.permissionMode] }

const aborted = { _tag: "Failure", reason: new Aborted() } as const

export const makeDialogue = (params: AgentOpenParams, newUuid: () => string = () => crypto.randomUUID()): Dialogue => {
  const transcript = makeTranscript(params.sessionId !== undefined)
  const deliveries = makeDeliveries()
  const calls = makeToolCalls()
  const requests = makeRequests(params, calls, transcript.announced)
  const interrupts = makeInterrupts()
  const wishes = new Map<string, Wish>()
  let wished = 0
  let isOpen = false

  const wish = (what: Wish, request: Readonly<Record<string, unknown>>): Outputs => {
    const id = `reins-${++wished}`
    wishes.set(id, what)
    return [{ _tag: "Write", json: requestLine(id, request) }]
  }

  const writeInterrupt = () => wish({ _tag: "Interrupt" }, { subtype: "interrupt" })

  const deliver = (text: string, kind: "turn" | "steer"): Outputs => {
    const uuid = newUuid()
    deliveries.wrote(uuid, kind)
    return [{ _tag: "Write", json: userLine(uuid, disarmed(text, params.slashCommands)) }]
  }

  const granted = ({ response }: ControlResponse): Outputs => {
    const what = wishes.get(response.request_id)
    wishes.delete(response.request_id)
    const problem = response.subtype === "success" ? undefined : (response.error ?? "the CLI refused without a word")
    switch (what?._tag) {
      case "Open":
        if (problem !== undefined) return [protocolFailure(response.error_code ?? "initialize_refused", problem)]
        isOpen = true
        return [{ _tag: "Opened" }]
      case "Interrupt":
        interrupts.answered(problem === undefined, deliveries.waitingTurn(response.response?.still_queued ?? []))
        return []
      case "Change":
        return [{ _tag: "Changed", changeId: what.id, ...(problem === undefined ? {} : { problem }) }]
      default:
        return []
    }
  }

  const pushControl = (json: unknown): Outputs => {
    const decoded = decodeControl(json)
    if (Result.isFailure(decoded)) return [{ type: "unknown", raw: json }]
    const line = decoded.success
    if (line.type === "control_response") return granted(line)
    if (line.type === "control_cancel_request") return requests.cancel(line.request_id)
    return requests.ask(line.request_id, line.request, json)
  }

  const endTurn = (line: RunResult): Outputs => {
    const { report, verdict } = transcript.endTurn()
    const isWaited = deliveries.end(line)
    const isBroken = line.subtype === "error_during_execution" || line.terminal_reason?.startsWith("aborted_") === true
    const isInterrupted = interrupts.ended(isWaited) && isBroken && line.is_error !== false
    return [
      ...(isBroken ? requests.drop() : []),
      {
        _tag: "TurnEnded",
        verdict: isInterrupted || verdict === undefined ? aborted : verdict,
        report,
        ...(isInterrupted ? { isInterrupted } : {}),
        ...(isWaited ? { isOwn: false } : {})
      }
    ]
  }

  const follow = (uuid: string, state: string): Outputs => {
    const news = deliveries.follow(uuid, state)
    if (news === "began_late") return [queuedNotice]
    if (news === "dropped") return [{ _tag: "TurnEnded", verdict: aborted, report: {}, isInterrupted: true }]
    return news === "began" && interrupts.isDue(uuid) ? writeInterrupt() : []
  }

  const consequences = (line: Wire): Outputs => {
    switch (line.type) {
      case "result":
        return endTurn(line)
      case "command_lifecycle":
        return follow(line.command_uuid ?? "", line.state ?? "")
      case "assistant":
        if (line.agent_id != null && line.parent_tool_use_id != null)
          calls.agent(line.agent_id, line.parent_tool_use_id)
        return []
      default:
        return []
    }
  }

  const pushLine = (json: unknown): Outputs => {
    const { events, line, isForeign, mayBeSecond } = transcript.read(json)
    const told = calls.tell(events)
    if (isForeign) return [...told, protocolFailure("session_changed", "The CLI went over to another session unasked")]
    if (line?.type === "system" && line.subtype === "init") deliveries.begin(mayBeSecond)
    return line === undefined ? told : [...told, ...consequences(line)]
  }

  return {
    open: () => wish({ _tag: "Open" }, handshake(params)),
    push: (json) => (isControl(json) ? pushControl(json) : pushLine(json)),
    turn: (prompt) => {
      const reason = promptProblem(prompt)
      if (reason === undefined) return deliver(prompt, "turn")
      return [{ _tag: "TurnEnded", verdict: { _tag: "Failure", reason }, report: {} }]
    },
    steer: (text) => {
      const isPossible = deliveries.isUnderWay() && promptProblem(text) === undefined
      return isPossible ? deliver(text, "steer") : undefined
    },
    interrupt: () => (deliveries.isUnderWay() && interrupts.ask() ? writeInterrupt() : []),
    decide: (requestId, decision) => {
      const outputs = requests.decide(requestId, decision)
      if (outputs.length > 0 && decision.decision === "deny" && decision.interrupt === true) interrupts.ask()
      return outputs
    },
    answer: requests.answer,
    change: (changeId, change) => wish({ _tag: "Change", id: changeId }, wanted(change)),
    reply: requests.reply,
    standing: () => {
      if (!isOpen) return "opening"
      if (deliveries.isUnderWay()) return "working"
      return transcript.hasBackground() ? "background" : "resting"
    }
  }
}

const controlTypes: ReadonlySet<unknown> = new Set(["control_request", "control_response", "control_cancel_request"])

const isControl = (json: unknown) =>
  typeof json === "object" && json !== null && "type" in json && controlTypes.has(json.type)
