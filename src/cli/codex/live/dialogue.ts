/**
 * Codex's side of a live session (0.169.0): lines of the CLI and calls of the session in; events, lines to write and
 * actions out. It routes each line: to the handshake, to the turns of the one thread, to the requests of Codex.
 */
import type { AgentOpenParams } from "../../../contract/AgentOpenParams.ts"
import type { Decision } from "../../../contract/Ask.ts"
import { makeJsonRpc, notification, type RpcError } from "../../jsonRpc.ts"
import type { Change, Dialogue, DialogueContext, Output } from "../../Live.ts"
import { promptProblem } from "../command.ts"
import { makeEscalations, rawMethod } from "./escalations.ts"
import { refusalOf } from "./failures.ts"
import { initialize, threadRequest } from "./handshake.ts"
import { settingsOf } from "./modes.ts"
import { makeOpenRequests, type Outputs } from "./openRequests.ts"
import { makeServerRequests, type Request } from "./serverRequests.ts"
import { makeSubAgents } from "./subAgents.ts"
import { failed, makeThreadFacts, protocolFailure } from "./threadFacts.ts"
import { makeTranscript } from "./transcript.ts"
import { reportOf } from "./turn.ts"
import { makeLiveTurns, type Purpose as TurnPurpose } from "./turns.ts"
import * as Wire from "./wire.ts"

type Purpose = TurnPurpose | { readonly _tag: "Initialize" } | { readonly _tag: "Thread" }

const write = (json: unknown): Output => ({ _tag: "Write", json })

/** Codex adds by itself that the user has rejected the call. */
const reasonOf = (decision: Decision) =>
  decision.decision === "deny" && decision.interrupt !== true && decision.isBare !== true ? decision.message : undefined

