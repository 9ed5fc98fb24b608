/**
 * What one process prints, read at once and to the end. The end of its pipes alone cannot say that all was read: a
 * grandchild can keep them open, and a busy host has read less than what stands in them.
 */
import { type Duration, Effect, type Fiber, FiberSet, type Stream } from "effect"
import { makeBoundedText } from "./boundedText.ts"
import { makeInbox } from "./inbox.ts"
import type { Piped, ReadPipe } from "./pipes.ts"
import type { Redactor } from "./redactor.ts"

export interface Output {
  /** For one reader. Ends with the pipe, or where `drained` gives up waiting for that. */
  readonly stdout: Stream.Stream<Uint8Array>
  /** Head and tail of it so far. */
  readonly stderr: (redactor: Redactor) => string
  /** Runs the reader of stdout to its end, also while the scope closes: a stopped process is heard to its last words. */
  readonly forkReader: <E>(reader: Effect.Effect<void, E>) => Effect.Effect<Fiber.Fiber<void, E>>
  /** To be called once, when the process was started. */
  readonly read: (piped: Piped) => Effect.Effect<void>
  /**
   * For a process that has exited: all that it printed was read. Where another process keeps the pipes open, that is
   * after a silence; where it goes on printing, after two seconds and what stood in the pipes at the exit.
   */
  readonly drained: Effect.Effect<void>
  /** All that had arrived before was read; a process that goes on printing is waited for two seconds. */
  readonly caughtUp: Effect.Effect<void>
}

/** Node reads this much at a time; behind a shorter read nothing more stood in the pipe. */
const fullRead = 64 * 1024

/** Reads: more than a pipe holds (208 KiB on Linux). */
const pipeful = 16

/** Turns of the event loop in which what stands in a pipe begins to be read. */
const turns = Effect.forEach([1, 2, 3, 4], () => Effect.yieldNow, { discard: true })

const within = (time: Duration.Input, work: Effect.Effect<void>) => Effect.raceFirst(work, Effect.sleep(time))

/** Before the process: its scope closes after the process is gone, and waits up to a second for its pipes to close. */
export const makeOutput = Effect.gen(function* () {
  const inbox = makeInbox()
  const stderr = makeBoundedText()
  const readers = yield* FiberSet.make<void, unknown>()
  const pipes = yield* FiberSet.make<void>()
  let reads = 0
  let shortReads = 0

  const endOfStdout = Effect.sync(inbox.end)
  yield* Effect.addFinalizer(() => within("1 second", FiberSet.awaitEmpty(readers)))
  yield* Effect.addFinalizer(() => Effect.andThen(within("1 second", FiberSet.awaitEmpty(pipes)), endOfStdout))

  const readPipe = (pipe: ReadPipe, push: (chunk: Uint8Array) => void) =>
    pipe((chunk) => {
      reads += 1
      if (chunk.length < fullRead) shortReads += 1
      push(chunk)
    })

  /** Nothing was read twice in a row: between two timers everything that has arrived is read. */
  const quiet = Effect.gen(function* () {
    let silences = 0
    while (silences < 2) {
      const before = reads
      yield* Effect.sleep("100 millis")
      silences = reads === before ? silences + 1 : 0
    }
  })

  const enough = Effect.gen(function* () {
    const before = { reads, shortReads }
    yield* Effect.sleep("2 seconds")
    // A first short read can be of what had been read before.
    while (shortReads < before.shortReads + 2 && reads < before.reads + pipeful) yield* Effect.sleep("100 millis")
  })

  const output: Output = {
    stdout: inbox.stream,
    stderr: stderr.text,
    forkReader: (reader) => FiberSet.run(readers, reader, { startImmediately: true }),
    read: Effect.fnUntraced(function* ({ readStdout, readStderr }) {
      const stdoutRead = Effect.ensuring(readPipe(readStdout, inbox.push), endOfStdout)
      for (const pipe of [readPipe(readStderr, stderr.push), stdoutRead]) {
        yield* FiberSet.run(pipes, pipe, { startImmediately: true })
      }
    }),
    drained: Effect.andThen(Effect.raceAllFirst([FiberSet.awaitEmpty(pipes), quiet, enough]), endOfStdout),
    caughtUp: Effect.gen(function* () {
      const before = reads
      yield* turns
      // A host that was held up finds more than one read in its pipes.
      if (reads !== before) yield* within("2 seconds", quiet)
    })
  }
  return output
})
