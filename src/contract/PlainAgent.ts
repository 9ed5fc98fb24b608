/** An agent of the plain door, and the options to create one. */

import type { AgentEvent } from "./AgentEvent.ts"
import type { AgentModels, ModelsParams } from "./AgentModels.ts"
import type { AcpOptions, AgentDefaults, AgentOptions } from "./AgentOptions.ts"
import type { AgentRunResult } from "./AgentRunResult.ts"
import type { PlainSeams } from "./PlainGate.ts"
import type { PlainSession } from "./PlainSession.ts"
import type { PlainStore } from "./PlainStore.ts"
import type { PlainTelemetryOptions } from "./Telemetry.ts"
import type { PlainConversationOpenParamsOf, TurnParamsOf } from "./TurnParams.ts"
import type { LedgerOptions } from "./Usage.ts"

/**
 * One agent for any number of runs and sessions, also concurrent ones. `Id` is the CLI whose parameters it takes:
 * `PlainAgent<"codex">`, or one of several: `PlainAgent<CliId>`. `PlainAgent` alone is any agent.
 */
// biome-ignore lint/suspicious/noExplicitAny: no other type lets an agent of each CLI be assigned to `PlainAgent`
export interface PlainAgent<Id extends string = any> extends AsyncDisposable {
  /** The id of the CLI, such as `claude`; for an agent of the Agent Client Protocol the `id` of its options. */
  readonly cli: NameOf<Id>
  /** The `defaults` of its options, if there are any. */
  readonly defaults?: AgentDefaults | undefined
  /**
   * Each iteration is one run. Leaving the loop ends the process and waits until it is gone. A failure of the agent does
   * not throw: it is an `error` event, then `done`.
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
   * The models that the CLI lists, read anew each time, in a process of its own that asks no model. It has 60 s at most
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
  /**
   * The store of its conversations, its sessions and its usage, of `openStore`. With it, runs and live sessions take
   * `conversation`. Default: none, and nothing is remembered.
   */
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
}
