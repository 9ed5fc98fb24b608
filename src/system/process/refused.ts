/** The system's refusal to start a process → the failure reason that names the cause. */
import { delimiter } from "node:path"
import { Effect, type PlatformError } from "effect"
import { CommandLineTooLong, type FailureReason, InvalidParams, SpawnFailed } from "../../contract/AgentError.ts"
import { codeOf, errnoOf, explain, refusalOf } from "../../contract/errors/system.ts"
import { findCommand } from "./findCommand.ts"

export interface Refused {
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
  readonly workingDirectory: string
  /** The command was not found. */
  readonly notInstalled: () => FailureReason
}

const needsMore = "it is there, but not what it needs to run: the interpreter of its first line, or a loader"

/** The system reports the same for a script whose interpreter is missing. */
const notFound = Effect.fnUntraced(function* ({ command, env, notInstalled }: Refused) {
  const found = yield* findCommand(command, (env["PATH"] ?? "").split(delimiter))
  return yield* Effect.fail(found === undefined ? notInstalled() : new SpawnFailed({ command, problem: needsMore }))
})

export const refused = (options: Refused, error: PlatformError.PlatformError) => {
  const { command, workingDirectory } = options
  if (error.reason.module === "FileSystem") {
    const problem = `${JSON.stringify(workingDirectory)} cannot be entered: ${refusalOf(error)}`
    return Effect.fail(new InvalidParams({ option: "workingDirectory", problem }))
  }
  if (error.reason._tag === "NotFound") return notFound(options)
  const isForbidden = error.reason._tag === "PermissionDenied"
  const problem = isForbidden ? `it is no program that may be run: ${refusalOf(error)}` : refusalOf(error)
  return Effect.fail(new SpawnFailed({ command, problem, ...errnoOf(error) }))
}

/** Node throws some refusals of the system inside `spawn`; they would be defects (`@effect/platform-node` 4.1.0). */
export const refusedByThrowing = (options: Refused, defect: unknown): Effect.Effect<never, FailureReason> => {
  const { command, args, env, notInstalled } = options
  const code = codeOf(defect)
  if (code === undefined) return Effect.die(defect)
  if (code === "ENOTDIR") return Effect.fail(notInstalled())
  if (code !== "E2BIG") return Effect.fail(new SpawnFailed({ command, problem: explain(code), errno: code }))
  const bytes = [...args, ...Object.entries(env).flat()].reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  return Effect.fail(
    new CommandLineTooLong({ option: "all arguments and the environment", bytes, limitBytes: 2 ** 21 })
  )
}
