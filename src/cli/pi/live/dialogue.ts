/**
 * Pi's side of a live session (1.6.0). `agent_end` is not the end of a turn: a failed attempt may be repeated, the
 * conversation compacted, or a late text taken up. So Pi is asked for its state whenever the turn may be over; its answer comes behind
 * all that has happened before it.
 */
import { Predicate, Result } from "effect"
import { Aborted, AgentFailed, type FailureReason } from "../../../contract/AgentError.ts"
import type { SessionEvent } from "../../../contract/AgentEvent.ts"
import type { AgentOpenParams } from "../../../contract/AgentOpenParams.ts"
import { base64Of, textOf } from "../../../contract/Attachment.ts"
import { classify } from "../../../contract/errors/classify.ts"
import type { Verdict } from "../../Decoder.ts"
import { present } from "../../jsonFields.ts"
import type { Change, Dialogue, Output, TurnInput } from "../../Live.ts"
import { type Outputs, refusedTurn, write } from "../../outputs.ts"
import { decodeLeniently } from "../../wireDecoder.ts"
import { disarmed, promptProblem } from "../command.ts"
import { step } from "../events.ts"
import { modelOf, type State, start, verdictOf } from "../run/state.ts"
import { decodeWire, glance, Piece, type Wire } from "../wire.ts"
import { makeDialogs } from "./dialogs.ts"
import { type AgentState, decodeLive, decodeState, liveTypes, type Response } from "./wire.ts"

/** The commands of Reins to Pi. */
type Purpose = "open" | "state" | "prompt" | "steer" | "abort"

interface Turn {
  state: State
  /** The agent works: from `agent_start` to `agent_end`. */
  isRunning: boolean
  /** The agent has worked; a command of an extension needs no agent. */
  hasRun: boolean
  /** A failed attempt will be repeated. */
  isRetrying: boolean
  /** The turn was interrupted. */
  isUnwanted: boolean
  /** An abort was written since the agent has started. */
  isAborted: boolean
}

const decodeLine = decodeLeniently(decodeWire)
const decodeReply = decodeLeniently(decodeLive)

const begun = (): Turn => ({
  state: start(),
  isRunning: false,
  hasRun: false,
  isRetrying: false,
  isUnwanted: false,
  isAborted: false
})

const failure = (code: string, error: string | null | undefined): FailureReason => {
  const detail = error || "Pi refused without a reason"
  return new AgentFailed({ code, category: classify({ message: detail }), detail })
}

const noAnswer = new AgentFailed({
  code: "no_answer",
  category: "protocol",
  detail: "Pi ended a turn without an answer"
})
const aborted: Verdict = { _tag: "Failure", reason: new Aborted() }

const verdictOfTurn = ({ state, hasRun }: Turn): Verdict => {
  if (!hasRun) return { _tag: "Success" }
  if (state.last?.stopReason === "aborted") return aborted
  return verdictOf(state, undefined) ?? { _tag: "Failure", reason: noAnswer }
}

/** Images in the form of the protocol; texts as Pi itself would show the model a file. */
const contentOf = (text: string, { attachments = [] }: TurnInput = {}) => {
  const files = attachments.filter(({ kind }) => kind === "text")
  const images = attachments.filter(({ kind }) => kind === "image")
  const fileTexts = files.map((file) => `\n<file name="${file.name}">\n${textOf(file)}\n</file>`)
  return {
    message: [text, ...fileTexts].join(""),
    ...(images.length === 0
      ? {}
      : { images: images.map((image) => ({ type: "image", data: base64Of(image), mimeType: image.mediaType })) })
  }
}

const why: Readonly<Record<Change["_tag"], string>> = {
  Model: "Pi would make the model the default of all its sessions: open a session with this model",
  PermissionMode: "Pi has no modes that could change: open a session with this mode"
}

