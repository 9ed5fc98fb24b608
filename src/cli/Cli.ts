/**
 * The shape every CLI fills, and how an application adds one of its own. A CLI is a value: how it is called (pure), what
 * its lines mean (a step over a small state) and some facts. `AgentRuntime.layer(cli)` and `createAgent(cli)` take it.
 */
import type { Duration, Result } from "effect"
import type { FailureReason } from "../contract/AgentError.ts"
import type { AgentExecuteParams, PermissionMode } from "../contract/AgentExecuteParams.ts"
import type { AgentOptions } from "../contract/AgentOptions.ts"
import type { AttachmentKind } from "../contract/Attachment.ts"
import type { CliTelemetry, Plan, PlanContext, ProgramFacts, TelemetryTarget } from "../contract/Plan.ts"
import type { Contract } from "./contract.ts"
import type { Decoder, LineReading, LineSession } from "./Decoder.ts"
import type { Live } from "./Live.ts"
import type { ModelsQuestion } from "./Models.ts"
import type { Stored } from "./Stored.ts"
import { makeDecoder } from "./wireDecoder.ts"

export { type AttachmentKind, base64Of, type LoadedAttachment, textOf } from "../contract/Attachment.ts"
export {
  type Argument,
  type CliTelemetry,
  type Plan,
  type PlanContext,
  type PlanFile,
  type ProgramFacts,
  runMarker,
  type SettingsPatch,
  type TelemetryTarget
} from "../contract/Plan.ts"
export type { Decision, Offer, PermissionAsk } from "../contract/Rule.ts"
export type * from "./Decoder.ts"
export type * from "./Live.ts"
export type { Decode } from "./lenient.ts"
export type { ModelsDialogue, ModelsQuestion, ModelsStep } from "./Models.ts"
export type * from "./Stored.ts"
export { wireDecoder } from "./wireDecoder.ts"

/** A CLI as a value: its facts, how it is started, and how the lines of a run are read. */
export interface Cli extends CliFacts {
  readonly plan: (
    params: AgentExecuteParams,
    options: AgentOptions,
    context: PlanContext
  ) => Result.Result<Plan, FailureReason>
  readonly decoder: (params: AgentExecuteParams) => Decoder
}

/** The answer of a program to a short question. */
export interface CommandAnswer {
  readonly exitCode: number
  readonly stdout: string
}

/** A command of the CLI that reports whether it is signed in, without asking a model. */
export interface SignInCheck {
  readonly args: ReadonlyArray<string>
  /** Undefined where the answer leaves it open. */
  readonly read: (answer: CommandAnswer) => boolean | undefined
  /** Who pays, of one that is signed in; undefined where the answer leaves it open. */
  readonly billing?: (answer: CommandAnswer) => "subscription" | "api-key" | undefined
}

/** The usage that lines of a CLI report: `all` of a run, all but that of sub-agents (`main`), or only a `part`. */
export type ReportedUsage = "all" | "main" | "part"

