/**
 * The service behind both doors. What happens in a run is told in `engine/supervise.ts`, what one prompt makes of it in
 * `run/`, what a conversation does in `session/`.
 */
import { Context, Effect, Layer, type Scope, type Stream } from "effect"
import type { Cli } from "../cli/Cli.ts"
import type { AgentError } from "../contract/AgentError.ts"
import type { AgentEvent } from "../contract/AgentEvent.ts"
import type { AgentExecuteParams } from "../contract/AgentExecuteParams.ts"
import type { AgentModels, ModelsParams } from "../contract/AgentModels.ts"
import type { AgentOpenParams } from "../contract/AgentOpenParams.ts"
import type { AgentDefaults, AgentOptions, Limits } from "../contract/AgentOptions.ts"
import type { AgentRunResult } from "../contract/AgentRunResult.ts"
import type { AgentSession } from "../contract/AgentSession.ts"
import { failingAtCall } from "../contract/errors/callSite.ts"
import type { RunOptions } from "../contract/PlainAgent.ts"
import { untraced } from "../contract/untraced.ts"
import type { Platform } from "../system/process/Platform.ts"
import { makeLifetimes } from "./engine/lifetimes.ts"
import { listModels } from "./models.ts"
import { methodsOf } from "./run/methods.ts"
import { openRun } from "./run/runTask.ts"
import { openLive } from "./session/openLive.ts"
import { runsOfSessions } from "./session/runsOfSessions.ts"
import { traced } from "./telemetry/traced.ts"

/** The options that a CLI takes; all others are refused. */
export interface Supports {
  readonly runs: ReadonlySet<string>
  /** Undefined for a CLI without live sessions: `open` fails. */
  readonly sessions: ReadonlySet<string> | undefined
}

/** Runs prompts with one CLI. Runs are independent and can be concurrent. */
export class AgentRuntime extends Context.Service<
  AgentRuntime,
  {
    /** The id of the CLI, such as `claude`. */
    readonly cli: string
    /** Names of the options that its runs and its live sessions take. Default: every option. */
    readonly supports?: Supports | undefined
    /** The agent's `defaults`, if it has any. */
    readonly defaults?: AgentDefaults | undefined
    /** The agent's `limits`, if it has any. */
    readonly limits?: Limits | undefined
    /**
     * The events of one run, `done` last. Never fails: a failure is an `error` event before `done`. Leaving the stream
     * ends the process; so does `params.abortSignal`.
     */
    readonly execute: <Output = unknown>(params: AgentExecuteParams<Output>) => Stream.Stream<AgentEvent<Output>>
    /**
     * The same run, for its result only; fails with the reason if the outcome is not `completed`. `onEvent` is called with
     * each event as it comes; what it throws is a defect, and ends the run.
     */
    readonly run: <Output = unknown>(
      params: AgentExecuteParams<Output>,
      options?: RunOptions
    ) => Effect.Effect<AgentRunResult<Output>, AgentError>
    /** Opens a live session, ready for its first turn. Closing the scope ends it, and waits until nothing of it is left. */
    readonly open: (params?: AgentOpenParams) => Effect.Effect<AgentSession, AgentError, Scope.Scope>
    /**
     * The models that the CLI lists, asked anew each time, in a process of its own that asks no model. It has 60 s at
     * most (`timeouts.startup`, if that is shorter). `unlisted` where the CLI has no list.
     */
    readonly models: (params?: ModelsParams) => Effect.Effect<AgentModels, AgentError>
  }
>()("reins/AgentRuntime") {
  static readonly layer = (cli: Cli, options: AgentOptions = {}): Layer.Layer<AgentRuntime, never, Platform> =>
    Layer.effect(AgentRuntime, make(cli, options))
}

const make = Effect.fn(...untraced("AgentRuntime.make"))(function* (cli: Cli, options: AgentOptions) {
  const lifetimes = yield* makeLifetimes(cli.id, yield* Effect.context<Platform>(), traced(cli, options.telemetry))
  const openSession = (params: AgentOpenParams = {}) => openLive({ cli, options, input: params, lifetimes })
  const methods =
    cli.isLiveOnly === true ? runsOfSessions(cli, openSession) : methodsOf(cli, openRun(cli, options, lifetimes))
  const open = (params?: AgentOpenParams) => Effect.map(openSession(params), ({ session }) => session)
  const models = (params: ModelsParams = {}) => listModels({ cli, options, input: params, lifetimes })
  return {
    ...methods,
    supports: { runs: cli.supports, sessions: cli.live?.supports },
    defaults: options.defaults,
    limits: options.limits,
    models: failingAtCall(models),
    run: failingAtCall(methods.run),
    open: failingAtCall(open)
  }
})
