/** One turn while it is under way: what is kept of it, and what its end gives (0.169.0). */
import { Aborted } from "../../../contract/AgentError.ts"
import type { AgentUsage } from "../../../contract/AgentRunResult.ts"
import { addUsage, usageOf } from "../../../contract/usage.ts"
import type { RunReport, Verdict } from "../../Decoder.ts"
import { turnFailure } from "./failures.ts"
import { makeToolCalls, type ToolCalls } from "./items.ts"
import type { Outputs } from "./openRequests.ts"
import { makeSpeech, type Speech } from "./text.ts"
import type { Tokens, TurnEvent } from "./wire.ts"

export type Ended = TurnEvent["turn"]

export interface Turn {
  /** Told by the answer, and by the turn's start, whichever comes first. */
  id: string | undefined
  hasStarted: boolean
  /** The answer has told the id, or nobody has asked for this turn. */
  isSure: boolean
  isUnwanted: boolean
  /** Told before it is known whether this is the turn, or before the commands of the turn are over. */
  ended: Ended | undefined
  /** Commands that are being ended; undefined until Codex has said that they are. */
  ending: { readonly ids: ReadonlyArray<string>; readonly isTold: boolean } | undefined
  usage: AgentUsage | undefined
  readonly speech: Speech
  readonly calls: ToolCalls
}

export const makeTurn = (isSure: boolean): Turn => ({
  id: undefined,
  hasStarted: false,
  isSure,
  isUnwanted: false,
  ended: undefined,
  ending: undefined,
  usage: undefined,
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

export const reportOf = ({ usage }: Turn): RunReport => (usage === undefined ? {} : { usage })

export const endOf = (turn: Turn, { status, error }: Ended): Outputs => {
  const { results, denials } = turn.calls.end()
  const report: RunReport = {
    ...reportOf(turn),
    ...(denials.length === 0 ? {} : { permissionDenials: denials })
  }
  const isInterrupted = status === "interrupted"
  const reason = isInterrupted ? new Aborted() : turnFailure(error)
  const verdict: Verdict = status === "completed" ? { _tag: "Success" } : { _tag: "Failure", reason }
  return [...results, { _tag: "TurnEnded", verdict, report, ...(isInterrupted ? { isInterrupted } : {}) }]
}
