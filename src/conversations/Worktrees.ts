/**
 * The git worktrees of conversations: with this layer, `Sessions` lets a conversation work in one (`worktree` of its
 * parameters). Its parts are loaded with the first call.
 */
import { Context, Effect, Layer, type Scope } from "effect"
import type { Platform } from "../system/process/Platform.ts"
import { Store } from "./store/Store.ts"
import type { WorktreeEntry } from "./turns/WorktreeEntry.ts"
import type { WorktreeOperations } from "./worktrees/WorktreeOperations.ts"
import type { WorktreeViews } from "./worktrees/WorktreeViews.ts"

/** The worktrees of the conversations of a store, on this machine. */
export class Worktrees extends Context.Service<Worktrees, WorktreeOperations & WorktreeEntry & WorktreeViews>()(
  "reins/Worktrees"
) {
  /** Over the store of the context. */
  static readonly layer: Layer.Layer<Worktrees, never, Store | Platform> = Layer.effect(
    Worktrees,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const store = yield* Store
  const context = yield* Effect.context<Platform | Scope.Scope>()
  const loading = Effect.promise(() => import("./worktrees/makeWorktrees.ts"))
  const made = yield* Effect.cached(
    Effect.provideContext(
      Effect.flatMap(loading, ({ makeWorktrees }) => makeWorktrees(store)),
      context
    )
  )
  const service: Worktrees["Service"] = {
    list: Effect.flatMap(made, ({ list }) => list),
    changes: (worktree, options) => Effect.flatMap(made, ({ changes }) => changes(worktree, options)),
    apply: (worktree, options) => Effect.flatMap(made, ({ apply }) => apply(worktree, options)),
    commit: (worktree, options) => Effect.flatMap(made, ({ commit }) => commit(worktree, options)),
    discard: (worktree, options) => Effect.flatMap(made, ({ discard }) => discard(worktree, options)),
    remove: (worktree, options) => Effect.flatMap(made, ({ remove }) => remove(worktree, options)),
    leftovers: Effect.flatMap(made, ({ leftovers }) => leftovers),
    clean: Effect.flatMap(made, ({ clean }) => clean),
    placeOf: (conversation, directory) => Effect.flatMap(made, ({ placeOf }) => placeOf(conversation, directory)),
    diff: (worktree, request) => Effect.flatMap(made, ({ diff }) => diff(worktree, request)),
    enter: (request) => Effect.flatMap(made, ({ enter }) => enter(request))
  }
  return service
})
