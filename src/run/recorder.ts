/** Writes the wire lines of a run to a file as the CLI printed them, secrets taken out. `reins replay` reads it. */

import type { Cause, PlatformError } from "effect"
import { Effect, Fiber, FileSystem, Queue, Stream } from "effect"
import { InvalidParams } from "../AgentError.ts"
import { refusalOf } from "../errors/system.ts"
import type { Redactor } from "../process/redactor.ts"

export type Recorder = (line: string) => void

const problemOf = (error: PlatformError.PlatformError) => {
  const { _tag } = error.reason
  if (_tag === "NotFound") return "is in a directory that does not exist"
  return _tag === "PermissionDenied" ? "may not be written" : `cannot be written: ${refusalOf(error)}`
}

/** What was recorded is on the disk when the scope has closed. */
export const makeRecorder = Effect.fnUntraced(function* (file: string | undefined, redactor: Redactor) {
  if (file === undefined) return (() => {}) satisfies Recorder
  const fs = yield* FileSystem.FileSystem
  yield* fs.writeFileString(file, "", { mode: 0o600 }).pipe(
    Effect.andThen(fs.chmod(file, 0o600)),
    Effect.mapError(
      (error) => new InvalidParams({ option: "record", problem: `${JSON.stringify(file)} ${problemOf(error)}` })
    )
  )
  const lines = yield* Queue.unbounded<string, Cause.Done>()
  const writer = yield* Stream.fromQueue(lines).pipe(
    Stream.map((line) => `${redactor.text(line)}\n`),
    Stream.encodeText,
    Stream.run(fs.sink(file, { flag: "a" })),
    Effect.catch((error) => Effect.logWarning("the recording is not complete", refusalOf(error))),
    Effect.forkScoped
  )
  yield* Effect.addFinalizer(() => Effect.andThen(Queue.end(lines), Fiber.await(writer)))
  const record: Recorder = (line) => {
    Queue.offerUnsafe(lines, line)
  }
  return record
})
