/** An agent of the plain door, several agents, and the options to create one. */
import type { AgentEvent } from "./AgentEvent.ts"
import type { AgentModels, ModelsParams } from "./AgentModels.ts"
import type { PlainConversationOpenParamsOf, TurnParamsOf } from "./AgentOpenParams.ts"
import type { AcpOptions, AgentDefaults, AgentOptions } from "./AgentOptions.ts"
import type { AgentRunResult } from "./AgentRunResult.ts"
import type { PlainSeams } from "./PlainGate.ts"
import type { PlainSession } from "./PlainSession.ts"
import type { PlainStore } from "./PlainStore.ts"
import type {
  AgentEnd,
  EachOptions,
  FallbackAnswer,
  FallbackOptions,
  ParamsOfAgents,
  RaceAnswer,
  RaceOptions
} from "./SeveralAgents.ts"
import type { PlainTelemetryOptions } from "./Telemetry.ts"
import type { LedgerOptions } from "./Usage.ts"

/**
 * One agent for any number of runs and sessions, also concurrent ones. `Id`: the CLI whose parameters it takes, or
 * several: `PlainAgent<"codex">`, `PlainAgent<CliId>`; by default any.
 */
// biome-ignore lint/suspicious/noExplicitAny: no other type lets an agent of each CLI be assigned to `PlainAgent`
export interface PlainAgent<Id extends string = any> extends AsyncDisposable {
  /** The id of the CLI, such as `claude`; for an agent of the Agent Client Protocol the `id` of its options. */
  readonly cli: NameOf<Id>
  /** The `defaults` of its options, if there are any. */
  readonly defaults?: AgentDefaults | undefined
  /**
   * Each iteration is one run. Leaving the loop ends the process and waits until it is gone. A failure of the agent
   * does not throw: it is an `error` event, then `done`.
   */
  readonly execute: <Output = unknown>(params: TurnParamsOf<Id, Output>) => AsyncIterable<AgentEvent<Output>>
  /** The same run, for its result only; rejects with `AgentError` if the outcome is not `completed`. */
  readonly run: <Output = unknown>(
    params: TurnParamsOf<Id, Output>,
    options?: RunOptions
  ) => Promise<AgentRunResult<Output>>
  /** Opens a live session, ready for its first turn. Rejects with `AgentError` if it cannot be opened. */
  readonly open: (params?: PlainConversationOpenParamsOf<Id>) => Promise<PlainSession>
  /**
   * The models that the CLI lists, read anew each time, without asking a model. It has 60 s at most
   * (`timeouts.startup`, if that is shorter). `unlisted` where the CLI has no list. Rejects with `AgentError`.
   */
  readonly models: (params?: ModelsParams) => Promise<AgentModels>
  /** Ends all runs and sessions and waits until their processes are gone. Later runs and sessions end as `aborted`. */
  readonly close: () => Promise<void>
}

/** `string` where nothing more is known. */
type NameOf<Id extends string> = unknown extends Id ? string : Id extends "acp" ? string : Id

/** Options of a run that do not change it. */
export interface RunOptions {
  /** Called with each event as it arrives. An exception ends the run, which rejects with it. */
  readonly onEvent?: (event: AgentEvent) => void
}

/** The store of an agent's conversations and usage. The other options need the store. */
export interface Kept extends LedgerOptions {
  /** The store of conversations, sessions and usage, of `openStore`; runs then take `conversation`. Default: none. */
  readonly store?: PlainStore | undefined
}

/** Telemetry of an agent. */
export interface Traced {
  /** Your tracer and meter of OpenTelemetry, and the content that they get. Default: none, and nothing is traced. */
  readonly telemetry?: PlainTelemetryOptions | undefined
}

/** The options of `createAgent`. */
export interface CreateAgentOptions<Id extends string = string>
  extends Omit<AgentOptions, "defaults" | "telemetry">,
    PlainSeams,
    Kept,
    Traced {
  /**
   * Parameters of every run and live session, such as `model` and `workingDirectory`; those of a call override them.
   * Variables, MCP servers, time limits and `account` are merged by their names.
   */
  readonly defaults?: AgentDefaults<Id> | undefined
  /** Short for `timeouts.idle`, in milliseconds: how long the model may be silent. */
  readonly timeoutMs?: number
}

/** The options of `createAcpAgent`. */
export interface CreateAcpAgentOptions extends Omit<AcpOptions, "telemetry">, PlainSeams, Kept, Traced {}

/** Your own CLI: the value of `Cli.make` of the Effect door. */
export interface OwnCli {
  /** Its id in errors and events. */
  readonly id: string
  /** Params → how the process is started. */
  readonly plan: (...args: ReadonlyArray<never>) => unknown
  /** Reads the lines of a run. */
  readonly decoder: (...args: ReadonlyArray<never>) => unknown
  /** Commands, without the id that follows, by which a person resumes a session. */
  readonly resumeCommands?: ReadonlyArray<string>
}

/** Several agents by name. All methods reject with `AgentsError`. */
// biome-ignore lint/suspicious/noExplicitAny: as for `PlainAgent`
export interface PlainAgents<Name extends string = any, Id extends string = any> extends AsyncDisposable {
  /** In the order of the options. */
  readonly names: ReadonlyArray<Name>
  /** One of them, for runs and live sessions of its own. Throws for another name. */
  readonly get: (name: Name) => PlainAgent
  /**
   * Asks all agents at the same time: the first good answer; the others are ended. Agents that may change files need a
   * directory each, such as `worktrees: true`, or it rejects with `SharedDirectory`.
   */
  readonly race: <Output = unknown>(
    params: ParamsOfAgents<Name, Id, Output>,
    options?: RaceOptions<Name, Output>
  ) => Promise<RaceAnswer<Name, Output>>
  /** Asks all agents at the same time: the end of each, in their order, failures included. Directories as for `race`. */
  readonly each: <Output = unknown>(
    params: ParamsOfAgents<Name, Id, Output>,
    options?: EachOptions<Name>
  ) => Promise<ReadonlyArray<AgentEnd<Name, Output>>>
  /** Asks the first agent; the next one only if it is not installed, not signed in or out of quota, before output. */
  readonly fallback: <Output = unknown>(
    params: ParamsOfAgents<Name, Id, Output>,
    options?: FallbackOptions<Name>
  ) => Promise<FallbackAnswer<Name, Output>>
  /** Closes all of the agents, and waits until nothing of them is left. */
  readonly close: () => Promise<void>
}
