/** The cluster for plain callers: an agent whose runs and sessions are in the homes of their conversations. */
import { Context, Effect, Exit, Layer, Scope, Semaphore, Stream } from "effect"
import { AgentRuntime } from "../agents/AgentRuntime.ts"
import { withOutput } from "../agents/answers/answering.ts"
import { failedRun } from "../agents/engine/result.ts"
import { warnings } from "../api/promise/Errors.ts"
import { errorOfNothing, makePlainAgent } from "../api/promise/plainAgent.ts"
import { type FailureReason, StoreUnavailable, UnsupportedOption } from "../contract/AgentError.ts"
import type { TurnParams } from "../contract/AgentOpenParams.ts"
import type { CliId } from "../contract/CliSupport.ts"
import type { PlainAgent } from "../contract/PlainAgent.ts"
import type { MaybeSecret } from "../contract/Redacted.ts"
import { Sessions } from "../conversations/Sessions.ts"
import { storeFailure } from "../conversations/store/problems.ts"
import { Store } from "../conversations/store/Store.ts"
import { type ClusterClientOptions, layerClusteredSessions } from "./ClusteredSessions.ts"

export interface ClusterAgentOptions extends Omit<ClusterClientOptions, "cli" | "database"> {
  /** The URL of the database of the cluster. */
  readonly database: MaybeSecret
  /** The CLI to run. Default: `claude`. */
  readonly cli?: CliId | undefined
}

/** Opens with the first call; after a failure the next call retries. */
const openSessions = (cli: string, options: ClusterAgentOptions) =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const opening = Semaphore.makeUnsafe(1)
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
    return opening.withPermit(Effect.suspend(() => (opened === undefined ? open : Effect.succeed(opened))))
  })

const runtime = (cli: string, options: ClusterAgentOptions) =>
  Layer.effect(
    AgentRuntime,
    Effect.gen(function* () {
      const sessions = yield* openSessions(cli, options)
      const ready = Effect.mapError(sessions, (reason) => errorOfNothing(cli, reason))
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
        models: () => Effect.fail(errorOfNothing(cli, new UnsupportedOption({ option: "models", cli: "a cluster" })))
      })
    })
  )

/**
 * An agent whose conversations are in the homes of a cluster: `run`, `execute` and `open` take `conversation`. Refuses
 * functions and secrets by name, since they cannot be sent to another machine. Close it at the end.
 */
export const clusterAgent = ({ cli = "claude", ...options }: ClusterAgentOptions): PlainAgent =>
  makePlainAgent(cli, Layer.provide(runtime(cli, options), warnings), undefined, true)
