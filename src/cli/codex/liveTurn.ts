/** One turn while it is under way: what is kept of it, and what its end gives (0.169.0). */
import { Aborted } from "../../AgentError.ts"
import type { AgentUsage } from "../../AgentRunResult.ts"
import type { RunReport, Verdict } from "../Cli.ts"
import { turnFailure } from "./liveFailures.ts"
import { makeToolCalls, type ToolCalls } from "./liveItems.ts"
import { makeSpeech, type Speech } from "./liveText.ts"
import type { Tokens, TurnEvent } from "./liveWire.ts"
import type { Outputs } from "./owed.ts"

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
export const addTokens = (before: AgentUsage | undefined, tokens: Tokens): AgentUsage => {
  const cached = tokens.cachedInputTokens ?? 0
  return {
    inputTokens: (before?.inputTokens ?? 0) + Math.max(0, (tokens.inputTokens ?? 0) - cached),
    outputTokens: (before?.outputTokens ?? 0) + (tokens.outputTokens ?? 0),
    cacheReadTokens: (before?.cacheReadTokens ?? 0) + cached,
    cacheWriteTokens: (before?.cacheWriteTokens ?? 0) + (tokens.cacheWriteInputTokens ?? 0)
  }
}

export const endOf = (turn: Turn, { status, error }: Ended): Outputs => {
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
