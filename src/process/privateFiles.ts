/** Writes the files that a plan keeps off the command line into a directory that only its owner can read. */
import { dirname } from "node:path"
import { Effect, FileSystem, Path } from "effect"
import { type FailureReason, SpawnFailed } from "../contract/AgentError.ts"
import type { Plan } from "../contract/Plan.ts"
import { errnoOf, refusalOf } from "../errors/system.ts"
import { Host } from "./host.ts"

/** The directory and its files exist as long as the scope. None is made for a plan without files. */
export const writePrivateFiles = Effect.fnUntraced(
  function* (directory: string, { files, directories = [] }: Pick<Plan, "files" | "directories">) {
    if (files.length === 0 && directories.length === 0) return
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    // A run may wait before it starts its process, and the host may be killed meanwhile.
    const { reaper } = yield* Host
    yield* Effect.sync(reaper.ensure)
    yield* Effect.acquireRelease(fs.makeDirectory(directory, { mode: 0o700 }), () =>
      Effect.ignore(fs.remove(directory, { recursive: true, force: true }))
    )
    yield* Effect.forEach(directories, (name) => fs.makeDirectory(path.join(directory, name), { mode: 0o700 }))
    yield* Effect.forEach(files, ({ name, content }) =>
      fs.writeFileString(path.join(directory, name), content, { mode: 0o600, flag: "wx" })
    )
  },
  (written, directory) =>
    Effect.mapError(written, (error): FailureReason => {
      const problem = `${refusalOf(error)}, in the temporary directory ${JSON.stringify(dirname(directory))}`
      return new SpawnFailed({ command: "the run's private files", problem, ...errnoOf(error) })
    })
)
