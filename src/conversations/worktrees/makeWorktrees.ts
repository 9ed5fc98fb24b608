/** Body of the service `Worktrees`. */
import { Effect } from "effect"
import { untraced } from "../../contract/untraced.ts"
import type { Platform } from "../../system/process/Platform.ts"
import { makeNameLocks } from "../store/nameLocks.ts"
import type { OpenStore } from "../store/OpenStore.ts"
import { conversationKey } from "../turns/conversationKey.ts"
import type { WorktreeEntry } from "../turns/WorktreeEntry.ts"
import {
  applyWorktree,
  commitWorktree,
  discardWorktree,
  readChanges,
  readDiff,
  removeWorktreeOf
} from "./changeWorktrees.ts"
import { enterWorktree, findPlace } from "./enterWorktree.ts"
import { cleanLeftovers, findLeftovers } from "./leftovers.ts"
import type { WorktreeContext } from "./openWorktree.ts"
import { asWorktreeError } from "./problems.ts"
import type { WorktreeOperations } from "./WorktreeOperations.ts"
import type { WorktreeViews } from "./WorktreeViews.ts"
import { allWorktrees, infoOfWorktree } from "./worktreeRows.ts"

export const makeWorktrees = Effect.fn(...untraced("Worktrees.makeWorktrees"))(function* (store: OpenStore) {
  const platform = yield* Effect.context<Platform>()
  const context: WorktreeContext = { store, turns: yield* makeNameLocks(store, "turn") }
  const here = <A, E>(work: Effect.Effect<A, E, Platform>) => Effect.provideContext(work, platform)
  const worktrees: WorktreeOperations & WorktreeEntry & WorktreeViews = {
    list: asWorktreeError(Effect.map(allWorktrees(store), (rows) => rows.map(infoOfWorktree))),
    changes: (ref, options) => here(asWorktreeError(readChanges(context, ref, options))),
    apply: (ref, options) => here(asWorktreeError(applyWorktree(context, ref, options))),
    commit: (ref, options) => here(asWorktreeError(commitWorktree(context, ref, options))),
    discard: (ref, options) => here(asWorktreeError(discardWorktree(context, ref, options))),
    remove: (ref, options) => here(asWorktreeError(removeWorktreeOf(context, ref, options))),
    leftovers: here(asWorktreeError(findLeftovers(context))),
    clean: here(asWorktreeError(cleanLeftovers(context))),
    placeOf: (conversation, directory) =>
      here(
        asWorktreeError(
          Effect.flatMap(Effect.fromResult(conversationKey(conversation)), (key) => findPlace(context, key, directory))
        )
      ),
    diff: (ref, request) => here(asWorktreeError(readDiff(context, ref, request))),
    enter: (request) =>
      here(
        asWorktreeError(
          Effect.map(enterWorktree(context, request), (entered) =>
            entered === undefined ? undefined : { ...entered, save: here(entered.save) }
          )
        )
      )
  }
  return worktrees
})
