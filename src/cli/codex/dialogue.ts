/**
 * Codex's side of a live session (0.169.0): lines and wishes in; events, lines to write and things to be done out. It
 * puts together who each is for: the handshake, the turns of the one thread, the requests of Codex.
 */
import { AgentFailed } from "../../AgentError.ts"
import type { SessionEvent } from "../../AgentEvent.ts"
import type { AgentOpenParams } from "../../AgentOpenParams.ts"
import { makeJsonRpc, notification, type RpcError } from "../jsonRpc.ts"
import type { Change, Decision, Dialogue, DialogueContext, Output } from "../Live.ts"
import { promptProblem } from "./command.ts"
import { initialize, keptTools, modeWords, sessionOf, threadRequest } from "./handshake.ts"
import { refusalOf } from "./liveFailures.ts"
import { makeLiveTurns, type Purpose as TurnPurpose } from "./liveTurns.ts"
import * as Wire from "./liveWire.ts"
import { settingsOf } from "./modes.ts"
import { makeLedger, type Outputs } from "./owed.ts"
import { makeServerRequests } from "./serverRequests.ts"
import { makeTranscript } from "./transcript.ts"

type Purpose = TurnPurpose | { readonly _tag: "Initialize" } | { readonly _tag: "Thread" }

const write = (json: unknown): Output => ({ _tag: "Write", json })

const failed = (reason: AgentFailed): Outputs => [{ _tag: "Failed", reason }]

const protocolFailure = (code: string, detail: string): Outputs =>
  failed(new AgentFailed({ code, category: "protocol", detail }))

/** Codex says by itself that the user has rejected the call. */
const plainDenial = "The user does not want this."

const reasonOf = (decision: Decision) =>
  decision.decision === "deny" && decision.interrupt !== true && decision.message !== plainDenial
    ? decision.message
    : undefined

export const makeDialogue = (params: AgentOpenParams, { workingDirectory }: DialogueContext): Dialogue => {
  const { additionalDirectories = [] } = params
  const rpc = makeJsonRpc<Purpose>()
  const ledger = makeLedger()
  const requests = makeServerRequests(params, ledger)
  const transcript = makeTranscript()
  let mode = params.permissionMode ?? "default"
  let threadId = ""
  let session: SessionEvent | undefined

  const send = (purpose: Purpose, method: string, given: unknown) => write(rpc.request(purpose, method, given))
  const turns = makeLiveTurns(() => threadId, send)

  const context = () => {
    const calls = turns.current()?.calls
    return calls && { ledger, calls, mode, directories: [workingDirectory, ...additionalDirectories] }
  }

  const opened = (result: unknown): Outputs => {
    const told = Wire.readThread(result)
    const { sessionId, forkSession } = params
    if (told === undefined) return protocolFailure("no_thread", "Codex opened a thread and did not name it")
    const isOther = sessionId !== undefined && forkSession !== true && told.thread.id !== sessionId.toLowerCase()
    const detail = `Codex opened the session ${told.thread.id} instead of ${sessionId}`
    if (isOther) return failed(new AgentFailed({ code: "session_changed", category: "session_not_found", detail }))
    threadId = told.thread.id
    session = sessionOf(told)
    return [session, ...keptTools(params), { _tag: "Opened" }]
  }

  const answered = (purpose: Purpose, result: unknown): Outputs => {
    switch (purpose._tag) {
      case "Initialize": {
        const thread = threadRequest(params, workingDirectory)
        return [write(notification("initialized")), send({ _tag: "Thread" }, thread.method, thread.params)]
      }
      case "Thread":
        return opened(result)
      default:
        return turns.answered(purpose, result)
    }
  }

  const refused = (purpose: Purpose, error: RpcError): Outputs => {
    if (purpose._tag === "Initialize") return failed(refusalOf("initialize_refused", error.message))
    if (purpose._tag === "Thread") return failed(refusalOf("thread_refused", error.message))
    return turns.refused(purpose, error)
  }

  /** A changed fact is told with all the others. */
  const resettled = (given: unknown): Outputs | undefined => {
    const settings = Wire.readSettings(given)?.threadSettings
    if (settings === undefined || session === undefined) return undefined
    const { model, approvalPolicy, sandboxPolicy } = settings
    const next = { ...session, ...(model == null ? {} : { model }), ...modeWords(approvalPolicy, sandboxPolicy) }
    const isNew = next.model !== session.model || next.permissionMode !== session.permissionMode
    session = next
    return isNew ? [next] : []
  }

  const turnEvent = (method: string, given: unknown): Outputs | undefined => {
    const turn = Wire.readTurnEvent(given)?.turn
    if (turn === undefined) return undefined
    if (method === "turn/started") return turns.started(turn.id)
    const isOver = turns.current(turn.id) !== undefined
    return [...(isOver ? ledger.withdrawAll() : []), ...turns.completed(turn)]
  }

  const resolved = (given: unknown): Outputs | undefined => {
    const read = Wire.readResolved(given)
    return read === undefined ? undefined : ledger.withdraw(read.requestId)
  }

  const notified = (method: string, given: unknown): Outputs | undefined => {
    if (Wire.noise.has(method)) return []
    const whose = Wire.readThreadId(given)?.threadId
    // Those of a sub-agent, of which its call tells.
    if (whose !== undefined && whose !== threadId) return method in transcript || ofThread.has(method) ? [] : undefined
    if (method === "turn/started" || method === "turn/completed") return turnEvent(method, given)
    if (method === "serverRequest/resolved") return resolved(given)
    if (method === "thread/settings/updated") return resettled(given)
    if (method === "thread/closed") return protocolFailure("session_closed", "Codex closed the session")
    const events = Object.hasOwn(transcript, method) ? transcript[method]?.(given, turns) : undefined
    return method === "item/completed" && events !== undefined ? [...events, ...turns.settled()] : events
  }

  const push = (json: unknown): Outputs => {
    const heard = rpc.hear(json)
    switch (heard._tag) {
      case "Answered":
        return answered(heard.purpose, heard.result)
      case "Refused":
        return refused(heard.purpose, heard.error)
      case "Request":
        return requests.hear(context(), threadId, heard, json)
      case "Notification":
        return notified(heard.method, heard.params) ?? [{ type: "unknown", raw: json }]
      case "Unknown":
        return [{ type: "unknown", raw: json }]
    }
  }

  const interrupt = (): Outputs => [...turns.interrupt(), ...ledger.abandon()]

  const decide = (requestId: string, decision: Decision): Outputs => {
    const asked = context()
    const owed = ledger.get(requestId, "Approval")
    if (asked === undefined || owed === undefined) return []
    const reason = reasonOf(decision)
    // Before the answer, so that it is taken up with it, and cuts no text that follows.
    const told =
      reason === undefined ? [] : (turns.steer(`About "${owed.title}", which was denied: ${reason}`, true) ?? [])
    const outputs = [...told, ...requests.decide(asked, requestId, decision)]
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
    standing: () => {
      if (session === undefined) return "opening"
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
