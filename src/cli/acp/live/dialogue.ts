/** The client's side of the Agent Client Protocol, version 1; the differences between agents are in a flavor. */
import { Predicate, Result } from "effect"
import type { AgentEvent } from "../../../contract/AgentEvent.ts"
import { at } from "../../jsonFields.ts"
import { type Incoming, makeJsonRpc, methodNotFound, refusal } from "../../jsonRpc.ts"
import type { Change, Live } from "../../Live.ts"
import { type Outputs, write } from "../../outputs.ts"
import { planOf } from "../../toolInputs.ts"
import * as Wire from "../wire.ts"
import type { AcpFlavor, AcpRequest, AcpSession, Changing } from "./flavor.ts"
import { Chunk, glance } from "./glance.ts"
import { makeHandshake, type Purpose } from "./handshake.ts"
import { detailOf } from "./outcomes.ts"
import { askForModel, sessionEvent, withChoices } from "./sessionFacts.ts"
import { makeTurn } from "./turn.ts"

const unknown = (raw: unknown): AgentEvent => ({ type: "unknown", raw })

const changeByDefault = (change: Change, session: AcpSession): Changing =>
  (change._tag === "Model" ? askForModel(session, change.model) : undefined) ?? {
    problem: `This agent has no way to change ${change._tag === "Model" ? "the model" : "the permission mode"}`
  }

