/**
 * The turns of a thread: the running one, its inputs, and its one end (0.169.0). An interrupt waits until the turn has started:
 * before that it is refused. An interrupted turn is over when its commands are.
 */
import type { AgentEvent } from "../../../contract/AgentEvent.ts"
import type { AgentUsage } from "../../../contract/AgentRunResult.ts"
import { base64Of } from "../../../contract/Attachment.ts"
import { isSameUsage } from "../../../contract/addUsage.ts"
import type { RunReport } from "../../Decoder.ts"
import type { RpcError } from "../../jsonRpc.ts"
import type { Output, TurnInput } from "../../Live.ts"
import { type Outputs, queuedNotice, refusedTurn } from "../../outputs.ts"
import { refusalOf } from "./failures.ts"
import { addTokens, type Ended, endOf, makeTurn, reportOf, type Turn } from "./turn.ts"
import { readTerminals, readTurn, type Tokens } from "./wire.ts"

/** Blocks of a text. */
type Input = ReadonlyArray<unknown>

/** With `localImage`, Codex would read a file itself. Images come first, as in a run. */
const inputOf = (text: string, { attachments = [] }: TurnInput = {}): Input => [
  ...attachments.map((image) => ({ type: "image", url: `data:${image.mediaType};base64,${base64Of(image)}` })),
  { type: "text", text, text_elements: [] }
]

export type Purpose =
  | { readonly _tag: "Turn"; readonly settings: Settings }
  | { readonly _tag: "Steer"; readonly input: Input }
  | { readonly _tag: "Explain" }
  | { readonly _tag: "Interrupt" }
  | { readonly _tag: "List" }
  | { readonly _tag: "Clean" }

/** Settings of a turn, by Codex's names. */
type Settings = Readonly<Record<string, unknown>>

/** A turn of any thread. */
export interface Place {
  readonly threadId: string
  readonly turnId: string
}

export interface Turns {
  /** The one under way; changed here alone. */
  current: Turn | undefined
  readonly begin: (text: string, input?: TurnInput) => Outputs
  readonly steer: (text: string, input?: TurnInput) => Outputs | undefined
  /** Explains a denial, if possible. */
  readonly explainOwn: (text: string) => Outputs
  /** Explains a denial to the turn of a sub-agent. */
  readonly explain: (place: Place, text: string) => Outputs
  readonly interrupt: () => Outputs
  readonly answered: (purpose: Purpose, result: unknown) => Outputs
  readonly refused: (purpose: Purpose, error: RpcError) => Outputs
  readonly started: (turnId: string) => Outputs
  readonly completed: (ended: Ended) => Outputs
  /** Adds the usage of one answer of the model, and returns its event. */
  readonly use: (turnId: string, tokens: Tokens) => ReadonlyArray<AgentEvent>
  /** The same for a sub-agent's answer, which belongs to the running turn, or else to the next one. */
  readonly useOfAgent: (tokens: Tokens) => ReadonlyArray<AgentEvent>
  /** The usage of the running turn, or since the last one. */
  readonly report: () => RunReport
  /** An item was completed. */
  readonly settled: () => Outputs
  /** Texts of the session may still start a turn. */
  readonly isAwaited: () => boolean
  /** Settings from the next turn on. */
  readonly settle: (settings: Settings) => void
}

type Send = (purpose: Purpose, method: string, params: Settings) => Output

const notExplained: Output = {
  type: "notice",
  kind: "info",
  message: "The reason for the denial could not be sent to Codex"
}