export const makeDialogue = (params: AgentOpenParams): Dialogue => {
  const dialogs = makeDialogs()
  const pending = new Map<string, Purpose>()
  let commands = 0
  let session: SessionEvent | undefined
  let turn: Turn | undefined
  /** The turn may be over since Pi was last asked for its state. */
  let isStale = false

  const send = (purpose: Purpose, command: object): Output => {
    commands += 1
    const id = `${purpose}-${commands}`
    pending.set(id, purpose)
    return write({ id, ...command })
  }

  const waitsFor = (...purposes: ReadonlyArray<Purpose>) =>
    [...pending.values()].some((each) => purposes.includes(each))

  const abort = (turn: Turn): Output => {
    turn.isAborted = turn.isRunning
    return send("abort", { type: "abort" })
  }

  /** Asks for the state if nothing is known that would keep the turn from its end. */
  const settle = (): Outputs => {
    if (turn === undefined || turn.isRunning || turn.isRetrying || turn.state.isCompacting) return []
    if (waitsFor("prompt", "steer", "abort")) return []
    isStale = waitsFor("state")
    return isStale ? [] : [send("state", { type: "get_state" })]
  }

  const end = (ended: Turn, { pendingMessageCount }: AgentState): Outputs => {
    turn = undefined
    const verdict = verdictOfTurn(ended)
    const isInterrupted = ended.isUnwanted && verdict._tag === "Failure"
    const late: Outputs =
      (pendingMessageCount ?? 0) === 0
        ? []
        : [
            {
              type: "notice",
              kind: "queued",
              message: "A text came too late for the turn: Pi takes it up with the next one"
            }
          ]
    return [
      ...dialogs.cancel(),
      ...late,
      {
        _tag: "TurnEnded",
        verdict: isInterrupted ? aborted : verdict,
        report: ended.state.report,
        ...(isInterrupted ? { isInterrupted } : {})
      }
    ]
  }

  /** An extension can open another session. */
  const sessionEvents = ({ sessionId, model }: AgentState): Outputs => {
    const name = model == null ? undefined : modelOf({ provider: model.provider ?? null, model: model.id ?? null })
    if (session?.sessionId === sessionId && session.model === name) return []
    session = { type: "session", sessionId, ...present({ model: name }) }
    return [session]
  }

  const stateTold = (purpose: "open" | "state", { data }: Response): Outputs => {
    const decoded = decodeState(data)
    if (Result.isFailure(decoded)) {
      const reason = new AgentFailed({ code: "no_state", category: "protocol", detail: "Pi does not tell its state" })
      return [{ _tag: "Failed", reason }]
    }
    const state = decoded.success
    if (purpose === "open") return [...sessionEvents(state), { _tag: "Opened" }]
    if (turn === undefined) return sessionEvents(state)
    if (isStale) return [...sessionEvents(state), ...settle()]
    const isBusy = state.isStreaming === true || state.isCompacting === true
    const isOver = !isBusy && !turn.isRunning && !turn.isRetrying && !waitsFor("prompt", "steer")
    return [...sessionEvents(state), ...(isOver ? end(turn, state) : [])]
  }

  const answered = (purpose: Purpose, response: Response): Outputs => {
    const isGranted = response.success === true
    switch (purpose) {
      case "open":
      case "state":
        if (isGranted) return stateTold(purpose, response)
        return [{ _tag: "Failed", reason: failure("state_refused", response.error) }]
      case "prompt": {
        if (isGranted || turn === undefined) return settle()
        turn = undefined
        return [refusedTurn(failure("prompt_refused", response.error))]
      }
      case "steer": {
        const message = `The text was refused: ${response.error ?? "without a reason"}`
        return [...(isGranted ? [] : [{ type: "notice", kind: "warning", message } as const]), ...settle()]
      }
      case "abort":
        // The agent has started since: that abort had missed it. Once, as the lines of its end can come after the answer.
        return turn?.isUnwanted === true && turn.isRunning && !turn.isAborted ? [abort(turn)] : settle()
    }
  }

  const received = (json: unknown): Outputs => {
    const decoded = decodeReply(json)
    if (Result.isFailure(decoded)) return [{ type: "unknown", raw: json }]
    const line = decoded.success
    if (line.type === "extension_ui_request") return dialogs.ask(line, turn !== undefined && !turn.isUnwanted)
    const purpose = pending.get(line.id ?? "")
    if (line.id == null || purpose === undefined) return [{ type: "unknown", raw: json }]
    pending.delete(line.id)
    return answered(purpose, line)
  }

  /** The consequences of a line for the turn, beside its events. */
  const consequences = (turn: Turn, line: Wire): Outputs => {
    switch (line.type) {
      case "agent_start":
        turn.isRunning = true
        turn.hasRun = true
        turn.isRetrying = false
        turn.isAborted = false
        // The interrupt came before there was anything to abort.
        return turn.isUnwanted && !waitsFor("abort") ? [abort(turn)] : []
      case "agent_end":
        turn.isRunning = false
        return settle()
      case "agent_settled":
        return settle()
      case "auto_retry_start":
        turn.isRetrying = true
        return []
      case "auto_retry_end":
        turn.isRetrying = false
        return settle()
      case "compaction_end":
        // The agent is started again in a moment.
        turn.isRetrying = line.willRetry === true
        return settle()
      default:
        return []
    }
  }

  const read = (line: Wire): Outputs => {
    if (line.type === "agent_start") turn ??= begun()
    if (turn === undefined) return step(start(), line)[1]
    const [next, events] = step(turn.state, line)
    turn.state = next
    return [...events, ...consequences(turn, line)]
  }

  const push = (json: unknown): Outputs => {
    if (json instanceof Piece) return read(json)
    if (Predicate.hasProperty(json, "type") && liveTypes.has(json.type)) return received(json)
    const decoded = decodeLine(json)
    return Result.isFailure(decoded) ? [{ type: "unknown", raw: json }] : read(decoded.success)
  }

  const prompt = (purpose: "prompt" | "steer", text: string, input: TurnInput | undefined): Output => {
    const content = contentOf(disarmed(text, params.slashCommands), input)
    // For the case that an extension has started the agent by itself.
    const streamingBehavior = purpose === "steer" ? "steer" : "followUp"
    return send(purpose, { type: "prompt", ...content, streamingBehavior })
  }

  return {
    open: () => [send("open", { type: "get_state" })],
    push,
    glance,
    turn: (text, input) => {
      const reason = promptProblem(text)
      if (reason !== undefined) return [refusedTurn(reason)]
      turn ??= begun()
      return [prompt("prompt", text, input)]
    },
    steer: (text, input) =>
      turn === undefined || turn.isUnwanted || promptProblem(text) !== undefined
        ? undefined
        : [prompt("steer", text, input)],
    interrupt: () => {
      if (turn === undefined || turn.isUnwanted) return []
      turn.isUnwanted = true
      return [...dialogs.cancel(), abort(turn)]
    },
    decide: () => [],
    answer: dialogs.answer,
    change: (changeId, { _tag }) => [{ _tag: "Changed", changeId, problem: why[_tag] }],
    reply: () => [],
    standing: () => {
      if (session === undefined) return "opening"
      return turn === undefined ? "resting" : "working"
    },
    report: () => turn?.state.report ?? {}
  }
}
