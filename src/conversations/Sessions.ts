/** Lasting conversations over one agent and a store, which survive restarts. The parts are loaded with the layer. */
import { Context, Effect, Layer, Option, type Scope, type Stream } from "effect"
import { AgentRuntime } from "../agents/AgentRuntime.ts"
import type { Cli } from "../cli/Cli.ts"
import { clis } from "../cli/clis.ts"
import type { AgentError } from "../contract/AgentError.ts"
import type { AgentEvent } from "../contract/AgentEvent.ts"
import type { ConversationOpenParams, TurnParams } from "../contract/AgentOpenParams.ts"
import type { AgentRunResult } from "../contract/AgentRunResult.ts"
import type { AgentSession } from "../contract/AgentSession.ts"
import { failingAtCall } from "../contract/errors/callSite.ts"
import type { RunOptions } from "../contract/PlainAgent.ts"
import type { History } from "./history/History.ts"
import { historyOf } from "./SessionHistory.ts"
import { Store } from "./store/Store.ts"
import { Worktrees } from "./Worktrees.ts"

/** The sessions of one agent, in a store, and what `SessionHistory` does with all that are there. */
export class Sessions extends Context.Service<
  Sessions,
  History & {
    /**
     * Continues the conversation, or begins it; its turns run one after the other, also among processes. Without a
     * conversation it is an ordinary run whose session is kept in the store. Fails like `run` of `AgentRuntime`.
     */
    readonly run: <Output = unknown>(
      params: TurnParams<Output>,
      options?: RunOptions
    ) => Effect.Effect<AgentRunResult<Output>, AgentError>
    /** The same as events, `done` last. Never fails: a failure is an `error` event before `done`. */
    readonly execute: <Output = unknown>(params: TurnParams<Output>) => Stream.Stream<AgentEvent<Output>>
    /** Opens a live session that holds the conversation until the scope closes, or until it is idle and others wait. */
    readonly open: (params?: ConversationOpenParams) => Effect.Effect<AgentSession, AgentError, Scope.Scope>
  }
>()("reins/Sessions") {
  /** Over the agent and the store of the context. With `Worktrees` in it, conversations can have worktrees. */
  static readonly layer: Layer.Layer<Sessions, never, AgentRuntime | Store> = Layer.effect(
    Sessions,
    Effect.suspend(() => make)
  )
}

/** A CLI of the application's own can fork, until asked. */
export const factsOf = (id: string) => {
  const cli: Cli | undefined = Object.entries(clis).find(([known]) => known === id)?.[1]
  return { canFork: cli?.supports.has("forkSession") ?? true, isBoundToDirectory: cli?.resumesElsewhere === false }
}

const make: Effect.Effect<Sessions["Service"], never, AgentRuntime | Store | Scope.Scope> = Effect.gen(function* () {
  const agent = yield* AgentRuntime
  const store = yield* Store
  const { makeSessions } = yield* Effect.promise(() => import("./turns/makeSessions.ts"))
  const worktrees = Option.getOrUndefined(yield* Effect.serviceOption(Worktrees))
  const { run, execute, open } = yield* makeSessions({ agent, facts: factsOf(agent.cli), store, worktrees })
  return { ...(yield* historyOf(store, worktrees)), run: failingAtCall(run), execute, open: failingAtCall(open) }
})
