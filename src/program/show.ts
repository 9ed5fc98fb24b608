/** Prints the events of a run on stdout, as they come: one JSON object a line, or drawn for people. */

import { Console, Effect, type PlatformError, Stdio, Stream } from "effect"
import type { NonEmptyReadonlyArray } from "effect/Array"
import type { AgentEvent } from "../contract/AgentEvent.ts"
import { type DrawOptions, drawRun } from "./drawRun.ts"
import { eventJson } from "./eventJson.ts"
import { type Ending, endingOf } from "./exit.ts"

export interface ShowOptions extends DrawOptions {
  readonly json: boolean
}

/** Gives how the run came out; a run whose reader left before its end is aborted by that. */
export const show = Effect.fnUntraced(function* <R>(events: Stream.Stream<AgentEvent, never, R>, options: ShowOptions) {
  let ending: Ending = "aborted"
  const told = Stream.map(events, (event) => {
    if (event.type === "done") ending = endingOf(event.result)
    return event
  })
  const isWritten = yield* write(
    options.json ? Stream.mapArray(told, encodeLines) : Stream.unwrap(drawRun(told, options))
  )
  return isWritten ? ending : "failed"
})

/** Writes on stdout until its reader leaves. Gives whether nothing went wrong; what did is told. */
export const write = Effect.fnUntraced(function* <R>(text: Stream.Stream<string, never, R>) {
  const stdio = yield* Stdio.Stdio
  return yield* Stream.run(text, stdio.stdout()).pipe(
    Effect.as(true),
    Effect.catch((error) => {
      const code = codeOf(error)
      return readerLeft.has(code) ? Effect.succeed(true) : Effect.as(Console.error(`reins: stdout: ${code}`), false)
    })
  )
})

/** What has come together is written together. */
const encodeLines = (events: NonEmptyReadonlyArray<AgentEvent>): NonEmptyReadonlyArray<string> => [
  events.map((event) => `${eventJson(event)}\n`).join("")
]

/** A closed pipe, or a terminal that is gone: the run ends without a word. */
const readerLeft: ReadonlySet<string> = new Set(["EPIPE", "EIO", "ERR_STREAM_DESTROYED"])

const codeOf = (error: PlatformError.PlatformError) => {
  const { cause } = error.reason
  return cause instanceof Error && "code" in cause ? String(cause.code) : error.message
}
