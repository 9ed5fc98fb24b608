/**
 * Prints the events of a run on stdout as they arrive: drawn for people, as JSON lines, or only its answer or result.
 * Failures that are not events, and refusals, go to stderr.
 */
import { Console, Effect, type PlatformError, Stdio, Stream } from "effect"
import type { NonEmptyReadonlyArray } from "effect/Array"
import type { AgentEvent, DoneEvent, ErrorEvent } from "../contract/AgentEvent.ts"
import type { AgentRunResult } from "../contract/AgentRunResult.ts"
import { eventJson, plainJson } from "../contract/eventJson.ts"
import { untraced } from "../contract/untraced.ts"
import { begin, type Scene } from "./blocks.ts"
import { type DrawOptions, drawRun, printError } from "./drawRun.ts"
import { type Ending, endingOf, printRefusal } from "./exit.ts"
import { problemInFlags } from "./flagNames.ts"
import { draw } from "./transcript.ts"

/** Does not fit a terminal: the text may go to a file. */
const plainScene: Scene = { surface: { live: false, columns: 80 }, now: undefined }

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

const withoutAnswer = ({ type, result }: DoneEvent): DoneEvent => {
  const { structuredOutput: _, ...others } = result
  return { type, result: others }
}

/** Structured output is printed as JSON; without text after the last tool call, all text is the answer. */
const answerOf = ({ structuredOutput, text }: AgentRunResult, last: string): string => {
  if (structuredOutput !== undefined) return JSON.stringify(structuredOutput)
  return last.trim() === "" ? text : last
}

/** Collects the answer of a run: the text of the main agent after its last tool call. */
export const makeAnswer = () => {
  let all = ""
  let start = 0
  return {
    onEvent: (event: AgentEvent): void => {
      if (event.parentToolId !== undefined) return
      if (event.type === "text") all += event.text
      if (event.type === "tool_use") start = all.length
      const voided = event.type === "notice" && event.kind === "text_voided" ? event.data?.["characters"] : undefined
      if (typeof voided !== "number") return
      all = all.slice(0, Math.max(0, all.length - voided))
      start = Math.min(start, all.length)
    },
    textOf: (result: AgentRunResult): string => {
      const text = answerOf(result, all.slice(start)).replace(/^\s*\n/, "")
      return text === "" || text.endsWith("\n") ? text : `${text}\n`
    }
  }
}

/** Prints the answer of a completed run (`text`), or the result of each started run (`json`). */
const answerAlone = Effect.fn(...untraced("Show.answerAlone"))(function* <R>(
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

interface Held {
  readonly errors: ReadonlyArray<ErrorEvent>
  readonly isOver: boolean
}

/**
 * Holds an error back until another event shows that something was started. A refused run has no events, and its errors go
 * to `onRefused`, in the words of the flags.
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

/** Returns how the run ended; `aborted` if the reader of stdout closed it early. */
export const show = Effect.fn(...untraced("Program.show"))(function* <R>(
  events: Stream.Stream<AgentEvent, never, R>,
  options: ShowOptions
) {
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
  // CI systems set a value that is not empty.
  const isCi = (process.env["CI"] ?? "") !== "" && process.env["CI"] !== "false"
  return form === "transcript" ? drawRun(events, { isCi, ...options }) : answerAlone(events, options.agent, form)
}

/** Writes to stdout until the end or until its reader closes it. Returns false, with a message, if writing fails. */
export const write = Effect.fn(...untraced("Show.write"))(function* <R>(text: Stream.Stream<string, never, R>) {
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

const encodeLines = (events: NonEmptyReadonlyArray<AgentEvent>): NonEmptyReadonlyArray<string> => [
  events.map((event) => `${eventJson(event)}\n`).join("")
]

/** Codes of a closed pipe or terminal, which is not a failure. */
const closedCodes: ReadonlySet<string> = new Set(["EPIPE", "EIO", "ERR_STREAM_DESTROYED"])

const codeOf = (error: PlatformError.PlatformError) => {
  const { cause } = error.reason
  return cause instanceof Error && "code" in cause ? String(cause.code) : error.message
}
