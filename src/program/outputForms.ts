/** A run of which stdout gets the answer or the result alone; what else a person wants to know is on stderr. */
import { Effect, Stdio, Stream } from "effect"
import type { AgentEvent, DoneEvent, ErrorEvent } from "../contract/AgentEvent.ts"
import { plainJson } from "../contract/eventJson.ts"
import { makeAnswer } from "./answer.ts"
import { begin, type Scene } from "./blocks.ts"
import { printError } from "./drawRun.ts"
import { draw } from "./transcript.ts"

/** Not that of a terminal: it is written once, and may go to a file. */
const plainScene: Scene = { surface: { live: false, columns: 80 }, now: undefined }

/** The errors of a run, and how it ended. */
export const endText = (agent: string, events: ReadonlyArray<ErrorEvent | DoneEvent>): string => {
  let transcript = begin(agent)
  let written = ""
  for (const event of events) {
    const [next, text] = draw(transcript, event, plainScene)
    transcript = next
    written += text
  }
  return written.replace(/^\n+/, "")
}

/** The facts without the answer, which is on stdout. */
const withoutAnswer = ({ type, result }: DoneEvent): DoneEvent => {
  const { structuredOutput: _, ...others } = result
  return { type, result: others }
}

/** A completed run gives its answer (`text`); each run that was begun its result (`json`). */
export const answerAlone = Effect.fnUntraced(function* <R>(
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
