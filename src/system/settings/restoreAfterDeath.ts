/**
 * Restores settings files when this host is killed: the reaper then starts `restoreProgram`, which finds the changed files
 * by their journals and restores them as the next run would.
 */
import { dirname } from "node:path"
import { Effect } from "effect"
import { Host } from "../process/host.ts"
import { ownProgram } from "../process/packageFile.ts"

/**
 * As long as the scope is open, the files of the state directory's journals are restored when this host dies. Of several
 * state directories only the latest is known to the reaper; it gets no list of files, which would change with each lease
 * and could exceed the system's limit for an argument. An application's own bundle has no such program: the next run
 * restores them.
 */
export const restoreAfterDeath = (state: string) =>
  Effect.flatMap(Host, ({ reaper }) => {
    const program = ownProgram("system/settings/restoreProgram")
    if (program === undefined) return Effect.void
    return Effect.acquireRelease(
      Effect.sync(() => reaper.afterDeath({ program, argument: dirname(state) })),
      (callOff) => Effect.sync(callOff)
    )
  })
