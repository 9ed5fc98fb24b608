/** Writes what a plan keeps off the command line into a directory of the run that only its owner can read. */
import { Effect, FileSystem, Path } from "effect"
import { type FailureReason, SpawnFailed } from "../AgentError.ts"
import type { Argument } from "../cli/Cli.ts"

/** The arguments as the process gets them. The files live as long as the scope. */
export const materialize = Effect.fnUntraced(
  function* (args: ReadonlyArray<Argument>) {
    if (args.every((argument) => argument.file === undefined)) return args.map((argument) => argument.text)
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const directory = yield* fs.makeTempDirectoryScoped({ prefix: "reins-" })
    yield* fs.chmod(directory, 0o700)
    return yield* Effect.forEach(args, ({ text, file }) => {
      if (file === undefined) return Effect.succeed(text)
      const target = path.join(directory, file.name)
      return Effect.as(fs.writeFileString(target, file.content, { mode: 0o600, flag: "wx" }), `${text}${target}`)
    })
  },
  Effect.mapError(
    (error): FailureReason =>
      new SpawnFailed({ command: "private files", problem: `${error.reason._tag} in the temporary directory` })
  )
)
