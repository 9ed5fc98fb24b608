/** The output of one process, read to the end, which is not that of its pipes: a grandchild can keep them open. */
import { Deferred, type Duration, Effect, Fiber, type Stream } from "effect"
import { stripControls } from "../../contract/text/harmless.ts"
import { makeInbox } from "./inbox.ts"
import type { Piped, ReadPipe } from "./pipes.ts"
import type { Redactor } from "./redactor.ts"

/** Keeps the head and the tail of stderr: the cause is at either end. */
export interface BoundedText {
  readonly push: (chunk: Uint8Array) => void
  /** Head, a mark for what is left out, tail; without secrets, ANSI sequences and control characters. */
  readonly text: (redactor: Redactor) => string
}

export const makeBoundedText = (headLength = 4_096, tailLength = 12_288): BoundedText => {
  const decoder = new TextDecoder()
  let head = ""
  let tail = ""
  let dropped = 0
  return {
    push: (chunk) => {
      const text = decoder.decode(chunk, { stream: true })
      const room = headLength - head.length
      head += text.slice(0, room)
      const rest = tail + text.slice(Math.max(0, room))
      dropped += Math.max(0, rest.length - tailLength)
      tail = rest.slice(-tailLength)
    },
    text: (redactor) => {
      if (dropped === 0) return redactor.text(stripControls(head + tail)).trim()
      const [first, last] = [redactor.head(stripControls(head)), redactor.tail(stripControls(tail))]
      return `${first}\n… ${dropped} characters left out …\n${last}`.trim()
    }
  }
}

export interface Output {
  /** For one reader. Ends with the pipe, or when `drained` stops waiting for its end. */
  readonly stdout: Stream.Stream<Uint8Array>
  /** Head and tail of it so far. */
  readonly stderr: (redactor: Redactor) => string
  /** Runs the reader of stdout to its end, also while the scope closes: it gets what a stopped process prints last. */
  readonly forkReader: <E>(reader: Effect.Effect<void, E>) => Effect.Effect<Fiber.Fiber<void, E>>
  /** To be called once, when the process was started. */
  readonly read: (piped: Pick<Piped, "readStdout" | "readStderr">) => void
  /**
   * After the exit: returns when all output was read. If another process keeps the pipes open, that is after a silence,
   * or after two seconds and the bytes that were in the pipes at the exit.
   */
  readonly drained: Effect.Effect<void>
  /** To be run once the process has ended. What the pipes still hold is read, for up to a second. */
  readonly close: Effect.Effect<void>
  /** Returns when all that has arrived was read; after two seconds for a process that goes on printing. */
  readonly caughtUp: Effect.Effect<void>
}

/** Node reads this much at a time; a shorter read has emptied the pipe. */
const fullRead = 64 * 1024
/** Reads: more than a pipe holds (208 KiB on Linux). */
const pipeful = 16

/** Turns of the event loop within which Node begins to read what a pipe holds. */
const turns = Effect.forEach([1, 2, 3, 4], () => Effect.yieldNow, { discard: true })

const within = (time: Duration.Input, work: Effect.Effect<void>) => Effect.raceFirst(work, Effect.sleep(time))

export const makeOutput = (): Output => {
  const inbox = makeInbox()
  const stderr = makeBoundedText()
  /** Closes the pipes that are still read. */
  const pipes = new Set<() => void>()
  let open = 2
  const pipesEnded = Deferred.makeUnsafe<void>()
  let reader: Fiber.Fiber<void, unknown> | undefined
  let reads = 0
  let shortReads = 0

  const endOfPipe = () => {
    open -= 1
    if (open === 0) Deferred.doneUnsafe(pipesEnded, Effect.void)
  }

  const readPipe = (read: ReadPipe, push: (chunk: Uint8Array) => void, onEnd: () => void) => {
    let closePipe = () => {}
    const close = () => closePipe()
    pipes.add(close)
    closePipe = read(
      (chunk) => {
        reads += 1
        if (chunk.length < fullRead) shortReads += 1
        push(chunk)
      },
      () => {
        pipes.delete(close)
        onEnd()
      }
    )
  }

  /** Returns after two intervals without a read: between two timers everything that has arrived is read. */
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
    // The first short read may still be one of output from before.
    while (shortReads < before.shortReads + 2 && reads < before.reads + pipeful) yield* Effect.sleep("100 millis")
  })

  /** Waits up to a second for the pipes to close, and as long for the reader. */
  const close = Effect.suspend(() => {
    const closePipes = Effect.sync(() => {
      inbox.end()
      for (const closePipe of pipes) closePipe()
    })
    const pipesClosed =
      pipes.size === 0 ? closePipes : Effect.andThen(within("1 second", Deferred.await(pipesEnded)), closePipes)
    return Effect.andThen(pipesClosed, readerEnded)
  })

  const readerEnded = Effect.suspend(() => {
    if (reader === undefined || reader.pollUnsafe() !== undefined) return Effect.void
    return Effect.andThen(within("1 second", Effect.asVoid(Fiber.await(reader))), Fiber.interrupt(reader))
  })

  return {
    stdout: inbox.stream,
    stderr: stderr.text,
    forkReader: Effect.fnUntraced(function* <E>(effect: Effect.Effect<void, E>) {
      const fiber = yield* Effect.forkDetach(effect, { startImmediately: true })
      reader = fiber
      return fiber
    }),
    read: ({ readStdout, readStderr }) => {
      readPipe(readStderr, stderr.push, endOfPipe)
      readPipe(readStdout, inbox.push, () => {
        inbox.end()
        endOfPipe()
      })
    },
    drained: Effect.suspend(() => {
      const waits = [Deferred.await(pipesEnded), quiet, enough]
      return Effect.andThen(open === 0 ? Effect.void : Effect.raceAllFirst(waits), Effect.sync(inbox.end))
    }),
    caughtUp: Effect.gen(function* () {
      const before = reads
      yield* turns
      // A host that was held up finds more than one read in its pipes.
      if (reads !== before) yield* within("2 seconds", quiet)
    }),
    close
  }
}
