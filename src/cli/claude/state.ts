/** What is kept from line to line of one run of Claude Code, and where the run stands by it (2.1.328). */
import type { AgentEvent, SessionEvent } from "../../AgentEvent.ts"
import type { AgentExecuteParams } from "../../AgentExecuteParams.ts"
import type { RunReport, Standing, Verdict } from "../Cli.ts"
import type { ApiError } from "./result.ts"
import { makeStreams, type Streams } from "./streams.ts"
import type * as Wire from "./wire.ts"

export interface State {
  /** The session is older than this run: its running totals say nothing about the run. */
  readonly resumed: boolean
  readonly session: SessionEvent | undefined
  /** The one part that changes in place. */
  readonly streams: Streams
  /** The message that is being streamed, for deltas that do not name it. */
  readonly messageId: string
  /** Turns begun and turns ended; background work can begin a turn before the result of the one before is told. */
  readonly inits: number
  readonly results: number
  /** The result that came was the last. Work that ends only after it can begin a turn, or was ended with the CLI. */
  readonly isLast: boolean
  readonly background: ReadonlyArray<Wire.BackgroundTask>
  /** Background work that has ended and of which the model was not told yet: each may begin a turn. */
  readonly untold: number
  /** Tool calls whose denial was announced. */
  readonly denied: ReadonlySet<string>
  readonly apiError: ApiError | undefined
  readonly report: RunReport
  readonly verdict: Verdict | undefined
}

export const start = (params: Pick<AgentExecuteParams, "sessionId">): State => ({
  resumed: params.sessionId !== undefined,
  session: undefined,
  streams: makeStreams(),
  messageId: "",
  inits: 0,
  results: 0,
  isLast: false,
  background: [],
  untold: 0,
  denied: new Set(),
  apiError: undefined,
  report: {},
  verdict: undefined
})

/** The state after a line, and the events of the line. */
export type Step = readonly [State, ReadonlyArray<AgentEvent>]

export const standing = (state: State): Standing => {
  if (state.background.length > 0) return "background"
  if (state.results === 0 || state.results < state.inits) return "working"
  return state.isLast ? "ended" : "resting"
}

/** The success of one turn says nothing of a turn that has begun since. */
export const lastVerdict = ({ verdict, inits, results }: State): Verdict | undefined =>
  verdict?._tag === "Success" && results < inits ? undefined : verdict

/** Nothing that is known of can follow the result that has just come. */
export const hasNothingLeft = (state: State) =>
  state.results >= state.inits && state.background.length === 0 && state.untold === 0