export const makeTurns = (threadId: () => string, send: Send): Turns => {
  let next: Settings = {}
  /** Usage of sub-agents that continued after their turn. */
  let between: AgentUsage | undefined
  /** Steered texts that have not been answered yet. */
  let steering = 0
  const late: Array<Input> = []

  const ask = (purpose: Purpose, method: string, value: Settings = {}) =>
    send(purpose, method, { threadId: threadId(), ...value })

  const begun = (isSure: boolean): Turn => {
    const turn = makeTurn(isSure, between)
    between = undefined
    return turn
  }

  const count = (turn: Turn, tokens: Tokens): ReadonlyArray<AgentEvent> => {
    const before = turn.usage
    const usage = addTokens(before, tokens)
    turn.usage = usage
    return usage === undefined || isSameUsage(before, usage) ? [] : [{ type: "usage", usage }]
  }

  const begin = (input: Input, own: Settings = {}): Outputs => {
    turns.current = begun(false)
    const settings = next
    next = {}
    return [ask({ _tag: "Turn", settings }, "turn/start", { input, ...settings, ...own })]
  }

  const beginLate = (): Outputs => {
    const input = turns.current === undefined ? late.shift() : undefined
    return input === undefined ? [] : [...begin(input), queuedNotice]
  }

  const conclude = (turn: Turn, ended: Ended): Outputs => {
    const outputs = endOf(turn, ended)
    turns.current = undefined
    return [...outputs, ...beginLate()]
  }

  const finish = (turn: Turn, ended: Ended): Outputs => {
    if (ended.status !== "interrupted" || !turn.calls.hasCommand()) return conclude(turn, ended)
    // Codex leaves its commands running until it ends itself.
    turn.ended = ended
    turn.ending = { ids: [], isConfirmed: false }
    return [
      ask({ _tag: "List" }, "thread/backgroundTerminals/list"),
      ask({ _tag: "Clean" }, "thread/backgroundTerminals/clean")
    ]
  }

  /** Each command that ran is completed when it is gone. */
  const settled = (): Outputs => {
    const turn = turns.current
    if (turn?.ended === undefined || turn.ending?.isConfirmed !== true) return []
    return turn.ending.ids.some((id) => turn.calls.isOpen(id)) ? [] : conclude(turn, turn.ended)
  }

  const cleaning = (change: Partial<NonNullable<Turn["ending"]>>): Outputs => {
    const { current } = turns
    if (current?.ending === undefined) return []
    current.ending = { ...current.ending, ...change }
    return settled()
  }

  const interruptNow = ({ id }: Turn): Output => ask({ _tag: "Interrupt" }, "turn/interrupt", { turnId: id })

  /** The answer identifies the requested turn; another may have ended meanwhile. */
  const identified = (turnId: string | undefined): Outputs => {
    const turn = turns.current
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
    turns.current = { ...begun(true), id: turnId, isUnwanted: turn.isUnwanted }
    return ends
  }

  const steer = (purpose: Purpose, input: Input): Outputs | undefined => {
    const { current } = turns
    if (current?.hasStarted !== true || current.isUnwanted || current.ended !== undefined) return undefined
    return [ask(purpose, "turn/steer", { expectedTurnId: current.id, input })]
  }

  const turns: Turns = {
    current: undefined,
    begin: (text, { attachments = [], ...own } = {}) => begin(inputOf(text, { attachments }), own),
    steer: (text, value) => {
      const input = inputOf(text, value)
      const steered = steer({ _tag: "Steer", input }, input)
      if (steered !== undefined) steering += 1
      return steered
    },
    explainOwn: (text) => steer({ _tag: "Explain" }, inputOf(text)) ?? [],
    explain: ({ threadId, turnId }, text) => [
      send({ _tag: "Explain" }, "turn/steer", { threadId, expectedTurnId: turnId, input: inputOf(text) })
    ],
    interrupt: () => {
      const { current } = turns
      if (current === undefined || current.isUnwanted) return []
      current.isUnwanted = true
      return current.hasStarted && current.ended === undefined ? [interruptNow(current)] : []
    },
    answered: (purpose, result) => {
      if (purpose._tag === "Turn") return identified(readTurn(result)?.turn.id)
      if (purpose._tag === "Steer") steering -= 1
      if (purpose._tag === "List")
        return cleaning({ ids: (readTerminals(result)?.data ?? []).map(({ itemId }) => itemId) })
      return purpose._tag === "Clean" ? cleaning({ isConfirmed: true }) : []
    },
    refused: (purpose, { message }) => {
      switch (purpose._tag) {
        case "Turn": {
          next = { ...purpose.settings, ...next }
          if (turns.current === undefined) return []
          turns.current = undefined
          return [refusedTurn(refusalOf("turn_refused", message)), ...beginLate()]
        }
        case "Steer":
          steering -= 1
          late.push(purpose.input)
          return beginLate()
        case "Explain":
          return [notExplained]
        case "Clean":
          return cleaning({ isConfirmed: true })
        case "List":
        case "Interrupt": // The turn had already ended.
          return []
      }
    },
    started: (turnId) => {
      const turn = turns.current ?? begun(true)
      turns.current = turn
      if (turn.hasStarted || (turn.isSure && turn.id !== undefined && turn.id !== turnId)) return []
      turn.id = turnId
      turn.hasStarted = true
      return turn.isUnwanted ? [interruptNow(turn)] : []
    },
    completed: (ended) => {
      const { current } = turns
      if (current === undefined || current.ended !== undefined) return []
      if (current.isSure) return current.id === ended.id ? finish(current, ended) : []
      current.ended = ended
      return []
    },
    settled,
    use: (turnId, tokens) => {
      const { current } = turns
      return current?.id === turnId ? count(current, tokens) : []
    },
    useOfAgent: (tokens) => {
      if (turns.current !== undefined) return count(turns.current, tokens)
      between = addTokens(between, tokens)
      return []
    },
    report: () => reportOf({ usage: turns.current === undefined ? between : turns.current.usage }),
    isAwaited: () => steering > 0 || late.length > 0,
    settle: (settings) => {
      next = { ...next, ...settings }
    }
  }
  return turns
}
