/**
 * The shape every CLI fills, and how an application adds one of its own. A CLI is a value: how it is called (pure), what
 * its lines mean (a step over a small state) and some facts. `make` closes over its `Wire` and `State`, so that all
 * values have one type, and `AgentRuntime.layer(cli)` and `createAgent(cli)` take it as they take those of Reins.
 */
import { type Duration, Result, type Schema } from "effect"
import type { FailureReason } from "../contract/AgentError.ts"
import type { AgentEvent } from "../contract/AgentEvent.ts"
import type { AgentExecuteParams, PermissionMode } from "../contract/AgentExecuteParams.ts"
import type { AgentOptions } from "../contract/AgentOptions.ts"
import type { ProcessExit } from "../contract/AgentRunResult.ts"
import type { Plan, PlanContext } from "../contract/Plan.ts"
import { checkedDecoder } from "./checkedDecoder.ts"
import type { Decoder, RunReport, Standing, Step, Verdict } from "./Decoder.ts"
import type { Live } from "./Live.ts"
import { decodeLeniently } from "./lenient.ts"

export type { Decision, Offer, PermissionAsk } from "../contract/Ask.ts"
export {
  type Argument,
  type Plan,
  type PlanContext,
  type PlanFile,
  runMarker,
  type SettingsPatch
} from "../contract/Plan.ts"
export type * from "./Decoder.ts"
export type * from "./Live.ts"
export { wireDecoder } from "./wireDecoder.ts"

/** What a line says of the session it belongs to. */
export interface LineSession {
  /** Of the main thread. */
  readonly sessionId?: string
  /** The CLI goes on in another session, because the caller told it to. */
  readonly mayChange?: boolean
}

export interface Cli extends CliFacts {
  readonly plan: (
    params: AgentExecuteParams,
    options: AgentOptions,
    context: PlanContext
  ) => Result.Result<Plan, FailureReason>
  readonly decoder: (params: AgentExecuteParams) => Decoder
}

export interface SignInCheck {
  readonly args: ReadonlyArray<string>
  /** Undefined where the answer does not say. */
  readonly read: (answer: { readonly exitCode: number; readonly stdout: string }) => boolean | undefined
}

export interface CliFacts {
  readonly id: string
  /** The program's usual name on PATH. */
  readonly command: string
  /** The version whose facts this value was built and tested on. */
  readonly testedVersion: string
  /** The oldest version that is known to work; absent where none is known. */
  readonly oldestVersion?: string
  /** What goes wrong below the oldest version, for people; a part of a sentence. */
  readonly belowOldest?: string
  readonly install: string
  readonly signIn: string
  /** How the CLI itself tells, without asking a model, whether it is signed in; absent where it cannot. */
  readonly signInCheck?: SignInCheck
  readonly stopSignal: "SIGTERM" | "SIGINT"
  /** Default for the watchdog's `idle`: longer than the CLI's own recovery from a silent server. */
  readonly idle: Duration.Input
  /** Default for the watchdog's `startup`, where 60 s are not enough. */
  readonly startup?: Duration.Input
  /**
   * Where the real program can be, given the real path of a command that may be a wrapper around it; the first that is
   * there is started. Platform and architecture are Node's words.
   */
  readonly nativeCommands?: (wrapper: string, platform: string, arch: string) => ReadonlyArray<string>
  /** The settings file that its plans extend, from the working directory on. */
  readonly settingsPath?: ReadonlyArray<string>
  /** Variables with which an enclosing session of this CLI marks what it starts. */
  readonly sessionMarkers: ReadonlyArray<string>
  /** Variables that make the CLI pay by API key. */
  readonly apiKeys: ReadonlyArray<string>
  /** Others that the CLI itself reads: the default allow-list has them. */
  readonly variables?: ReadonlyArray<string>
  /** Whether the `authSource` of a `session` event means that an API key pays. */
  readonly paysByApiKey: (authSource: string) => boolean
  /**
   * The mode in our words that allows no less than the `permissionMode` of a `session` event; undefined for a word that is
   * not known. Absent: such words say nothing.
   */
  readonly reportedMode?: (permissionMode: string) => PermissionMode | undefined
  /** The first of a wrapper's arguments, without its value, that changes what the agent may do unasked. */
  readonly looseArgument?: (args: ReadonlyArray<string>) => string | undefined
  readonly supports: ReadonlySet<keyof AgentExecuteParams>
  /** Where its `session` events do not say all: what a line, decoded from JSON, says of its session. */
  readonly lineSession?: (line: unknown) => LineSession | undefined
  /** How it holds a live session. */
  readonly live?: Live
  /** It has nothing else: a run is a session of one turn. */
  readonly isLiveOnly?: boolean
}

/** The facts that need not be given: SIGTERM, 5 minutes, no variables, never by API key. */
const defaults = {
  stopSignal: "SIGTERM",
  idle: "5 minutes",
  sessionMarkers: [],
  apiKeys: [],
  paysByApiKey: () => false
} as const satisfies Partial<CliFacts>
type Defaulted = keyof typeof defaults

export interface CliDefinition<Wire, State> extends Omit<CliFacts, Defaulted>, Partial<Pick<CliFacts, Defaulted>> {
  /** Params → how the process is started. Pure: it may be called more than once, and touches nothing. */
  readonly plan: Cli["plan"]
  /**
   * A line of stdout, decoded from JSON → what it says. A line that fails is given as an `unknown` event; a field of a
   * wrong type is left out before that.
   */
  readonly wire: (json: unknown) => Result.Result<Wire, Schema.SchemaError>
  /** The state before the first line of a run. */
  readonly start: (params: AgentExecuteParams) => State
  /** The state after a line, and the line's events. `raw` is the line as it came. */
  readonly step: (state: State, wire: Wire, raw: unknown) => readonly [State, ReadonlyArray<AgentEvent>]
  readonly standing: (state: State) => Standing
  readonly report: (state: State) => RunReport
  /**
   * Undefined while the CLI has not said how the run came out. `exit` is given when the process has left: undefined then
   * means `no_result` with exit code 0, else `exited` or `killed`.
   */
  readonly verdict: (state: State, exit: ProcessExit | undefined) => Verdict | undefined
}

/** A CLI as a value. */
export const make = <Wire, State>(definition: CliDefinition<Wire, State>): Cli => {
  const decode = decodeLeniently(definition.wire)
  const decoder: Cli["decoder"] = (params) => {
    let state = definition.start(params)
    const step: Step<Result.Result<Wire, Schema.SchemaError>, AgentEvent> = (wire, json) => {
      if (Result.isFailure(wire)) return [{ type: "unknown", raw: json }]
      const [next, events] = definition.step(state, wire.success, json)
      state = next
      return events
    }
    const decoder: Decoder = {
      stages: (use) => use(decode, step),
      standing: () => definition.standing(state),
      report: () => definition.report(state),
      verdict: (exit) => definition.verdict(state, exit)
    }
    return params.outputSchema === undefined ? decoder : checkedDecoder(decoder, params.outputSchema)
  }
  return { ...defaults, ...definition, decoder }
}
