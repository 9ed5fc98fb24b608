/**
 * The only file that starts a process. Own process group, no shell; stdout and stderr are read at once and to the end,
 * before the first byte of stdin is written. When the scope closes, the group is gone (SIGTERM, grace, SIGKILL), and so
 * is what had left the group.
 */
import { type Duration, Effect, Fiber, FiberSet, type PlatformError, Stream } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import type { ProcessExit } from "../contract/AgentRunResult.ts"
import { makeBoundedText } from "./boundedText.ts"
import { sweep, trackDescendants } from "./descendants.ts"
import { Host } from "./host.ts"
import { makeInbox } from "./inbox.ts"
import { type ReadPipe, spawnPiped } from "./pipes.ts"
import type { Redactor } from "./redactor.ts"
import { type Refused, refused, refusedByThrowing } from "./refused.ts"
import { stopGroup } from "./stopGroup.ts"

export interface LaunchOptions extends Refused {
  /** Value of the marker in `env`. */
  readonly runId: string
  /** Written as it comes; then stdin is closed. */
  readonly stdin: Stream.Stream<string>
  readonly stopSignal: "SIGTERM" | "SIGINT"
  readonly killGrace: Duration.Input
  /** For what is told of stderr. */
  readonly redactor: Redactor
}

export interface RunProcess {
  readonly pid: number
  /** What it prints, for one reader. Ends with the pipe, or where `finished` gives up waiting for that. */
  readonly stdout: Stream.Stream<Uint8Array>
  /** Runs the reader of stdout until that ends: at the end of the scope it has what a stopped process printed last. */
  readonly forkReader: <E>(reader: Effect.Effect<void, E>) => Effect.Effect<Fiber.Fiber<void, E>>
  /** Its output may still stand in the pipes. */
  readonly exit: Effect.Effect<ProcessExit>
  /**
   * The exit, after stdout and stderr were read. A grandchild can keep them open: silence is their end then, or two
   * seconds are.
   */
  readonly finished: Effect.Effect<ProcessExit>
  /** All that it had printed by now was read; a process that goes on printing is waited for two seconds. */
  readonly caughtUp: Effect.Effect<void>
  readonly stderr: () => string
  /** Ends the process group: stop signal, grace, SIGKILL. Returns when the process is gone. */
  readonly stop: (grace: Duration.Input) => Effect.Effect<void>
}

/** Node names the signal only in the text of the cause (`@effect/platform-node` 4.1.0). */
const exitOf = (error: PlatformError.PlatformError): ProcessExit => {
  const cause = error.reason.cause
  const text = cause instanceof Error ? cause.message : String(cause)
  return { signal: /\bSIG[A-Z0-9]+\b/.exec(text)?.[0] ?? "unknown" }
}

/** What was read of stdout and stderr so far. */
interface Reads {
  all: number
  /** Of less than there was room for: nothing more stood in the pipe. */
  short: number
}

/** Node reads this much at a time. */
const fullRead = 64 * 1024

/** Returns when nothing was read twice in a row: between two timers everything that had arrived is read. */
const quiet = Effect.fnUntraced(function* (reads: Reads) {
  let silences = 0
  while (silences < 2) {
    const before = reads.all
    yield* Effect.sleep("100 millis")
    silences = reads.all === before ? silences + 1 : 0
  }
})

/** Turns of the event loop in which something that stands in a pipe begins to be read. */
const turns = Effect.forEach([1, 2, 3, 4], () => Effect.yieldNow, { discard: true })

/** A host that was held up finds more than one read in its pipes. */
const caughtUp = Effect.fnUntraced(function* (reads: Reads) {
  const before = reads.all
  yield* turns
  if (reads.all !== before) yield* Effect.raceFirst(quiet(reads), Effect.sleep("2 seconds"))
})

/** More than a pipe and the buffer behind it hold of what was printed before the exit (208 KiB on Linux, and 64). */
const pipeful = 16

/**
 * Who goes on printing is not waited for; but what stood in the pipe is read, however long a busy host takes for it. A
 * first short read can be of what had been read before.
 */
