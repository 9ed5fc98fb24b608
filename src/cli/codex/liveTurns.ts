/**
 * The turns of a thread: which one is under way, what was put into it, and its one end (0.169.0). An interrupt waits until
 * the turn has started, for before that it is refused; and a turn that was interrupted is over when its commands are.
 */
import { Aborted } from "../../AgentError.ts"
import type { AgentUsage } from "../../AgentRunResult.ts"
import type { RunReport, Verdict } from "../Cli.ts"
import type { RpcError } from "../jsonRpc.ts"
import type { Output } from "../Live.ts"
import { refusalOf, turnFailure } from "./liveFailures.ts"
import { makeToolCalls, type ToolCalls } from "./liveItems.ts"
import { makeSpeech, type Speech } from "./liveText.ts"
import type { Tokens, TurnEvent } from "./liveWire.ts"
import type { Outputs } from "./owed.ts"

export type Purpose =
  | { readonly _tag: "Turn"; readonly settings: Settings }
  | { readonly _tag: "Steer"; readonly text: string }
  | { readonly _tag: "Explain" }
  | { readonly _tag: "Interrupt" }
  | { readonly _tag: "Clean" }

export type Settings = Readonly<Record<string, unknown>>
type Ended = TurnEvent["turn"]

export interface Turn {
  /** Told by the answer, and by the turn's start, whichever comes first. */
  id: string | undefined
  hasStarted: boolean
  /** The answer has told the id, or nobody has asked for this turn. */
  isSure: boolean
  isUnwanted: boolean
  /** Told before it is known whether this is the turn, or before the commands of the turn are over. */
  ended: Ended | undefined
  usage: AgentUsage | undefined
  readonly speech: Speech
  readonly calls: ToolCalls
}

export interface LiveTurns {
  readonly begin: (text: string) => Outputs
  /** With a reason for what was denied, nothing is lost where it cannot be told. */
  readonly steer: (text: string, isReason?: boolean) => Outputs | undefined
  readonly interrupt: () => Outputs
  readonly answered: (purpose: Purpose, turnId: string | undefined) => Outputs
  readonly refused: (purpose: Purpose, error: RpcError) => Outputs
  readonly started: (turnId: string) => Outputs
  readonly completed: (ended: Ended) => Outputs
  readonly use: (turnId: string, tokens: Tokens) => void
  /** The one under way, if it is this one. */
  readonly current: (turnId?: string) => Turn | undefined
  readonly isWorking: () => boolean
  /** What holds from the next turn on. */
  readonly settle: (settings: Settings) => void
}

type Send = (purpose: Purpose, method: string, params: Settings) => Output

const inputOf = (text: string) => [{ type: "text", text, text_elements: [] }]

const queued: Output = {
  type: "notice",
  kind: "queued",
  message: "The text came too late for the turn under way and begins one of its own"
}

const untold: Output = { type: "notice", kind: "info", message: "Codex could not be told why the call was denied" }

const makeTurn = (isSure: boolean): Turn => ({
  id: undefined,
  hasStarted: false,
  isSure,
  isUnwanted: false,
  ended: undefined,
  usage: undefined,
  speech: makeSpeech(),
  calls: makeToolCalls()
})

/** Codex counts cached tokens among the input. */
const addTokens = (before: AgentUsage | undefined, tokens: Tokens): AgentUsage => {
  const cached = tokens.cachedInputTokens ?? 0
  return {
    inputTokens: (before?.inputTokens ?? 0) + Math.max(0, (tokens.inputTokens ?? 0) - cached),
    outputTokens: (before?.outputTokens ?? 0) + (tokens.outputTokens ?? 0),
    cacheReadTokens: (before?.cacheReadTokens ?? 0) + cached,
    cacheWriteTokens: (before?.cacheWriteTokens ?? 0) + (tokens.cacheWriteInputTokens ?? 0)
  }
}

const endOf = (turn: Turn, { status, error }: Ended): Outputs => {
  const { results, denials } = turn.calls.end()
  const report: RunReport = {
    ...(turn.usage === undefined ? {} : { usage: turn.usage }),
    ...(denials.length === 0 ? {} : { permissionDenials: denials })
  }
  const isInterrupted = status === "interrupted"
  const reason = isInterrupted ? new Aborted() : turnFailure(error)
  const verdict: Verdict = status === "completed" ? { _tag: "Success" } : { _tag: "Failure", reason }
  return [...results, { _tag: "TurnEnded", verdict, report, ...(isInterrupted ? { isInterrupted } : {}) }]
}

