/**
 * Writes the wire lines of a run to a file as the CLI printed them, secrets taken out: `reins replay` reads it. Beside it
 * goes when each of them came, which has nothing of what they say.
 */

import type { Cause, PlatformError } from "effect"
import { Clock, Effect, Fiber, FileSystem, Queue, Stream } from "effect"
import { InvalidParams } from "../AgentError.ts"
import { refusalOf } from "../errors/system.ts"
import type { Redactor } from "../process/redactor.ts"
import { startStopwatch } from "./stopwatch.ts"

export type Recorder = (line: string) => void

/** One number a line of the recording: whole milliseconds since it began, which is before the process was started. */
export const timesFileOf = (recording: string) => `${recording}.times`

interface Recorded {
  readonly line: string
  readonly atMs: number
}

/** Characters that are written at a time. */
const sliceLength = 256 * 1024

const problemOf = (error: PlatformError.PlatformError) => {
  const { _tag } = error.reason
  if (_tag === "NotFound") return "is in a directory that does not exist"
  return _tag === "PermissionDenied" ? "may not be written" : `cannot be written: ${refusalOf(error)}`
}

/** Empty, and its owner's alone, whatever was there. */
const begin = Effect.fnUntraced(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  yield* fs.writeFileString(file, "", { mode: 0o600 }).pipe(
    Effect.andThen(fs.chmod(file, 0o600)),
    Effect.mapError(
      (error) => new InvalidParams({ option: "record", problem: `${JSON.stringify(file)} ${problemOf(error)}` })
    )
  )
})

const write = Effect.fnUntraced(function* (file: string, recorded: Stream.Stream<Recorded>, redactor: Redactor) {
  const fs = yield* FileSystem.FileSystem
  const lines = yield* fs.open(file, { flag: "a" })
  const times = yield* fs.open(timesFileOf(file), { flag: "a" })
  const encoder = new TextEncoder()
  const keep = Effect.fnUntraced(function* (batch: ReadonlyArray<Recorded>) {
    let text = ""
    for (const { line } of batch) {
      text += `${redactor.text(line)}\n`
      if (text.length < sliceLength) continue
      yield* lines.writeAll(encoder.encode(text))
      text = ""
    }
    yield* lines.writeAll(encoder.encode(text))
    yield* times.writeAll(encoder.encode(batch.map(({ atMs }) => `${atMs}\n`).join("")))
  })
  yield* Stream.runForEachArray(recorded, keep)
}, Effect.scoped)

/** What was recorded is on the disk when the scope has closed. */
export const makeRecorder = Effect.fnUntraced(function* (file: string | undefined, redactor: Redactor) {
  if (file === undefined) return (() => {}) satisfies Recorder
  yield* begin(file)
  yield* begin(timesFileOf(file))
  const elapsedMs = startStopwatch(yield* Clock.Clock)
  const queue = yield* Queue.unbounded<Recorded, Cause.Done>()
  const writer = yield* write(file, Stream.fromQueue(queue), redactor).pipe(
    Effect.catch((error) => Effect.logWarning("the recording is not complete", refusalOf(error))),
    Effect.forkScoped
  )
  yield* Effect.addFinalizer(() => Effect.andThen(Queue.end(queue), Fiber.await(writer)))
  const record: Recorder = (line) => {
    Queue.offerUnsafe(queue, { line, atMs: elapsedMs() })
  }
  return record
})
