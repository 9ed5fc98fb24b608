/** Reading a CLI's lines: their meaning, the standing of the run, and the CLI's own verdict. */
import type { FailureReason } from "../contract/AgentError.ts"
import type { AgentEvent } from "../contract/AgentEvent.ts"
import type { AgentExecuteParams } from "../contract/AgentExecuteParams.ts"
import type { AgentUsage, ProcessExit, RunFacts } from "../contract/AgentRunResult.ts"
import type { Decode } from "./lenient.ts"

/** The outcome of a run or turn, as the CLI reports it. */
export type Verdict = { readonly _tag: "Success" } | { readonly _tag: "Failure"; readonly reason: FailureReason }

/** Facts of the result that the CLI has reported so far. */
export interface RunReport extends RunFacts {
  readonly sessionId?: string
  readonly usage?: AgentUsage
}

/**
 * The state of an agent by its lines so far.
 * - `opening`: the handshake of a live session is not over.
 * - `working`: a turn is under way, or was requested and is still to start.
 * - `answered`: the answer of the turn is whole by the CLI's own word, nothing runs, and only the CLI's report of the end is
 *   missing. After `timeouts.settle` of silence the answer counts as it is.
 * - `background`: no turn, but the CLI waits for work of its own and may start one: silence does not mean trouble.
 * - `resting`: a turn is over. In a run the CLI may still start another by itself; a live session waits for a request.
 * - `ended`: the verdict of a run is certain and nothing can follow, whatever the process still does.
 */
export type Standing = "opening" | "working" | "answered" | "background" | "resting" | "ended"

/** A decoded line → its outputs; changes the decoder's state. `json` is undefined for a line that was read at a glance. */
export type Step<Wire, Output> = (wire: Wire, json: unknown) => ReadonlyArray<Output>

/** The session that a line belongs to. */
export interface LineSession {
  /** Session of the main thread. */
  readonly sessionId?: string
  /** The CLI continues in another session, because the caller asked it to (such as `/clear`). */
  readonly mayChange?: boolean
}

/** A line read from its text, without parsing it as JSON: its wire form and, where lines name one, its session. */
export interface Glance<Wire> extends LineSession {
  readonly wire: Wire
}

/** Undefined for a line that is to be parsed. */
export type GlanceAt<Wire> = (text: string) => Glance<Wire> | undefined

/** The stages of a line, JSON → wire form → outputs, and the glance that replaces the first for frequent lines. */
export type Stages<Output> = <A>(
  use: <Wire>(wire: (json: unknown) => Wire, step: Step<Wire, Output>, glance?: GlanceAt<Wire>) => A
) => A

/** Reads the wire lines of one run. */
export interface Decoder {
  readonly stages: Stages<AgentEvent>
  readonly standing: () => Standing
  readonly report: () => RunReport
  /** Undefined while the CLI has not reported an outcome. */
  readonly verdict: (exit: ProcessExit | undefined) => Verdict | undefined
  /** The outcome of an answer that is whole (`answered`) and was followed by no report. */
  readonly settled: () => Verdict
}

/** The meaning of the lines of one CLI's runs; pure. `Wire` is the form of a line, `State` is kept from line to line. */
export interface LineReading<Wire, State> {
  /**
   * A line of stdout, parsed as JSON → its wire form, such as `wireDecoder(schema)`. If decoding fails, it is tried again
   * without the field at fault; a line that still fails becomes an `unknown` event.
   */
  readonly wire: Decode<Wire>
  /**
   * Reads frequent lines from their text, which costs less than parsing. Returns the wire form and the session of a line that
   * it knows to its last character, else undefined: that line is parsed. Pure. The result must mean the same as the parsed
   * line: the same events, the same `lineSession`. `step` gets it without `raw`. Default: all lines are parsed, as with
   * `REINS_GLANCE=0` in the host's environment.
   */
  readonly glance?: GlanceAt<Wire>
  /** The state before the first line of a run. */
  readonly start: (params: AgentExecuteParams) => State
  /** The state after a line, and the line's events. `raw` is the line as it came; undefined after a glance. */
  readonly step: (state: State, wire: Wire, raw: unknown) => readonly [State, ReadonlyArray<AgentEvent>]
  readonly standing: (state: State) => Standing
  readonly report: (state: State) => RunReport
  /**
   * The outcome of the run, as the CLI reports it. `exit` is set when the process has left: undefined then means `no_result`
   * with exit code 0, else `exited` or `killed`.
   */
  readonly verdict: (state: State, exit: ProcessExit | undefined) => Verdict | undefined
}

/** A decoder for CLIs without runs, whose lines are never read this way. */
export const unread: Decoder = {
  stages: (use) =>
    use(
      () => undefined,
      () => []
    ),
  standing: () => "working",
  report: () => ({}),
  verdict: () => undefined,
  settled: () => ({ _tag: "Success" })
}
