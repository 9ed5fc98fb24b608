/**
 * Restores settings files when this host is killed: the reaper then starts `restoreProgram`, which finds the changed files
 * by their journals and restores them as the next run would.
 */
import { dirname, extname } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { setAftermath } from "../process/reaper.ts"

const program = fileURLToPath(new URL(`./restoreProgram${extname(import.meta.url)}`, import.meta.url))

/** The state directories of open leases, by the ids of their claims. */
const leased = new Map<string, string>()

/**
 * The reaper gets one state directory, the latest where leases of this process use several; not a list of files, which
 * would change with each lease and could exceed the system's limit for an argument.
 */
const updateReaper = () => {
  const state = [...leased.values()].at(-1)
  setAftermath(state === undefined ? undefined : { program, argument: dirname(state) })
}

/** As long as the scope is open, the files of the state directory's journals are restored when this host dies. */
export const restoreAfterDeath = (claim: string, state: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      leased.set(claim, state)
      updateReaper()
    }),
    () =>
      Effect.sync(() => {
        leased.delete(claim)
        updateReaper()
      })
  )
