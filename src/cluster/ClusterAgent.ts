/** The cluster for plain callers: an agent like any other, whose runs and sessions are in the homes of their conversations. */
import { Context, Effect, Exit, Layer, Scope, Semaphore, Stream } from "effect"
import { AgentRuntime } from "../agents/AgentRuntime.ts"
import { withOutput } from "../agents/answers/answering.ts"
import { failedRun, resultOfNothing } from "../agents/engine/result.ts"
import { warnings } from "../api/promise/Errors.ts"
import { makePlainAgent } from "../api/promise/plainAgent.ts"
import { AgentError, type FailureReason, StoreUnavailable, UnsupportedOption } from "../contract/AgentError.ts"
import type { CliId } from "../contract/CliId.ts"
import type { PlainAgent } from "../contract/PlainAgent.ts"
import type { MaybeSecret } from "../contract/Redacted.ts"
import type { TurnParams } from "../contract/TurnParams.ts"
import { Sessions } from "../conversations/Sessions.ts"
import { Store } from "../conversations/store/Store.ts"
import { storeFailure } from "../conversations/store/storeFailure.ts"
import { type ClusterClientOptions, layerClusteredSessions } from "./ClusteredSessions.ts"

/** How an agent of a cluster is reached. */
export interface ClusterAgentOptions extends Omit<ClusterClientOptions, "cli" | "database"> {
  /** The URL of the database of the cluster. */
  readonly database: MaybeSecret
  /** The CLI that is asked. Default: `claude`. */
  readonly cli?: CliId | undefined
}

/** Opened by the first call; one that fails is tried again by the next. */
const opening = (cli: string, options: ClusterAgentOptions) =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const once = Semaphore.makeUnsafe(1)
    let opened: Sessions["Service"] | undefined
    const open = Effect.gen(function* () {
      const own = yield* Scope.fork(scope)
      const layer = layerClusteredSessions({ ...options, cli }).pipe(
        Layer.provide(Store.layerPostgres({ url: options.database }))
      )
      const context = yield* Effect.onError(Scope.provide(Layer.build(layer), own), (cause) =>
        Scope.close(own, Exit.failCause(cause))
      )
      opened = Context.get(context, Sessions)
      return opened
    }).pipe(
      Effect.mapError(
        (error): FailureReason =>
          error._tag === "StoreError" ? storeFailure(error) : new StoreUnavailable({ problem: error.message })
      )
    )
    return once.withPermit(Effect.suspend(() => (opened === undefined ? open : Effect.succeed(opened))))
  })

const runtime = (cli: string, options: ClusterAgentOptions) =>
  Layer.effect(
    AgentRuntime,
    Effect.gen(function* () {
      const sessions = yield* opening(cli, options)
      const refused = (reason: FailureReason) =>
        new AgentError({ cli, reason, result: resultOfNothing(reason), hadOutput: false })
      const ready = Effect.mapError(sessions, refused)
      return AgentRuntime.of({
        cli,
        run: (params, input) => Effect.flatMap(ready, ({ run }) => run(params, input)),
        execute: <Output>(params: TurnParams<Output>) =>
          Stream.unwrap(
            Effect.match(sessions, {
              onFailure: (reason) => withOutput<Output>(undefined, Stream.fromIterable(failedRun(reason))),
              onSuccess: ({ execute }) => execute(params)
            })
          ),
        open: (params) => Effect.flatMap(ready, ({ open }) => open(params)),
        models: () => Effect.fail(refused(new UnsupportedOption({ option: "models", cli: "a cluster" })))
      })
    })
  )

/**
 * An agent whose conversations are in the homes of a cluster: `run`, `execute` and `open` as of any other, with `conversation`
 * in their parameters. What cannot be sent to another machine is refused by name: functions, and secrets. Close it at the end.
 */
export const clusterAgent = ({ cli = "claude", ...options }: ClusterAgentOptions): PlainAgent =>
  makePlainAgent(cli, Layer.provide(runtime(cli, options), warnings), undefined, true)
