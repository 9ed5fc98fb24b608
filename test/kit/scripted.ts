/**
 * A scripted process instead of a real one: the test feeds its stdout, decides its exit and sees the signals it was
 * sent. With it a run needs no process, file or real clock, so that `TestClock` moves all of its time.
 */
import {
  type Cause,
  Context,
  Deferred,
  Duration,
  Effect,
  FileSystem,
  Layer,
  Option,
  Path,
  PlatformError,
  Queue,
  Sink,
  Stream
} from "effect"
import { ChildProcessSpawner } from "effect/process"
import { AgentRuntime } from "../../src/agents/AgentRuntime.ts"
import type { Cli } from "../../src/cli/Cli.ts"
import { claude } from "../../src/cli/claude/index.ts"
import type { AgentOptions } from "../../src/contract/AgentOptions.ts"

type Exit = { readonly code: number } | { readonly signal: string }

interface InPipe {
  readonly stdout?: string
  readonly stderr?: string
  /** Another process has this pipe, too: it stays open. */
  readonly held?: "stdout" | "stderr"
}

interface Call {
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly env: Readonly<Record<string, unknown>>
}

const directory: FileSystem.File.Info = {
  type: "Directory",
  mtime: Option.none(),
  atime: Option.none(),
  birthtime: Option.none(),
  dev: 0n,
  ino: Option.none(),
  mode: 0o755,
  nlink: Option.none(),
  uid: Option.none(),
  gid: Option.none(),
  rdev: Option.none(),
  size: 0n as FileSystem.File.Info["size"], // branded, and without a constructor
  blksize: Option.none(),
  blocks: Option.none()
}

export class Script extends Context.Service<
  Script,
  {
    /** Prints wire lines. */
    readonly say: (...lines: ReadonlyArray<unknown>) => Effect.Effect<void>
    /** Prints bytes or text as they are. */
    readonly print: (text: string | Uint8Array) => Effect.Effect<void>
    readonly warn: (text: string) => Effect.Effect<void>
    /** Ends its stdout and lives on. */
    readonly closeStdout: Effect.Effect<void>
    /**
     * Ends the process; its pipes close with it, but for a held one. What still stands in a pipe when the exit is told is read a moment
     * later.
     */
    readonly exit: (exit: Exit, inPipe?: InPipe) => Effect.Effect<void>
    readonly hasExited: () => boolean
    /** From now on only SIGKILL ends it. */
    readonly ignoreSignals: () => void
    readonly signals: ReadonlyArray<string>
    readonly calls: ReadonlyArray<Call>
    readonly stdin: () => string
  }
>()("test/Script") {}

/** As the Node spawner tells a death by signal (4.1.0). */
const killedBy = (signal: string) =>
  PlatformError.systemError({
    _tag: "Unknown",
    module: "ChildProcess",
    method: "exitCode",
    cause: new Error(`Process interrupted due to receipt of signal: '${signal}'`)
  })

const scripted = Effect.gen(function* () {
  const stdout = yield* Queue.unbounded<Uint8Array, Cause.Done>()
  const stderr = yield* Queue.unbounded<Uint8Array, Cause.Done>()
  const exited = yield* Deferred.make<ChildProcessSpawner.ExitCode, PlatformError.PlatformError>()
  const bytes = (text: string | Uint8Array) => (typeof text === "string" ? new TextEncoder().encode(text) : text)
  const signals: Array<string> = []
  const calls: Array<Call> = []
  let output = ""
  let isDeaf = false

  const takeStdin = (chunk: Uint8Array) =>
    Effect.sync(() => {
      output += new TextDecoder().decode(chunk)
    })

  const exit = (how: Exit, inPipe: InPipe = {}) =>
    Effect.gen(function* () {
      const reported = "code" in how ? Effect.succeed(ChildProcessSpawner.ExitCode(how.code)) : killedBy(how.signal)
      yield* Deferred.complete(exited, reported)
      for (const [name, queue] of [
        ["stdout", stdout],
        ["stderr", stderr]
      ] as const) {
        const rest = inPipe[name]
        if (rest !== undefined) yield* Effect.andThen(settled, Queue.offer(queue, bytes(rest)))
        if (name !== inPipe.held) yield* Queue.end(queue)
      }
    })

  const kill: ChildProcessSpawner.ChildProcessHandle["kill"] = (options) =>
    Effect.gen(function* () {
      if (yield* Deferred.isDone(exited)) return
      const signal = options?.killSignal ?? "SIGTERM"
      signals.push(signal)
      if (!isDeaf || signal === "SIGKILL") return yield* exit({ signal })
      yield* Effect.sleep(options?.forceKillAfter ?? Duration.infinity)
      signals.push("SIGKILL")
      yield* exit({ signal: "SIGKILL" })
    })

  const handle = ChildProcessSpawner.makeHandle({
    // No process of the kernel has a pid above 2 ** 22.
    pid: ChildProcessSpawner.ProcessId(2 ** 22 + 1),
    exitCode: Deferred.await(exited),
    isRunning: Effect.map(Deferred.isDone(exited), (isDone) => !isDone),
    kill,
    stdin: Sink.forEach(takeStdin),
    stdout: Stream.fromQueue(stdout),
    stderr: Stream.fromQueue(stderr),
    all: Stream.empty,
    getInputFd: () => Sink.drain,
    getOutputFd: () => Stream.empty,
    unref: Effect.succeed(Effect.void)
  })

  const spawner = ChildProcessSpawner.make((command) =>
    Effect.acquireRelease(
      Effect.sync(() => {
        if (command._tag === "StandardCommand") {
          const { args, options } = command
          calls.push({ command: command.command, args: args.map(String), env: options.env ?? {} })
        }
        return handle
      }),
      () => Effect.ignore(kill())
    )
  )

  const script = Script.of({
    say: (...lines) => script.print(lines.map((line) => `${JSON.stringify(line)}\n`).join("")),
    print: (text) => Effect.andThen(Queue.offer(stdout, bytes(text)), settled),
    warn: (text) => Effect.andThen(Queue.offer(stderr, bytes(text)), settled),
    closeStdout: Effect.andThen(Queue.end(stdout), settled),
    exit: (how, inPipe) => Effect.andThen(exit(how, inPipe), settled),
    hasExited: () => Deferred.isDoneUnsafe(exited),
    ignoreSignals: () => {
      isDeaf = true
    },
    signals,
    calls,
    stdin: () => output
  })
  return Context.make(Script, script).pipe(Context.add(ChildProcessSpawner.ChildProcessSpawner, spawner))
})

/** Lets every fiber that can go on do so: no clock and no file is in their way. */
export const settled = Effect.forEach(Array.from({ length: 40 }), () => Effect.yieldNow, { discard: true })

/** A file system in which every path is a directory that can be read, and which keeps nothing that is written. */
const Files = FileSystem.layerNoop({
  stat: () => Effect.succeed(directory),
  access: () => Effect.void,
  makeDirectory: () => Effect.void,
  writeFileString: () => Effect.void
})

/** `AgentRuntime` whose one run is the scripted process. */
export const scriptedLayer = (options: AgentOptions = {}, cli: Cli = claude) =>
  AgentRuntime.layer(cli, options).pipe(
    Layer.provideMerge(Layer.mergeAll(Layer.effectContext(scripted), Files, Path.layer))
  )
