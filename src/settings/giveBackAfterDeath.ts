/** Started by the reaper of a host that has died, with what that host had lent. What cannot be given back now waits. */
import { Effect, Schedule, Schema } from "effect"
import { HostEnvironment } from "../process/environment.ts"
import { Lent } from "./aftermath.ts"
import { recoverSettings } from "./recover.ts"

/** The kernel may still be closing what the host had open: its locks count as held until then. */
const patience = Schedule.spaced("200 millis").pipe(Schedule.upTo({ duration: "3 seconds" }))

const program = Effect.gen(function* () {
  const { stateHome, files } = yield* Schema.decodeUnknownEffect(Lent)(process.argv[2])
  const giveBack = ({ directory, path }: (typeof files)[number]) =>
    recoverSettings(directory, path).pipe(
      Effect.repeat({ schedule: patience, while: ({ activeRuns }) => activeRuns > 0 }),
      Effect.ignore
    )
  yield* Effect.forEach(files, giveBack).pipe(Effect.provideService(HostEnvironment, { XDG_STATE_HOME: stateHome }))
})

await Effect.runPromise(Effect.ignore(program))
