/** One turn while it is under way: its state, and the output of its end (0.169.0). */
import { Aborted } from "../../../contract/AgentError.ts"
import type { AgentUsage } from "../../../contract/AgentRunResult.ts"
import { addUsage, usageOf } from "../../../contract/addUsage.ts"
import type { RunReport, Verdict } from "../../Decoder.ts"
import { present } from "../../jsonFields.ts"
import type { Outputs } from "../../outputs.ts"
import { turnFailure } from "./failures.ts"
import { makeToolCalls, type ToolCalls } from "./items.ts"
import { makeSpeech, type Speech } from "./text.ts"
import type { Tokens, TurnEvent } from "./wire.ts"

export type Ended = TurnEvent["turn"]

export interface Turn {
  /** From the answer or the turn's start. */
  id: string | undefined
  hasStarted: boolean
  /** The answer has named the id, or the turn was not requested. */
  isSure: boolean
  isUnwanted: boolean
  /** Its end, until the answer identifies it, or until its commands are over. */
  ended: Ended | undefined
  /** Commands that are being ended; undefined until Codex has confirmed that. */
  ending: { readonly ids: ReadonlyArray<string>; readonly isConfirmed: boolean } | undefined
  usage: AgentUsage | undefined
  readonly speech: Speech
  readonly calls: ToolCalls
}

/** `usage`: usage before it that belongs to no other turn. */
export const makeTurn = (isSure: boolean, usage?: AgentUsage): Turn => ({
  id: undefined,
  hasStarted: false,
  isSure,
  isUnwanted: false,
  ended: undefined,
  ending: undefined,
  usage,
  speech: makeSpeech(),
  calls: makeToolCalls()
})

/** Codex counts cached tokens among the input. */
export const addTokens = (before: AgentUsage | undefined, tokens: Tokens): AgentUsage | undefined => {
  const { inputTokens: all, cachedInputTokens: cached } = tokens
  const answer = usageOf({
    inputTokens: all == null ? undefined : Math.max(0, all - (cached ?? 0)),
    outputTokens: tokens.outputTokens,
    cacheReadTokens: cached,
    cacheWriteTokens: tokens.cacheWriteInputTokens
  })
  return addUsage(before, answer)
}

export const reportOf = ({ usage }: Pick<Turn, "usage">): RunReport => present({ usage })

export const endOf = (turn: Turn, { status, error }: Ended): Outputs => {
  const { results, denials } = turn.calls.end()
  const report: RunReport = { ...reportOf(turn), ...(denials.length === 0 ? {} : { permissionDenials: denials }) }
  const isInterrupted = status === "interrupted"
  const reason = isInterrupted ? new Aborted() : turnFailure(error)
  const verdict: Verdict = status === "completed" ? { _tag: "Success" } : { _tag: "Failure", reason }
  return [...results, { _tag: "TurnEnded", verdict, report, ...(isInterrupted ? { isInterrupted } : {}) }]
}
