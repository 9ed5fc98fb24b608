/**
 * The observer that writes the output lines of a CLI to a file, with secrets redacted, for `reins replay`. The times of the
 * lines go to a second file, which has nothing of their content.
 */
import { type Cause, Clock, Effect, Fiber, Queue, Stream } from "effect"
import { InvalidParams } from "../../contract/AgentError.ts"
import type { NoticeEvent } from "../../contract/AgentEvent.ts"
import { startStopwatch } from "../../system/hostClock.ts"
import { openOwnFile } from "../../system/process/ownFile.ts"
import type { Observer } from "./Observer.ts"

/** One number for each line of the recording: milliseconds since it began, which is before the process starts. */
export const timesFileOf = (recording: string) => `${recording}.times`

interface Recorded {
  readonly lines: ReadonlyArray<string>
  readonly afterMs: number
}

/** Number of characters to write at once. */
const sliceLength = 256 * 1024

const begin = (file: string) =>
  Effect.mapError(
    openOwnFile(file),
    (problem) => new InvalidParams({ option: "record", problem: `${JSON.stringify(file)} ${problem}` })
  )

const incomplete = (file: string, problem: string): NoticeEvent => ({
  type: "notice",
  kind: "warning",
  message: `The recording ${JSON.stringify(file)} is incomplete, and the run continues without it: ${problem}`,
  data: { file }
})

/** The recording is on disk when the scope has closed. A full disk ends only the recording. */
export const makeRecorder = Effect.fnUntraced(function* (file: string, onNotice: (notice: NoticeEvent) => void) {
  const recording = yield* begin(file)
  const times = yield* begin(timesFileOf(file))
  const elapsedMs = startStopwatch(yield* Clock.Clock)
  const queue = yield* Queue.unbounded<Recorded, Cause.Done>()
  const encoder = new TextEncoder()
  let isComplete = true

  const keep = Effect.fnUntraced(function* (batches: ReadonlyArray<Recorded>) {
    let text = ""
    for (const line of batches.flatMap(({ lines }) => lines)) {
      text += `${line}\n`
      if (text.length < sliceLength) continue
      yield* recording.append(encoder.encode(text))
      text = ""
    }
    yield* recording.append(encoder.encode(text))
    const cameAt = batches.map(({ lines, afterMs }) => `${afterMs}\n`.repeat(lines.length))
    yield* times.append(encoder.encode(cameAt.join("")))
  })

  const writer = yield* Stream.fromQueue(queue).pipe(
    Stream.runForEachArray(keep),
    Effect.catch((problem) => {
      isComplete = false
      onNotice(incomplete(file, problem))
      return Effect.andThen(Queue.shutdown(queue), Effect.logWarning("the recording is incomplete", problem))
    }),
    Effect.forkScoped
  )
  yield* Effect.addFinalizer(() => Effect.andThen(Queue.end(queue), Fiber.await(writer)))
  const recorder: Observer = {
    name: "recorder",
    begin: () => ({
      lines: ({ lines }) => {
        if (isComplete) Queue.offerUnsafe(queue, { lines, afterMs: elapsedMs() })
      }
    })
  }
  return recorder
})
