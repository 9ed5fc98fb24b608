/**
 * Which settings files this host has changed, for the case that it is killed: the reaper then starts the program beside
 * this file, which gives them back as the next run would.
 */
import { dirname, extname } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect, Schema } from "effect"
import { setAftermath } from "../process/reaper.ts"
import type { Place } from "./place.ts"

/** The program's only argument. */
export const Lent = Schema.fromJsonString(
  Schema.Struct({
    /** What stands in for `XDG_STATE_HOME`. */
    stateHome: Schema.String,
    files: Schema.Array(Schema.Struct({ directory: Schema.String, path: Schema.Array(Schema.String) }))
  })
)

const encode = Schema.encodeSync(Lent)
const program = fileURLToPath(new URL(`./giveBackAfterDeath${extname(import.meta.url)}`, import.meta.url))

interface Entry {
  readonly place: Place
  readonly state: string
}

const lent = new Map<string, Entry>()

/** Where leases of one process name several state directories, only those of the last one are known to the reaper. */
const tell = () => {
  const last = [...lent.values()].at(-1)
  if (last === undefined) return setAftermath(undefined)
  const entries = [...lent.values()].filter(({ state }) => state === last.state)
  const files = new Map(entries.map(({ place: { key, directory, path } }) => [key, { directory, path }]))
  setAftermath({ program, argument: encode({ stateHome: dirname(last.state), files: [...files.values()] }) })
}

/** As long as the scope is open, the file is given back when this host dies. */
export const giveBackAfterDeath = (claim: string, place: Place, state: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      lent.set(claim, { place, state })
      tell()
    }),
    () =>
      Effect.sync(() => {
        lent.delete(claim)
        tell()
      })
  )
