/** Codex's side of a live session (0.169.0): routes lines to the handshake, the turns, and the requests of Codex. */
import type { SessionEvent } from "../../../contract/AgentEvent.ts"
import type { AgentOpenParams } from "../../../contract/AgentOpenParams.ts"
import type { Decision } from "../../../contract/Rule.ts"
import { makeJsonRpc, notification, type RpcError } from "../../jsonRpc.ts"
import type { Change, Dialogue, DialogueContext } from "../../Live.ts"
import { type Outputs, refusedTurn, write } from "../../outputs.ts"
import { promptProblem } from "../command.ts"
import { makeEscalations } from "./approvalRequest.ts"
import { protocolFailure, refusal } from "./failures.ts"
import { GlancedDelta, glance, OutputDelta } from "./glance.ts"
import { initialize, keptTools, resettled, sessionOf, threadRequest } from "./handshake.ts"
import { settingsOf } from "./modes.ts"
import { makeRequests } from "./requests.ts"
import { makeSubAgents, starters } from "./subAgents.ts"
import { itemReader, makeTranscript, spoken } from "./transcript.ts"
import { makeTurns, type Purpose as TurnPurpose } from "./turns.ts"
import * as Wire from "./wire.ts"

type Purpose = TurnPurpose | { readonly _tag: "Initialize" } | { readonly _tag: "Thread" }

/** Codex adds by itself that the user has rejected the call. */
const reasonOf = (decision: Decision) =>
  decision.decision === "deny" && decision.interrupt !== true && decision.isBare !== true ? decision.message : undefined

