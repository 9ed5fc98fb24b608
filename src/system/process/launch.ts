/**
 * The only file that starts a process: own group, no shell, stdout and stderr read to the end before stdin is written.
 * When the scope has closed, the group is gone (stop signal, grace, SIGKILL), and so are descendants outside of it.
 */
import { delimiter } from "node:path"
import { Deferred, type Duration, Effect, Fiber, type PlatformError } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { CommandLineTooLong, type FailureReason, InvalidParams, SpawnFailed } from "../../contract/AgentError.ts"
import type { ProcessExit } from "../../contract/AgentRunResult.ts"
import { codeOf, errnoOf, explain, refusalOf } from "../../contract/errors/system.ts"
import { sweep, trackDescendants } from "./descendants.ts"
import { findCommand } from "./findCommand.ts"
import { warnFirstProcess } from "./firstProcess.ts"
import { Host } from "./host.ts"
import { makeOutput, type Output } from "./output.ts"
import { type Piped, spawnPiped } from "./pipes.ts"
import type { Redactor } from "./redactor.ts"
import type { Stdin } from "./stdin.ts"
import { stopGroup } from "./stopGroup.ts"

/** The system's refusal to start a process → the failure reason that names the cause. */
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

const refused = (options: Refused, error: PlatformError.PlatformError) => {
  const { command, workingDirectory } = options
  if (error.reason.module === "FileSystem") {
    const problem = `${JSON.stringify(workingDirectory)} cannot be entered: ${refusalOf(error)}`
    return Effect.fail(new InvalidParams({ option: "workingDirectory", problem }))
  }
  if (error.reason._tag === "NotFound") return notFound(options)
  const isForbidden = error.reason._tag === "PermissionDenied"
  const problem = isForbidden ? `it is not a program that may be run: ${refusalOf(error)}` : refusalOf(error)
  return Effect.fail(new SpawnFailed({ command, problem, ...errnoOf(error) }))
}

/** Node throws some refusals of the system inside `spawn`; they would be defects (`@effect/platform-node` 4.1.0). */
const refusedByThrowing = (options: Refused, defect: unknown): Effect.Effect<never, FailureReason> => {
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

export interface LaunchOptions extends Refused {
  /** Value of the marker in `env`. */
  readonly runId: string
  readonly stdin: Stdin
  readonly stopSignal: "SIGTERM" | "SIGINT"
  readonly killGrace: Duration.Input
  /** For the text of stderr. */
  readonly redactor: Redactor
}

export interface RunProcess extends Pick<Output, "stdout" | "forkReader" | "caughtUp">, Pick<Piped, "exit"> {
  readonly pid: number
  /** The exit, once its output was read: see `Output.drained` for pipes that another process keeps open. */
  readonly finished: Effect.Effect<ProcessExit>
  readonly stderr: () => string
  /** Ends the process group: stop signal, grace, SIGKILL. Returns when the process is gone. */
  readonly stop: (grace: Duration.Input) => Effect.Effect<void>
}

export const launch = Effect.fnUntraced(function* (options: LaunchOptions) {
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const command = ChildProcess.make(options.command, options.args, {
    cwd: options.workingDirectory,
    env: options.env,
    stdin: "pipe",
    killSignal: options.stopSignal,
    // The grace is over by then: see `stop`.
    forceKillAfter: 0
  })
  const { reaper } = yield* Host
  yield* warnFirstProcess
  reaper.ensure()
  const { follow, look } = yield* trackDescendants(options.runId)
  const output = makeOutput()
  // Acquired before the process, so that it runs after the end of its group.
  yield* Effect.addFinalizer(() => Effect.ensuring(sweep(options.runId, look), output.close))
  const piped = yield* spawnPiped(spawner, command).pipe(
    Effect.catchDefect((defect) => refusedByThrowing(options, defect)),
    Effect.catchTag("PlatformError", (error) => refused(options, error))
  )
  output.read(piped)
  const { handle, exit } = piped
  let isStopped = false
  const stop = Effect.fnUntraced(function* (grace: Duration.Input) {
    const isGone = yield* stopGroup(handle, { signal: options.stopSignal, grace })
    isStopped = true
    // Else the spawner's own finalizer would signal a group that is gone: two errors with their stacks for each run.
    if (isGone) yield* Effect.ignore(handle.unref)
  })
  // Before the finalizer below, which runs first: descendants are followed until the process is gone.
  yield* Effect.forkScoped(
    follow(handle.pid, () => Deferred.isDoneUnsafe(exit)),
    { startImmediately: true }
  )
  let closeStdin = () => {}
  // Before the spawner's own finalizer, which measures its grace by the date.
  yield* Effect.addFinalizer(() => {
    closeStdin()
    const stopped = Effect.suspend(() => (isStopped ? Effect.void : stop(options.killGrace)))
    // The last moment at which all descendants are seen: the process is still alive, unless it exited by itself.
    return Effect.ensuring(look, stopped)
  })
  closeStdin = piped.writeStdin(options.stdin)
  // Ends stdout after the exit, also if another process keeps the pipe open.
  const finishing = yield* Effect.forkScoped(
    Effect.tap(Deferred.await(exit), () => output.drained),
    { startImmediately: true }
  )
  const process: RunProcess = {
    ...output,
    pid: handle.pid,
    exit,
    finished: Fiber.join(finishing),
    stderr: () => output.stderr(options.redactor),
    stop: (grace) => Effect.andThen(look, stop(grace))
  }
  return process
})