export const makeLiveTurns = (threadId: () => string, send: Send): LiveTurns => {
  let current: Turn | undefined
  let next: Settings = {}
  /** Texts put in whose answer is still to come. */
  let steering = 0
  const late: Array<string> = []

  const begin = (text: string): Outputs => {
    current = makeTurn(false)
    const settings = next
    next = {}
    return [send({ _tag: "Turn", settings }, "turn/start", { threadId: threadId(), input: inputOf(text), ...settings })]
  }

  const beginLate = (): Outputs => {
    const text = current === undefined ? late.shift() : undefined
    return text === undefined ? [] : [...begin(text), queued]
  }

  const conclude = (turn: Turn, ended: Ended): Outputs => {
    const outputs = endOf(turn, ended)
    current = undefined
    return [...outputs, ...beginLate()]
  }

  const finish = (turn: Turn, ended: Ended): Outputs => {
    if (ended.status !== "interrupted" || !turn.calls.hasCommand()) return conclude(turn, ended)
    // Codex leaves them running until it ends itself.
    turn.ended = ended
    return [send({ _tag: "Clean" }, "thread/backgroundTerminals/clean", { threadId: threadId() })]
  }

  const interruptNow = (turn: Turn): Output =>
    send({ _tag: "Interrupt" }, "turn/interrupt", { threadId: threadId(), turnId: turn.id })

  /** The answer tells which turn is ours; another may have ended meanwhile. */
  const identified = (turnId: string | undefined): Outputs => {
    const turn = current
    if (turn === undefined) return []
    turn.isSure = true
    const { ended } = turn
    if (ended === undefined) {
      turn.id = turnId ?? turn.id
      return []
    }
    turn.ended = undefined
    if (turnId === undefined || ended.id === turnId) return finish(turn, ended)
    const ends = endOf(turn, ended).map((output) => ("_tag" in output ? { ...output, isOwn: false } : output))
    current = { ...makeTurn(true), id: turnId, isUnwanted: turn.isUnwanted }
    return ends
  }

  const cleaned = (): Outputs => {
    const ended = current?.ended
    return current === undefined || ended === undefined ? [] : conclude(current, ended)
  }

  const tooLate = (text: string): Outputs => {
    steering -= 1
    late.push(text)
    return beginLate()
  }

  return {
    begin,
    steer: (text, isReason = false) => {
      if (current?.hasStarted !== true || current.isUnwanted || current.ended !== undefined) return undefined
      if (!isReason) steering += 1
      const params = { threadId: threadId(), expectedTurnId: current.id, input: inputOf(text) }
      return [send(isReason ? { _tag: "Explain" } : { _tag: "Steer", text }, "turn/steer", params)]
    },
    interrupt: () => {
      if (current === undefined || current.isUnwanted) return []
      current.isUnwanted = true
      return current.hasStarted && current.ended === undefined ? [interruptNow(current)] : []
    },
    answered: (purpose, turnId) => {
      if (purpose._tag === "Turn") return identified(turnId)
      if (purpose._tag === "Steer") steering -= 1
      return purpose._tag === "Clean" ? cleaned() : []
    },
    refused: (purpose, { message }) => {
      switch (purpose._tag) {
        case "Turn": {
          next = { ...purpose.settings, ...next }
          if (current === undefined) return []
          const reason = refusalOf("turn_refused", message)
          current = undefined
          return [{ _tag: "TurnEnded", verdict: { _tag: "Failure", reason }, report: {} }, ...beginLate()]
        }
        case "Steer":
          return tooLate(purpose.text)
        case "Explain":
          return [untold]
        case "Clean":
          return cleaned()
        case "Interrupt":
          // It had ended just now.
          return []
      }
    },
    started: (turnId) => {
      current ??= makeTurn(true)
      if (current.hasStarted || (current.isSure && current.id !== undefined && current.id !== turnId)) return []
      current.id = turnId
      current.hasStarted = true
      return current.isUnwanted ? [interruptNow(current)] : []
    },
    completed: (ended) => {
      if (current === undefined || current.ended !== undefined) return []
      if (current.isSure) return current.id === ended.id ? finish(current, ended) : []
      current.ended = ended
      return []
    },
    use: (turnId, tokens) => {
      if (current?.id === turnId) current.usage = addTokens(current.usage, tokens)
    },
    current: (turnId) => (turnId === undefined || current?.id === turnId ? current : undefined),
    isWorking: () => current !== undefined || steering > 0 || late.length > 0,
    settle: (settings) => {
      next = { ...next, ...settings }
    }
  }
}
