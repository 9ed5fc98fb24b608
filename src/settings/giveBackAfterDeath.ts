/**
 * Started by the reaper of a host that has died, with what stands in for `XDG_STATE_HOME`: gives back what the journals
 * there tell of, however much it is. What living runs need stays, and what cannot be given back now waits.
 */
import { Effect, Schedule } from "effect"
import { HostEnvironment } from "../process/environment.ts"
import { recoverSettings } from "./recover.ts"
import { journalsLeft } from "./store.ts"

/** The kernel may still be closing what the host had open: its locks count as held until then. */
const patience = Schedule.spaced("200 millis").pipe(Schedule.upTo({ duration: "3 seconds" }))

/** Those of other hosts that live are waited for in vain: not one after the other. */
const concurrency = 16

const giveBack = ({ directory, path }: { readonly directory: string; readonly path: ReadonlyArray<string> }) =>
  recoverSettings(directory, path).pipe(
    Effect.repeat({ schedule: patience, while: ({ activeRuns }) => activeRuns > 0 }),
    Effect.ignore
  )

const program = Effect.flatMap(journalsLeft, Effect.forEach(giveBack, { concurrency, discard: true })).pipe(
  Effect.provideService(HostEnvironment, { XDG_STATE_HOME: process.argv[2] ?? "" })
)

await Effect.runPromise(Effect.ignore(program))