export interface CliFacts extends ProgramFacts {
  /** The version of `Cli` that this value was made for; a version that this package does not take is refused. Default: 1. */
  readonly contract?: Contract
  /** Names the CLI in errors, events and locks. Lower case; not the id of another CLI. */
  readonly id: string
  /** The program's usual name on PATH. */
  readonly command: string
  /** The version that this value was built for and tested with. */
  readonly testedVersion: string
  /** The oldest version that is known to work. */
  readonly oldestVersion?: string
  /** The damage below the oldest version, for people; a part of a sentence. */
  readonly belowOldest?: string
  /** The command that installs it, for messages. A version may follow behind `@`. */
  readonly install: string
  /** Other commands of its makers that install it: a script, or a package manager's. */
  readonly otherInstalls?: ReadonlyArray<string>
  /** How to sign in, for messages; a part of a sentence. */
  readonly signIn: string
  /** Commands, without the id that follows, by which a person resumes a session; the first is shown, all are read. */
  readonly resumeCommands?: ReadonlyArray<string>
  /** Absent where the CLI cannot report it. */
  readonly signInCheck?: SignInCheck
  /** The signal that asks the process to leave. Default: SIGTERM. */
  readonly stopSignal: "SIGTERM" | "SIGINT"
  /** The watchdog's `idle` budget: longer than the CLI's own recovery from a silent server. Default and minimum: 5 minutes. */
  readonly idle: Duration.Input
  /** The watchdog's `startup` budget. Default: 60 s. */
  readonly startup?: Duration.Input
  /** Path of the settings file that its plans extend, from the working directory. */
  readonly settingsPath?: ReadonlyArray<string>
  /** The OpenTelemetry GenAI name of its provider, such as `anthropic`. Default: the part of a model before `/`. */
  readonly provider?: string
  /** Makes the CLI export its own spans; absent if unsupported. */
  readonly telemetry?: (target: TelemetryTarget) => CliTelemetry
  /** Whether the `authSource` of a `session` event means that an API key pays. Default: never. */
  readonly paysByApiKey: (authSource: string) => boolean
  /**
   * The permission mode that allows no less than the `permissionMode` of a `session` event; undefined for an unknown word.
   * Default: the words of the CLI are not understood.
   */
  readonly reportedMode?: (permissionMode: string) => PermissionMode | undefined
  /** The first of a wrapper's arguments that changes what the agent may do unasked, without its value. */
  readonly looseArgument?: (args: ReadonlyArray<string>) => string | undefined
  /** Kinds of `attachments` that runs and live turns take. Default: none. */
  readonly attachments?: ReadonlySet<AttachmentKind>
  /** Options that `plan` honours, beside those of every CLI; any other fails with `UnsupportedOption`. */
  readonly supports: ReadonlySet<keyof AgentExecuteParams>
  /** The session of a line decoded from JSON, where `session` events alone do not show it. */
  readonly lineSession?: (line: unknown) => LineSession | undefined
  /** Whether a message of the CLI reports that another process writes to this session. Default: never. */
  readonly refusesBusy?: (message: string, sessionId: string) => boolean
  /** Lists its models; absent if unsupported. */
  readonly models?: ModelsQuestion
  /** Live sessions; absent if unsupported. */
  readonly live?: Live
  /** It has only live sessions: a run is a session of one turn. */
  readonly isLiveOnly?: boolean
  /**
   * Whether it can resume a session in another directory than its first one. If false, such a session is refused before
   * anything is started. Default: true.
   */
  readonly resumesElsewhere?: boolean
  /**
   * The usage that lines of runs and live sessions report. At the end of a run or turn the rest is read from the CLI's own
   * files, by the `usage` of `stored`. Default: nothing is read.
   */
  readonly reportsUsage?: { readonly run: ReportedUsage; readonly live: ReportedUsage }
  /** Loads the form of the CLI's own session files, so that all of its sessions can be listed. Default: unknown. */
  readonly stored?: () => Promise<Stored>
}

/** Facts that a definition may leave out. */
const defaults = {
  stopSignal: "SIGTERM",
  idle: "5 minutes",
  sessionMarkers: [],
  apiKeys: [],
  paysByApiKey: () => false
} as const satisfies Partial<CliFacts>
type Defaulted = keyof typeof defaults

/** The argument of `make`: facts and pure functions. `Wire` is the form of a line, `State` is kept from line to line. */
export interface CliDefinition<Wire, State>
  extends Omit<CliFacts, Defaulted>,
    Partial<Pick<CliFacts, Defaulted>>,
    LineReading<Wire, State> {
  /** Params → how the process is started. Pure: it may be called more than once. */
  readonly plan: Cli["plan"]
}

/** Closes over `Wire` and `State`, so that all CLIs have one type. */
export const make = <Wire, State>(definition: CliDefinition<Wire, State>): Cli => ({
  ...defaults,
  ...definition,
  decoder: (params) => makeDecoder(definition, params)
})