export const makeDialogue = (params: AgentOpenParams, { workingDirectory }: DialogueContext): Dialogue => {
  const { additionalDirectories = [] } = params
  const rpc = makeJsonRpc<Purpose>()
  const openRequests = makeOpenRequests()
  const requests = makeServerRequests(params, openRequests)
  const transcript = makeTranscript()
  const agents = makeSubAgents()
  const escalations = makeEscalations()
  const thread = makeThreadFacts(params)
  let mode = params.permissionMode ?? "default"

  const send = (purpose: Purpose, method: string, given: unknown) => write(rpc.request(purpose, method, given))
  const turns = makeLiveTurns(thread.id, send)

  const context = (whose = thread.id()) => {
    const turn = turns.current()
    const calls = whose === thread.id() ? turn?.calls : turn && agents.calls(whose)
    return (
      calls && { openRequests, calls, escalations, mode, directories: [workingDirectory, ...additionalDirectories] }
    )
  }

  const answered = (purpose: Purpose, result: unknown): Outputs => {
    switch (purpose._tag) {
      case "Initialize": {
        const { method, params: given } = threadRequest(params, workingDirectory)
        return [write(notification("initialized")), send({ _tag: "Thread" }, method, given)]
      }
      case "Thread":
        return thread.opened(result)
      default:
        return turns.answered(purpose, result)
    }
  }

  const refused = (purpose: Purpose, error: RpcError): Outputs => {
    if (purpose._tag === "Initialize") return failed(refusalOf("initialize_refused", error.message))
    if (purpose._tag === "Thread") return failed(refusalOf("thread_refused", error.message))
    return turns.refused(purpose, error)
  }

  const turnEvent = (method: string, given: unknown): Outputs | undefined => {
    const turn = Wire.readTurnEvent(given)?.turn
    if (turn === undefined) return undefined
    if (method === "turn/started") return turns.started(turn.id)
    const isOver = turns.current(turn.id) !== undefined
    return [...(isOver ? turnOver() : []), ...turns.completed(turn)]
  }

  /** A sub-agent goes on after the turn: its requests are answered, though they can no longer be asked about. */
  const turnOver = (): Outputs => {
    const { results, denials } = agents.end()
    for (const denial of denials) turns.current()?.calls.denied(denial)
    return [...openRequests.abandon(), ...results]
  }

  const resolved = (given: unknown): Outputs | undefined => {
    const read = Wire.readResolved(given)
    return read === undefined ? undefined : openRequests.withdraw(read.requestId)
  }

  const notified = (method: string, given: unknown): Outputs | undefined => {
    if (method === rawMethod) escalations.observe(given)
    if (Wire.noise.has(method)) return []
    if (method === "serverRequest/resolved") return resolved(given)
    agents.observe(method, given)
    const whose = Wire.readThreadId(given)?.threadId
    if (whose !== undefined && whose !== thread.id()) {
      const events = agents.notified(whose, method, given)
      if (!(Object.hasOwn(transcript, method) || ofThread.has(method))) return undefined
      if (turns.current() !== undefined) return events
      agents.end()
      return []
    }
    if (method === "turn/started" || method === "turn/completed") return turnEvent(method, given)
    if (method === "thread/settings/updated") return thread.resettled(given)
    if (method === "thread/closed") return protocolFailure("session_closed", "Codex closed the session")
    const events = Object.hasOwn(transcript, method) ? transcript[method]?.(given, turns) : undefined
    return method === "item/completed" && events !== undefined ? [...events, ...turns.settled()] : events
  }

  const requested = (request: Request, json: unknown): Outputs => {
    const whose = Wire.readThreadId(request.params)?.threadId
    const outputs = requests.receive(whose === undefined ? undefined : context(whose), request, json)
    return whose === undefined || whose === thread.id() ? outputs : agents.under(whose, outputs)
  }

  const push = (json: unknown): Outputs => {
    const incoming = rpc.receive(json)
    switch (incoming._tag) {
      case "Answered":
        return answered(incoming.purpose, incoming.result)
      case "Refused":
        return refused(incoming.purpose, incoming.error)
      case "Request":
        return requested(incoming, json)
      case "Notification":
        return notified(incoming.method, incoming.params) ?? [{ type: "unknown", raw: json }]
      case "Unknown":
        return [{ type: "unknown", raw: json }]
    }
  }

  /** Sub-agents do not end with the turn that began them, nor their commands with theirs. */
  const interrupt = (): Outputs => {
    const own = turns.interrupt()
    const running = turns.current() === undefined ? [] : agents.running()
    const others = running.flatMap((place) => [
      send({ _tag: "Interrupt" }, "turn/interrupt", place),
      send({ _tag: "Interrupt" }, "thread/backgroundTerminals/clean", { threadId: place.threadId })
    ])
    return [...own, ...others, ...openRequests.abandon()]
  }

  const explain = (whose: string, text: string): Outputs => {
    if (whose === thread.id()) return turns.steer(text, true) ?? []
    return agents.running().flatMap((place) => (place.threadId === whose ? turns.explain(place, text) : []))
  }

  const decide = (requestId: string, decision: Decision): Outputs => {
    const asked = context()
    const openRequest = openRequests.get(requestId, "Approval")
    if (asked === undefined || openRequest === undefined) return []
    const reason = reasonOf(decision)
    // Before the answer, so that it is taken up with it, and cuts no text that follows.
    const explanation =
      reason === undefined
        ? []
        : explain(openRequest.threadId, `About "${openRequest.title}", which was denied: ${reason}`)
    const outputs = [...explanation, ...requests.decide(asked, requestId, decision)]
    return decision.decision === "deny" && decision.interrupt === true ? [...outputs, ...interrupt()] : outputs
  }

  const change = (changeId: string, wanted: Change): Outputs => {
    if (wanted._tag === "PermissionMode") mode = wanted.permissionMode
    turns.settle(wanted._tag === "Model" ? { model: wanted.model } : settingsOf(mode, additionalDirectories))
    return [{ _tag: "Changed", changeId }]
  }

  return {
    open: () => [send({ _tag: "Initialize" }, "initialize", initialize)],
    push,
    turn: (prompt) => {
      const reason = promptProblem(prompt)
      if (reason === undefined) return turns.begin(prompt)
      return [{ _tag: "TurnEnded", verdict: { _tag: "Failure", reason }, report: {} }]
    },
    steer: (text) => (promptProblem(text) === undefined ? turns.steer(text) : undefined),
    interrupt,
    decide,
    answer: requests.answer,
    change,
    reply: requests.reply,
    report: () => {
      const turn = turns.current()
      return turn === undefined ? {} : reportOf(turn)
    },
    standing: () => {
      if (!thread.isOpen()) return "opening"
      return turns.isWorking() ? "working" : "resting"
    }
  }
}

/** Known methods of a thread, beside those of the transcript. */
const ofThread: ReadonlySet<string> = new Set([
  "serverRequest/resolved",
  "thread/closed",
  "thread/settings/updated",
  "turn/completed",
  "turn/started"
])
