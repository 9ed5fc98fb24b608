/**
 * The observer that writes the wire lines of a run to a file as the CLI printed them, secrets taken out: `reins replay`
 * reads it. Beside it goes when each of them came, which has nothing of what they say.
 */
import { type Cause, Clock, Effect, Fiber, Queue, Stream } from "effect"
import { startStopwatch } from "../clock/stopwatch.ts"
import { InvalidParams } from "../contract/AgentError.ts"
import type { NoticeEvent } from "../contract/AgentEvent.ts"
import { openOwnFile } from "../process/ownFile.ts"
import type { Observer } from "./Observer.ts"

/** One number a line of the recording: whole milliseconds since it began, which is before the process was started. */
export const timesFileOf = (recording: string) => `${recording}.times`

interface Recorded {
  readonly lines: ReadonlyArray<string>
  readonly afterMs: number
}

/** Characters that are written at a time. */
const sliceLength = 256 * 1024

const begin = (file: string) =>
  Effect.mapError(
    openOwnFile(file),
    (problem) => new InvalidParams({ option: "record", problem: `${JSON.stringify(file)} ${problem}` })
  )

const incomplete = (file: string, problem: string): NoticeEvent => ({
  type: "notice",
  kind: "warning",
  message: `The recording ${JSON.stringify(file)} is not complete, and the run goes on without it: ${problem}`,
  data: { file }
})

/** What was recorded is on the disk when the scope has closed. A disk that takes no more ends the recording only. */
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
      return Effect.andThen(Queue.shutdown(queue), Effect.logWarning("the recording is not complete", problem))
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
