/** Prints the events of a run on stdout as they arrive: as JSON lines, or drawn for people. */

import { Console, Effect, type PlatformError, Stdio, Stream } from "effect"
import type { NonEmptyReadonlyArray } from "effect/Array"
import type { AgentEvent } from "../contract/AgentEvent.ts"
import { eventJson } from "../contract/eventJson.ts"
import { type DrawOptions, drawRun } from "./drawRun.ts"
import { type Ending, endingOf } from "./exit.ts"

export interface ShowOptions extends DrawOptions {
  readonly json: boolean
}

/** Gives how the run ended; `aborted` if the reader of stdout closed it before the end. */
export const show = Effect.fnUntraced(function* <R>(events: Stream.Stream<AgentEvent, never, R>, options: ShowOptions) {
  let ending: Ending = "aborted"
  const observed = Stream.map(events, (event) => {
    if (event.type === "done") ending = endingOf(event.result)
    return event
  })
  const isWritten = yield* write(
    options.json ? Stream.mapArray(observed, encodeLines) : Stream.unwrap(drawRun(observed, options))
  )
  return isWritten ? ending : "failed"
})

/** Writes to stdout until the end or until its reader closes it. False where writing failed, which is printed. */
export const write = Effect.fnUntraced(function* <R>(text: Stream.Stream<string, never, R>) {
  const stdio = yield* Stdio.Stdio
  return yield* Stream.run(text, stdio.stdout()).pipe(
    Effect.as(true),
    Effect.catch((error) => {
      const code = codeOf(error)
      return closedCodes.has(code)
        ? Effect.succeed(true)
        : Effect.as(Console.error(`reins: cannot write to stdout: ${code}`), false)
    })
  )
})

/** Events that arrived together are written together. */
const encodeLines = (events: NonEmptyReadonlyArray<AgentEvent>): NonEmptyReadonlyArray<string> => [
  events.map((event) => `${eventJson(event)}\n`).join("")
]

/** A closed pipe or terminal, which is no failure. */
const closedCodes: ReadonlySet<string> = new Set(["EPIPE", "EIO", "ERR_STREAM_DESTROYED"])

const codeOf = (error: PlatformError.PlatformError) => {
  const { cause } = error.reason
  return cause instanceof Error && "code" in cause ? String(cause.code) : error.message
}
