/** Leftovers of worktrees, for `reins doctor`; without worktrees the store is not opened. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import type { Configuration } from "../../contract/Configuration.ts"
import { Worktrees } from "../../conversations/Worktrees.ts"
import { findStateDirectory } from "../../system/locks/stateDirectory.ts"
import { oneLine } from "../format.ts"
import { configuredStore } from "../store.ts"
import { leftoverText } from "../worktrees/leftoverText.ts"

/** As sentences. Empty if the store cannot be opened: another line of the report says so. */
export const examineWorktrees = (configuration: Configuration) =>
  Effect.gen(function* () {
    const folder = join(yield* findStateDirectory, "worktrees")
    if (!existsSync(folder)) return []
    const found = yield* Effect.provide(
      Effect.flatMap(Worktrees, ({ leftovers }) => leftovers),
      Layer.provide(Worktrees.layer, configuredStore(configuration))
    )
    return found.map(({ kind, path, name }) => leftoverText(kind, oneLine(name ?? path)))
  }).pipe(Effect.orElseSucceed((): ReadonlyArray<string> => []))
