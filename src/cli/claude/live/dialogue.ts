/**
 * Claude Code's side of a live session (2.1.328): calls of the session → lines to write, and lines of the CLI → outputs.
 * Control lines are requests and answers; all others are read like those of a run, and some of them start or end turns.
 */
import { Predicate, Result } from "effect"
import { AgentFailed } from "../../../contract/AgentError.ts"
import type { AgentOpenParams } from "../../../contract/AgentOpenParams.ts"
import type { Standing } from "../../Decoder.ts"
import type { Change, Dialogue, Output, TurnInput } from "../../Live.ts"
import { type Outputs, refusedTurn, write } from "../../outputs.ts"
import { permissionModes } from "../command/arguments.ts"
import { contentOf, disarmed, promptProblem } from "../command.ts"
import { Delta, glance } from "../run/glance.ts"
import type { RunResult, Wire } from "../wire.ts"
import { answer, ask, cancel, decide, drop, hasOpen, makeRequests, reply } from "./requests.ts"
import { makeTranscript } from "./transcript.ts"
import { isBroken, makeTurns } from "./turns.ts"
import { type ControlResponse, decodeControl, handshake } from "./wire.ts"

/** The requests of Reins to the CLI. */
type Purpose =
  | { readonly _tag: "Open" }
  | { readonly _tag: "Interrupt" }
  | { readonly _tag: "Change"; readonly id: string }

const controlRequest = (change: Change) =>
  change._tag === "Model"
    ? { subtype: "set_model", model: change.model }
    : { subtype: "set_permission_mode", mode: permissionModes[change.permissionMode] }

/** With a uuid, the CLI reports the lifecycle of the text. */
const userLine = (uuid: string, content: string | ReadonlyArray<unknown>) => ({
  type: "user",
  message: { role: "user", content },
  uuid,
  parent_tool_use_id: null,
  session_id: ""
})

const controlTypes: ReadonlySet<unknown> = new Set(["control_request", "control_response", "control_cancel_request"])

/** `newUuid` names texts. */
export const makeDialogue = (params: AgentOpenParams, newUuid: () => string = () => crypto.randomUUID()): Dialogue => {
  const transcript = makeTranscript(params.sessionId !== undefined)
  const requests = makeRequests(params, transcript)
  const pending = new Map<string, Purpose>()
  let requestCount = 0
  let isOpen = false
  let standing: Standing = "opening"

  const send = (purpose: Purpose, request: Readonly<Record<string, unknown>>): Output => {
    requestCount++
    const id = `reins-${requestCount}`
    pending.set(id, purpose)
    return write({ type: "control_request", request_id: id, request })
  }

  const turns = makeTurns(() => send({ _tag: "Interrupt" }, { subtype: "interrupt" }))

  const standingNow = (): Standing => {
    if (!isOpen) return "opening"
    if (turns.isUnderWay()) return "working"
    return transcript.hasBackground() ? "background" : "resting"
  }

  /** Updates the standing after outputs that may have started or ended a turn; most lines do not. */
  const moved = (outputs: Outputs): Outputs => {
    standing = standingNow()
    return outputs
  }

  const isAnswered = () => transcript.lacksResult() && !hasOpen(requests) && turns.isWhole()

  const deliver = (text: string, input: TurnInput | undefined, kind: "turn" | "steer"): Outputs => {
    const uuid = newUuid()
    turns.wrote(uuid, kind)
    return moved([write(userLine(uuid, contentOf(disarmed(text, params.slashCommands), input)))])
  }

  const answered = ({ response }: ControlResponse): Outputs => {
    const purpose = pending.get(response.request_id)
    pending.delete(response.request_id)
    const problem = response.subtype === "success" ? undefined : (response.error ?? "The CLI refused without a reason")
    switch (purpose?._tag) {
      case "Open": {
        isOpen = problem === undefined
        if (problem === undefined) return moved([{ _tag: "Opened" }])
        const code = response.error_code ?? "initialize_refused"
        return [{ _tag: "Failed", reason: new AgentFailed({ code, category: "protocol", detail: problem }) }]
      }
      case "Interrupt":
        turns.interrupted(problem === undefined, response.response?.still_queued ?? [])
        return []
      case "Change":
        return [{ _tag: "Changed", changeId: purpose.id, ...(problem === undefined ? {} : { problem }) }]
      default:
        return []
    }
  }

  const control = (json: unknown): Outputs => {
    const decoded = decodeControl(json)
    if (Result.isFailure(decoded)) return [{ type: "unknown", raw: json }]
    const line = decoded.success
    switch (line.type) {
      case "control_response":
        return answered(line)
      case "control_cancel_request":
        return cancel(requests, line.request_id)
      case "control_request":
        return ask(requests, { requestId: line.request_id, request: line.request, raw: json })
    }
  }

  const turnEnded = (line: RunResult): Outputs => {
    const ended = transcript.endTurn()
    // So the CLI reports why it leaves, such as an unknown session to resume.
    if (!isOpen && ended.verdict?._tag === "Failure") return [{ _tag: "Failed", reason: ended.verdict.reason }]
    return [...(isBroken(line) ? drop(requests) : []), turns.end(line, ended)]
  }

  const consequences = (line: Wire, mayBeSecond: boolean): Outputs => {
    switch (line.type) {
      case "result":
        return turnEnded(line)
      case "command_lifecycle":
        return turns.follow(line.command_uuid ?? "", line.state ?? "")
      case "system":
        if (line.subtype === "init") turns.begin(mayBeSecond)
        return []
      default:
        return []
    }
  }

  const push = (json: unknown): Outputs => {
    if (json instanceof Delta) return transcript.delta(json)
    if (Predicate.hasProperty(json, "type") && controlTypes.has(json.type)) return control(json)
    const { events, line, mayBeSecond } = transcript.read(json, turns.isLate)
    // Text of the model starts and ends no turn.
    if (line === undefined || line.type === "stream_event" || line.type === "assistant") return events
    return moved([...events, ...consequences(line, mayBeSecond)])
  }

  return {
    open: () => [send({ _tag: "Open" }, handshake(params))],
    push,
    glance,
    turn: (prompt, input) => {
      const reason = promptProblem(prompt)
      return reason === undefined ? deliver(prompt, input, "turn") : [refusedTurn(reason)]
    },
    steer: (text, input) =>
      turns.isUnderWay() && promptProblem(text) === undefined ? deliver(text, input, "steer") : undefined,
    interrupt: turns.interrupt,
    decide: (requestId, decision) => {
      const outputs = decide(requests, requestId, decision)
      if (outputs.length > 0 && decision.decision === "deny" && decision.interrupt === true) turns.expectEnd()
      return outputs
    },
    answer: (requestId, answers) => answer(requests, requestId, answers),
    change: (changeId, change) => [send({ _tag: "Change", id: changeId }, controlRequest(change))],
    reply: (callId, result) => reply(requests, callId, result),
    standing: () => (standing === "working" && isAnswered() ? "answered" : standing),
    settle: () => moved([turns.settle(transcript.settleTurn())]),
    report: transcript.report
  }
}
