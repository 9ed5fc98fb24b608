/**
 * Prints the events of a run on stdout as they arrive: drawn for people, as JSON lines, or only its answer or result.
 * Failures that are not events go to stderr; a refused run appears on stderr only.
 */

import { Console, Effect, type PlatformError, Stdio, Stream } from "effect"
import type { NonEmptyReadonlyArray } from "effect/Array"
import type { AgentEvent, DoneEvent, ErrorEvent } from "../contract/AgentEvent.ts"
import { eventJson, plainJson } from "../contract/eventJson.ts"
import { makeAnswer } from "./answer.ts"
import { begin, type Scene } from "./blocks.ts"
import { type DrawOptions, drawRun, printError } from "./drawRun.ts"
import { type Ending, endingOf } from "./exit.ts"
import { problemInFlags } from "./flagNames.ts"
import { printRefusal } from "./refusal.ts"
import { draw } from "./transcript.ts"

/** Not that of a terminal: it is written once, and may go to a file. */
const plainScene: Scene = { surface: { live: false, columns: 80 }, now: undefined }

/** The errors of a run, and how it ended. */
const endText = (agent: string, events: ReadonlyArray<ErrorEvent | DoneEvent>): string => {
  let transcript = begin(agent)
  let output = ""
  for (const event of events) {
    const [next, text] = draw(transcript, event, plainScene)
    transcript = next
    output += text
  }
  return output.replace(/^\n+/, "")
}

/** The facts without the answer, which is on stdout. */
const withoutAnswer = ({ type, result }: DoneEvent): DoneEvent => {
  const { structuredOutput: _, ...others } = result
  return { type, result: others }
}

/** A completed run gives its answer (`text`); each run that was begun its result (`json`). */
const answerAlone = Effect.fnUntraced(function* <R>(
  events: Stream.Stream<AgentEvent, never, R>,
  agent: string,
  form: "text" | "json"
) {
  const { stderrIsTerminal } = yield* Stdio.Stdio
  const isWatched = yield* stderrIsTerminal
  const answer = makeAnswer()
  const errors: Array<ErrorEvent> = []
  return Stream.mapEffect(events, (event) => {
    answer.onEvent(event)
    if (event.type === "error") errors.push(event)
    if (event.type !== "done") return Effect.succeed("")
    const { result } = event
    const isCompleted = result.outcome === "completed"
    const alone = form === "json" ? `${plainJson(result) ?? ""}\n` : isCompleted ? answer.textOf(result) : ""
    const end = isCompleted && !isWatched ? "" : endText(agent, [...errors, withoutAnswer(event)])
    return Effect.as(end === "" ? Effect.void : printError(end), alone)
  }).pipe(Stream.filter((text) => text !== ""))
})

// A run that was refused before anything was started → what is to be said of it, in the words of the flags.

interface Held {
  readonly errors: ReadonlyArray<ErrorEvent>
  readonly isOver: boolean
}

/**
 * The events of a run that was not refused. An error is held back until another event shows that something was started;
 * a refused run gives no events, and its errors to `onRefused`.
 */
const unlessRefused = <E, R>(
  events: Stream.Stream<AgentEvent, E, R>,
  onRefused: (problems: ReadonlyArray<string>) => void
): Stream.Stream<AgentEvent, E, R> =>
  Stream.mapAccumArray(
    events,
    (): Held => ({ errors: [], isOver: false }),
    (before, batch) => {
      if (before.isOver) return [before, batch]
      let held = before
      const passed: Array<AgentEvent> = []
      for (const event of batch) {
        if (!held.isOver && event.type === "error") {
          held = { ...held, errors: [...held.errors, event] }
          continue
        }
        const isRefusal = !held.isOver && event.type === "done" && endingOf(event.result) === "bad_usage"
        if (isRefusal) onRefused(held.errors.map(problemInFlags))
        else passed.push(...held.errors, event)
        held = { errors: [], isOver: true }
      }
      return [held, passed]
    },
    { onHalt: ({ errors }) => [...errors] }
  )

export type OutputForm = "transcript" | "text" | "json" | "events"

export interface ShowOptions extends DrawOptions {
  readonly form: OutputForm
  /** The words after `reins`, for a refusal. */
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
  const isWritten = yield* write(yield* printed(begun, options))
  if (refused !== undefined) yield* printRefusal(options.command, refused)
  return isWritten ? ending : "failed"
})

const printed = <R>(events: Stream.Stream<AgentEvent, never, R>, options: ShowOptions) => {
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

/** A closed pipe or terminal, which is not a failure. */
const closedCodes: ReadonlySet<string> = new Set(["EPIPE", "EIO", "ERR_STREAM_DESTROYED"])

const codeOf = (error: PlatformError.PlatformError) => {
  const { cause } = error.reason
  return cause instanceof Error && "code" in cause ? String(cause.code) : error.message
}