export const acpDialogue =
  (flavor: AcpFlavor): Live["dialogue"] =>
  (params, context) => {
    const rpc = makeJsonRpc<Purpose>()
    let session: AcpSession | undefined
    let mode = params.permissionMode
    const cell = {
      get: () => session,
      set: (next: AcpSession) => {
        session = next
      }
    }
    const handshake = makeHandshake({ flavor, params, context, rpc, cell })
    const turn = makeTurn({ flavor, params, rpc, cell, takes: handshake.takes, mode: () => mode })

    /** Reports changed facts of the session, unless it is still opening: then no event has had the old ones. */
    const update = (next: AcpSession): Outputs => {
      const hasChanged = next.modeId !== session?.modeId || next.model !== session?.model
      session = next
      return hasChanged && handshake.isOver() ? [sessionEvent(next)] : []
    }

    const granted = ({ sets }: AcpRequest, result: unknown): Outputs => {
      if (session === undefined) return []
      const { permissionMode, ...facts } = sets ?? {}
      if (permissionMode !== undefined) mode = permissionMode
      const decoded = Wire.decodeSession(result ?? {})
      const options = Result.isSuccess(decoded) ? decoded.success.configOptions : undefined
      return update({ ...(options == null ? session : withChoices(session, options)), ...facts })
    }

    /** Without a request, the change is complete. */
    const ask = (changeId: string, request: AcpRequest | undefined): Outputs => {
      if (session === undefined || request === undefined) return [{ _tag: "Changed", changeId }]
      const input = { sessionId: session.sessionId, ...request.params }
      return [write(rpc.request({ _tag: "Change", changeId, request }, request.method, input))]
    }

    const answered = (purpose: Purpose, result: unknown): Outputs => {
      switch (purpose._tag) {
        case "Initialize":
          return handshake.initialized(result)
        case "Session":
          return handshake.began(result)
        case "Begin":
          return [...granted(purpose.request, result), ...handshake.granted()]
        case "Prompt":
          return turn.ended(result)
        case "Change":
          return [
            ...granted(purpose.request, result),
            ...ask(purpose.changeId, session && purpose.request.next?.(session))
          ]
      }
    }

    const refused = ({ purpose, error }: Extract<Incoming<Purpose>, { _tag: "Refused" }>): Outputs => {
      if (purpose._tag === "Prompt") return turn.failed(error)
      if (purpose._tag !== "Change") return handshake.refused(error)
      return [{ _tag: "Changed", changeId: purpose.changeId, problem: detailOf(error) }]
    }

    const spoken = (type: "text" | "thinking", text: string): Outputs => {
      if (text === "" || flavor.isNoise?.(text) === true) return []
      if (type === "text") turn.spoke()
      return [{ type, text }]
    }

    const chunk = (type: "text" | "thinking", payload: unknown, json: unknown): Outputs => {
      const text = Wire.chunkText(payload)
      return text === undefined ? [unknown(json)] : spoken(type, text)
    }

    const glanced = ({ type, sessionId, text, line }: Chunk): Outputs => {
      if (!handshake.isOver()) return []
      return sessionId === session?.sessionId ? spoken(type, text) : [unknown(JSON.parse(line))]
    }

    /** Returns undefined for an unknown kind or form. */
    const fact = (kind: string, payload: unknown): Outputs | undefined => {
      if (kind === "available_commands_update") return handshake.commands()
      if (kind === "user_message_chunk" || kind === "session_info_update") return []
      if (kind === "usage_update") {
        const usage = Wire.decodeUsageUpdate(payload)
        if (Result.isSuccess(usage) && usage.success.cost != null) turn.cost(usage.success.cost.amount)
        return Result.isSuccess(usage) ? [] : undefined
      }
      if (kind === "current_mode_update") {
        const next = Wire.decodeModeUpdate(payload)
        if (Result.isFailure(next) || session === undefined) return undefined
        return update({ ...session, modeId: next.success.currentModeId })
      }
      if (kind !== "config_option_update") return undefined
      const options = Wire.decodeSession(payload)
      if (Result.isFailure(options) || options.success.configOptions == null || session === undefined) return undefined
      return update(withChoices(session, options.success.configOptions))
    }

    const happening = (kind: string, payload: unknown, json: unknown): Outputs => {
      switch (kind) {
        case "agent_message_chunk":
          return chunk("text", payload, json)
        case "agent_thought_chunk":
          return chunk("thinking", payload, json)
        case "tool_call":
        case "tool_call_update":
          return turn.tool(payload, kind === "tool_call") ?? [unknown(json)]
        case "plan": {
          // The whole plan comes each time it changes.
          const plan = planOf(at(payload, "entries"), "content")
          return plan.length === 0 ? [unknown(json)] : plan
        }
        default:
          return fact(kind, payload) ?? [unknown(json)]
      }
    }

    const updated = (input: unknown, json: unknown): Outputs => {
      const decoded = Wire.decodeNotification(input)
      if (Result.isFailure(decoded)) return [unknown(json)]
      const { sessionId, update: payload } = decoded.success
      const kind = at(payload, "sessionUpdate")
      if (typeof kind !== "string") return [unknown(json)]
      // Until the session is open, this is its history.
      if (!handshake.isOver()) return fact(kind, payload) ?? []
      const isOurs = sessionId == null || sessionId === session?.sessionId
      return isOurs ? happening(kind, payload, json) : [unknown(json)]
    }

    const requested = (
      { id, method, params: input }: Extract<Incoming<Purpose>, { _tag: "Request" }>,
      json: unknown
    ) => {
      const permission = method === "session/request_permission" ? turn.permission(id, input) : undefined
      if (permission !== undefined) return permission
      const refused = write(refusal(id, { code: methodNotFound, message: `Method not found: ${method}` }))
      return flavor.isIdle?.(method) === true ? [refused] : [unknown(json), refused]
    }

    const push = (json: unknown): Outputs => {
      if (json instanceof Chunk) return glanced(json)
      const incoming = rpc.receive(json)
      switch (incoming._tag) {
        case "Answered":
          return answered(incoming.purpose, incoming.result)
        case "Refused":
          return refused(incoming)
        case "Request":
          return requested(incoming, json)
        case "Notification": {
          if (incoming.method === "session/update") return updated(incoming.params, json)
          const cancelled = incoming.method === "$/cancel_request" ? incoming.params : undefined
          if (Predicate.hasProperty(cancelled, "requestId")) return turn.withdraw(cancelled.requestId)
          return [unknown(json)]
        }
        case "Unknown":
          return [unknown(json)]
      }
    }

    const change = (changeId: string, target: Change): Outputs => {
      if (session === undefined) return [{ _tag: "Changed", changeId, problem: "The session is not open" }]
      const changing = (flavor.change ?? changeByDefault)(target, session, params)
      if (changing !== undefined && "problem" in changing) {
        return [{ _tag: "Changed", changeId, problem: changing.problem }]
      }
      if (changing === undefined && target._tag === "PermissionMode") mode = target.permissionMode
      return ask(changeId, changing)
    }

    return {
      open: handshake.open,
      push,
      glance,
      turn: turn.begin,
      steer: () => undefined,
      interrupt: turn.interrupt,
      decide: turn.decide,
      answer: () => [],
      change,
      reply: () => [],
      report: turn.report,
      standing: () => {
        if (!handshake.isOver()) return "opening"
        return turn.isUnderWay() ? "working" : "resting"
      }
    }
  }
