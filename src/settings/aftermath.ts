/**
 * That this host has changed settings files, for the case that it is killed: the reaper then starts the program beside
 * this file, which finds them by their journals and gives them back as the next run would.
 */
import { dirname, extname } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { setAftermath } from "../process/reaper.ts"

const program = fileURLToPath(new URL(`./giveBackAfterDeath${extname(import.meta.url)}`, import.meta.url))

/** The state directories of the leases, by their claims. */
const lent = new Map<string, string>()

/**
 * Where leases of one process name several state directories, only the last one is known to the reaper. It is told no
 * list of files: that would be told anew with each, and the system bounds the length of an argument.
 */
const tell = () => {
  const state = [...lent.values()].at(-1)
  setAftermath(state === undefined ? undefined : { program, argument: dirname(state) })
}

/** As long as the scope is open, what is in the state directory is given back when this host dies. */
export const giveBackAfterDeath = (claim: string, state: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      lent.set(claim, state)
      tell()
    }),
    () =>
      Effect.sync(() => {
        lent.delete(claim)
        tell()
      })
  )
