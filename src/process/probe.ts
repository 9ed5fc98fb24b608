/** Where a command is, and what it prints when asked something small such as `--version`. */
import { type Duration, Effect, Option, Stream } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { findCommand } from "./findCommand.ts"

export interface Probe {
  /** Undefined when no directory has it. */
  readonly path: string | undefined
  /** Undefined when it could not be run, failed or took too long. */
  readonly stdout: string | undefined
}

export interface ProbeOptions {
  readonly command: string
  readonly args: ReadonlyArray<string>
  /** Where to look for a command without a slash, the first place first. */
  readonly directories: ReadonlyArray<string>
  readonly timeout: Duration.Input
}

/** An answer longer than this is none. */
const longestAnswer = 10_000

export const probe = Effect.fnUntraced(function* (options: ProbeOptions) {
  const path = yield* findCommand(options.command, options.directories)
  if (path === undefined) return { path, stdout: undefined } satisfies Probe
  const stdout = yield* ask(path, options.args).pipe(Effect.timeoutOption(options.timeout), Effect.option)
  return { path, stdout: Option.getOrUndefined(Option.flatten(stdout)) } satisfies Probe
})

const ask = Effect.fnUntraced(function* (path: string, args: ReadonlyArray<string>) {
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const command = ChildProcess.make(path, args, { stdin: "ignore", stderr: "ignore", forceKillAfter: "1 second" })
  const handle = yield* spawner.spawn(command)
  const answer = yield* handle.stdout.pipe(
    Stream.decodeText(),
    Stream.runFold(
      () => "",
      (text, piece) => (text + piece).slice(0, longestAnswer)
    )
  )
  const code = yield* handle.exitCode
  return code === 0 ? answer : yield* Effect.fail("failed" as const)
}, Effect.scoped)
