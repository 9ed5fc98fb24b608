/**
 * Loads a rarely needed module of this library. If the host cannot open more files, the session fails, and the next one
 * tries again.
 */
import { Effect } from "effect"
import { SpawnFailed } from "../../contract/AgentError.ts"
import { codeOf, explain } from "../../contract/errors/system.ts"

export const loadPart = <Part>(command: string, load: () => Promise<Part>): Effect.Effect<Part, SpawnFailed> =>
  Effect.catch(
    Effect.tryPromise({ try: load, catch: (error) => error }),
    (error): Effect.Effect<never, SpawnFailed> => {
      const errno = codeOf(error)
      if (errno === undefined) return Effect.die(error)
      return Effect.fail(new SpawnFailed({ command, problem: `its tools cannot be offered: ${explain(errno)}`, errno }))
    }
  )
