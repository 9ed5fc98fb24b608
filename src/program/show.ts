/**
 * Prints the events of a run on stdout as they arrive: drawn for people, as JSON lines, or its answer or result alone. How
 * it failed is on stderr, where it is no event; a run that was refused is on stderr alone.
 */

import { Console, Effect, type PlatformError, Stdio, Stream } from "effect"
import type { NonEmptyReadonlyArray } from "effect/Array"
import type { AgentEvent } from "../contract/AgentEvent.ts"
import { eventJson } from "../contract/eventJson.ts"
import { type DrawOptions, drawRun } from "./drawRun.ts"
import { type Ending, endingOf } from "./exit.ts"
import { answerAlone } from "./outputForms.ts"
import { printRefusal } from "./refusal.ts"
import { unlessRefused } from "./refusedRun.ts"

export type OutputForm = "transcript" | "text" | "json" | "events"

export interface ShowOptions extends DrawOptions {
  readonly form: OutputForm
  /** What stands behind `reins`, for a refusal. */
  readonly command: string
}

/** Gives how the run ended; `aborted` if the reader of stdout closed it before the end. */
export const show = Effect.fnUntraced(function* <R>(events: Stream.Stream<AgentEvent, never, R>, options: ShowOptions) {
  let ending: Ending = "aborted"
  let refused: ReadonlyArray<string> | undefined
  const observed = Stream.map(events, (event) => {
    if (event.type === "done") ending = endingOf(event.result)
    return event
  })
  const begun = unlessRefused(observed, (problems) => {
    refused = problems
  })
  const isWritten = yield* write(yield* shown(begun, options))
  if (refused !== undefined) yield* printRefusal(options.command, refused)
  return isWritten ? ending : "failed"
})

const shown = <R>(events: Stream.Stream<AgentEvent, never, R>, options: ShowOptions) => {
  const { form } = options
  if (form === "events") return Effect.succeed(Stream.mapArray(events, encodeLines))
  // Set and not empty, by all that are common.
  const isCi = (process.env["CI"] ?? "") !== "" && process.env["CI"] !== "false"
  return form === "transcript" ? drawRun(events, { isCi, ...options }) : answerAlone(events, options.agent, form)
}

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