const enough = Effect.fnUntraced(function* (reads: Reads) {
  const { all, short } = { ...reads }
  yield* Effect.sleep("2 seconds")
  while (reads.short < short + 2 && reads.all < all + pipeful) yield* Effect.sleep("100 millis")
})

export const launch = Effect.fnUntraced(function* (options: LaunchOptions) {
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const command = ChildProcess.make(options.command, options.args, {
    cwd: options.workingDirectory,
    env: options.env,
    stdin: "pipe",
    killSignal: options.stopSignal,
    // Whoever is left then has had its grace.
    forceKillAfter: 0
  })
  const { reaper } = yield* Host
  yield* Effect.sync(reaper.ensure)
  const { follow, look } = yield* trackDescendants(options.runId)
  const inbox = makeInbox()
  const readers = yield* FiberSet.make<void, unknown>()
  const pipes = yield* FiberSet.make<void>()
  const atMost = (fibers: FiberSet.FiberSet<void, unknown>, time: Duration.Input) =>
    Effect.raceFirst(FiberSet.awaitEmpty(fibers), Effect.sleep(time))
  // Until everything that held the pipes is gone: Node never closes a pipe in which something stands unread.
  yield* Effect.addFinalizer(() =>
    Effect.andThen(
      atMost(pipes, "1 second"),
      Effect.suspend(() => {
        inbox.end()
        return atMost(readers, "1 second")
      })
    )
  )
  // Acquired before the process, so that it comes after the end of its group.
  yield* Effect.addFinalizer(() => sweep(options.runId, look))
  const { handle, readStdout, readStderr } = yield* spawnPiped(spawner, command).pipe(
    Effect.catchDefect((defect) => refusedByThrowing(options, defect)),
    Effect.catchTag("PlatformError", (error) => refused(options, error))
  )
  let isStopped = false
  const stop = (grace: Duration.Input) =>
    Effect.tap(stopGroup(handle, { signal: options.stopSignal, grace }), () => {
      isStopped = true
      return Effect.void
    })
  // The spawner's own end of the group, which follows, measures its grace by the date.
  yield* Effect.addFinalizer(() => (isStopped ? Effect.void : stop(options.killGrace)))
  yield* Effect.forkScoped(follow(handle.pid), { startImmediately: true })
  // The last moment in which everything is seen: the process itself lives, unless it has left by itself.
  yield* Effect.addFinalizer(() => look)
  const stderr = makeBoundedText()
  const reads: Reads = { all: 0, short: 0 }
  const read = (pipe: ReadPipe, onChunk: (chunk: Uint8Array) => void) =>
    FiberSet.run(
      pipes,
      pipe((chunk) => {
        reads.all += 1
        if (chunk.length < fullRead) reads.short += 1
        onChunk(chunk)
      }),
      { startImmediately: true }
    )
  const stderrReader = yield* read(readStderr, stderr.push)
  const stdoutReader = yield* read(
    (onChunk) => Effect.ensuring(readStdout(onChunk), Effect.sync(inbox.end)),
    inbox.push
  )
  // A child that does not read its stdin, or leaves before, is no failure of ours (EPIPE).
  yield* options.stdin.pipe(
    Stream.encodeText,
    Stream.run(handle.stdin),
    Effect.ignore,
    Effect.forkScoped({ startImmediately: true })
  )
  const exit: Effect.Effect<ProcessExit> = Effect.match(handle.exitCode, {
    onFailure: exitOf,
    onSuccess: (code) => ({ code })
  })
  const drained = Effect.raceAllFirst([
    Effect.asVoid(Fiber.awaitAll([stderrReader, stdoutReader])),
    quiet(reads),
    enough(reads)
  ])
  const process: RunProcess = {
    pid: handle.pid,
    stdout: inbox.stream,
    forkReader: (reader) => FiberSet.run(readers, reader, { startImmediately: true }),
    exit,
    finished: Effect.tap(exit, () => Effect.tap(drained, () => Effect.sync(inbox.end))),
    caughtUp: caughtUp(reads),
    stderr: () => stderr.text(options.redactor),
    stop: (grace) => Effect.andThen(look, stop(grace))
  }
  return process
})
