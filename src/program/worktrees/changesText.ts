/** `/changes` of a chat: acts on the worktree of its conversation, and says in a few lines what is there or was done. */
import { Context, Effect, Layer } from "effect"
import type { StoreError } from "../../contract/StoreError.ts"
import { untraced } from "../../contract/untraced.ts"
import type { OpenStore } from "../../conversations/store/OpenStore.ts"
import { Store } from "../../conversations/store/Store.ts"
import { Worktrees } from "../../conversations/Worktrees.ts"
import type { ChangeAction } from "../chat/typedCommands.ts"
import { inFlags } from "../flagNames.ts"
import { actionLines, changeLines, fileRows, totalOf } from "./changeLines.ts"

const plainSurface = { live: false, columns: 80 }

const act = Effect.fn(...untraced("ChangesText.act"))(function* (
  name: string,
  action: ChangeAction | undefined,
  message: string
) {
  const worktrees = yield* Worktrees
  const ref = { conversation: name }
  switch (action) {
    case "apply": {
      const files = yield* worktrees.apply(ref)
      if (files.length === 0) return "nothing to apply: the working tree has all of it"
      return [`applied: ${totalOf(files)}, not committed`, ...fileRows(files, plainSurface)].join("\n")
    }
    case "commit": {
      const commit = yield* worktrees.commit(ref, { message })
      return commit === undefined
        ? "nothing to commit: its branch has all of it"
        : `committed as ${commit.slice(0, 12)}`
    }
    case "discard":
      return `discarded; git keeps the files as ${(yield* worktrees.discard(ref)).slice(0, 12)}`
    case undefined: {
      const changes = yield* worktrees.changes(ref)
      const actions = actionLines(changes, (each) => `/changes ${each}`)
      return changeLines(changes, plainSurface, actions).join("\n")
    }
  }
})

/** Never fails: a failure is its text. */
export const changesText = (
  name: string,
  action: ChangeAction | undefined,
  message: string,
  store: Effect.Effect<OpenStore, StoreError>
) =>
  Effect.gen(function* () {
    const context = yield* Layer.build(Layer.provide(Worktrees.layer, Layer.effect(Store, store)))
    return yield* Effect.provideService(act(name, action, message), Worktrees, Context.get(context, Worktrees))
  }).pipe(
    Effect.scoped,
    Effect.catch((error) =>
      Effect.succeed(
        error.reason._tag === "UnknownWorktree"
          ? "this conversation has no worktree: begin one with reins chat --worktree"
          : `${inFlags(error.message)}\n${inFlags(error.help)}`
      )
    )
  )