export const makeDialogue = (params: AgentOpenParams, { workingDirectory }: DialogueContext): Dialogue => {
  const { additionalDirectories = [] } = params
  const directories = [workingDirectory, ...additionalDirectories]
  const rpc = makeJsonRpc<Purpose>()
  const requests = makeRequests(params)
  const transcript = makeTranscript()
  const agents = makeSubAgents()
  const escalations = makeEscalations()
  /** Undefined until the thread is opened. */
  let session: SessionEvent | undefined
  let mode = params.permissionMode ?? "default"

  const ownThread = () => session?.sessionId ?? ""
  const send = (purpose: Purpose, method: string, value: unknown) => write(rpc.request(purpose, method, value))
  const turns = makeTurns(ownThread, send)

  const opened = (result: unknown): Outputs => {
    const thread = Wire.readThread(result)
    if (thread === undefined) return [protocolFailure("no_thread", "Codex opened a thread without an id")]
    session = sessionOf(thread)
    return [session, ...keptTools(params), { _tag: "Opened" }]
  }

  const answered = (purpose: Purpose, result: unknown): Outputs => {
    switch (purpose._tag) {
      case "Initialize": {
        const { method, params: value } = threadRequest(params, workingDirectory)
        return [write(notification("initialized")), send({ _tag: "Thread" }, method, value)]
      }
      case "Thread":
        return opened(result)
      default:
        return turns.answered(purpose, result)
    }
  }

  const refused = (purpose: Purpose, error: RpcError): Outputs => {
    if (purpose._tag === "Initialize") return [refusal("initialize_refused", error.message)]
    if (purpose._tag === "Thread") return [refusal("thread_refused", error.message)]
    return turns.refused(purpose, error)
  }

  const turnEvent = (method: string, value: unknown): Outputs | undefined => {
    const turn = Wire.readTurnEvent(value)?.turn
    if (turn === undefined) return undefined
    if (method === "turn/started") return turns.started(turn.id)
    if (turns.current?.id !== turn.id) return turns.completed(turn)
    // A sub-agent continues after the turn: its requests are answered, though they can no longer be decided.
    const { results, denials } = agents.end()
    for (const denial of denials) turns.current.calls.denied(denial)
    return [...requests.abandon(), ...results, ...turns.completed(turn)]
  }

  const itemEvent = (method: string, { turnId, item }: Wire.ItemEvent): Outputs | undefined => {
    const turn = turns.current
    // An item that outlives its turn was reported as not finished.
    const events = turn?.id === turnId ? itemReader(method)?.(turn, item) : []
    const isEnding = method === "item/completed" && turn?.ended !== undefined
    return isEnding && events !== undefined ? [...events, ...turns.settled()] : events
  }

  const resettle = (value: unknown): Outputs | undefined => {
    const settings = Wire.readSettings(value)?.threadSettings
    if (settings === undefined || session === undefined) return undefined
    const changed = resettled(session, settings)
    session = changed ?? session
    return changed === undefined ? [] : [changed]
  }

  const ofOther = (whose: string, method: string, value: unknown): Outputs | undefined => {
    if (method === "thread/tokenUsage/updated") {
      const tokens = Wire.readUsage(value)?.tokenUsage.last
      return tokens && turns.useOfAgent(tokens)
    }
    const events = agents.notified(whose, method, value)
    if (!(Object.hasOwn(transcript, method) || Wire.ofThreads.has(method))) return undefined
    if (turns.current !== undefined) return events
    agents.end()
    return []
  }

  const notified = (method: string, value: unknown): Outputs | undefined => {
    if (method === Wire.rawMethod) escalations.observe(value)
    if (Wire.noise.has(method)) return []
    if (method === "serverRequest/resolved") {
      const resolved = Wire.readResolved(value)
      return resolved === undefined ? undefined : requests.withdraw(resolved.requestId)
    }
    const isItem = method === "item/started" || method === "item/completed"
    const event = isItem ? Wire.readItemEvent(value) : undefined
    if (event !== undefined && starters.has(event.item.type)) agents.observe(event.item)
    const whose = event?.threadId ?? Wire.readThreadId(value)?.threadId
    if (whose !== undefined && whose !== ownThread()) return ofOther(whose, method, value)
    if (event !== undefined) return itemEvent(method, event)
    if (method === "turn/started" || method === "turn/completed") return turnEvent(method, value)
    if (method === "thread/settings/updated") return resettle(value)
    if (method === "thread/closed") return [protocolFailure("session_closed", "Codex closed the session")]
    return Object.hasOwn(transcript, method) ? transcript[method]?.(value, turns) : undefined
  }

  const requested = (request: Wire.Request, json: unknown): Outputs => {
    const threadId = Wire.readThreadId(request.params)?.threadId
    const isOther = threadId !== undefined && threadId !== ownThread()
    const calls = turns.current && (isOther ? agents.calls(threadId) : turns.current.calls)
    const isKnown = threadId !== undefined && calls !== undefined
    const context = isKnown ? { threadId, calls, escalations, mode, directories } : undefined
    const outputs = requests.receive(context, request, json)
    return isOther ? agents.under(threadId, outputs) : outputs
  }

  const glanced = (delta: GlancedDelta): Outputs => {
    if (delta.threadId === ownThread()) return spoken(delta.kind, delta, turns)
    return ofOther(delta.threadId, "item/agentMessage/delta", delta) ?? []
  }

  const push = (json: unknown): Outputs => {
    if (json instanceof GlancedDelta) return glanced(json)
    if (json instanceof OutputDelta) return []
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

  /** Sub-agents do not end with the turn that started them, nor their commands with their turns. */
  const interrupt = (): Outputs => {
    const own = turns.interrupt()
    const running = turns.current === undefined ? [] : agents.running()
    const others = running.flatMap((place) => [
      send({ _tag: "Interrupt" }, "turn/interrupt", place),
      send({ _tag: "Interrupt" }, "thread/backgroundTerminals/clean", { threadId: place.threadId })
    ])
    return [...own, ...others, ...requests.abandon()]
  }

  const explain = (whose: string, text: string): Outputs => {
    if (whose === ownThread()) return turns.explainOwn(text)
    return agents.running().flatMap((place) => (place.threadId === whose ? turns.explain(place, text) : []))
  }

  const decide = (requestId: string, decision: Decision): Outputs => {
    const open = requests.asked(requestId)
    if (turns.current === undefined || open === undefined) return []
    const reason = reasonOf(decision)
    // Before the answer, so that the model reads both together, and it cuts no text that follows.
    const explanation =
      reason === undefined ? [] : explain(open.threadId, `About "${open.title}", which was denied: ${reason}`)
    const outputs = [...explanation, ...requests.decide(requestId, decision)]
    return decision.decision === "deny" && decision.interrupt === true ? [...outputs, ...interrupt()] : outputs
  }

  const change = (changeId: string, target: Change): Outputs => {
    if (target._tag === "PermissionMode") mode = target.permissionMode
    turns.settle(target._tag === "Model" ? { model: target.model } : settingsOf(mode, additionalDirectories))
    return [{ _tag: "Changed", changeId }]
  }

  return {
    open: () => [send({ _tag: "Initialize" }, "initialize", initialize)],
    push,
    glance,
    turn: (prompt, input) => {
      const reason = promptProblem(prompt)
      return reason === undefined ? turns.begin(prompt, input) : [refusedTurn(reason)]
    },
    steer: (text, input) => (promptProblem(text) === undefined ? turns.steer(text, input) : undefined),
    interrupt,
    decide,
    answer: requests.answer,
    change,
    reply: requests.reply,
    report: turns.report,
    standing: () => {
      if (session === undefined) return "opening"
      return turns.current !== undefined || turns.isAwaited() ? "working" : "resting"
    }
  }
}
