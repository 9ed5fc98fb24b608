/** Program of a dead host's reaper, with `XDG_STATE_HOME`: restores all files that no living run needs changed. */
import { Effect, Schedule } from "effect"
import { HostEnvironment } from "../process/HostEnvironment.ts"
import { recoverSettings } from "./recover.ts"
import { journalsLeft } from "./store.ts"

/** The locks of the dead host count as held until the kernel has closed its files. */
const retries = Schedule.spaced("200 millis").pipe(Schedule.upTo({ duration: "3 seconds" }))
/** Files of other, living hosts use up all retries: they are not waited for one after the other. */
const concurrency = 16

const restore = ({ directory, path }: { readonly directory: string; readonly path: ReadonlyArray<string> }) =>
  recoverSettings(directory, path).pipe(
    Effect.repeat({ schedule: retries, while: ({ activeRuns }) => activeRuns > 0 }),
    Effect.ignore
  )

const program = Effect.flatMap(journalsLeft, Effect.forEach(restore, { concurrency, discard: true })).pipe(
  Effect.provideService(HostEnvironment, { XDG_STATE_HOME: process.argv[2] ?? "" })
)

await Effect.runPromise(Effect.ignore(program))
