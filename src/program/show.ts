/** Prints the events of a run on stdout, as they come: one JSON object a line, or drawn for people. */
import { Clock, Console, Effect, type PlatformError, Schema, Stdio, Stream, Terminal } from "effect"
import { TerminalCapabilities } from "effect/cli"
import { AgentEvent } from "../AgentEvent.ts"
import type { RunOutcome } from "../AgentRunResult.ts"
import { statusOf } from "./status.ts"
import type { Surface } from "./style.ts"
import { begin, draw, type Transcript } from "./transcript.ts"

export interface ShowOptions {
  readonly json: boolean
  /** The name under which the agent was asked for. */
  readonly agent: string
  /** Present for a live run: whether it is being stopped. Without it no time is told. */
  readonly isStopping?: () => boolean
}

/** Gives how the run came out; a run whose reader left before its end is aborted by that. */
export const show = Effect.fnUntraced(function* <R>(events: Stream.Stream<AgentEvent, never, R>, options: ShowOptions) {
  const stdio = yield* Stdio.Stdio
  let outcome: RunOutcome = "aborted"
  const told = Stream.map(events, (event) => {
    if (event.type === "done") outcome = event.result.outcome
    return event
  })
  const text = options.json ? Stream.map(told, encodeLine) : Stream.unwrap(drawn(told, options))
  yield* text.pipe(Stream.run(stdio.stdout()), Effect.catch(readerLeft))
  return outcome
})

const encode = Schema.encodeSync(AgentEvent)

const encodeLine = (event: AgentEvent) => `${JSON.stringify(encode(event))}\n`

const readerLeft = (error: PlatformError.PlatformError) => {
  const { cause } = error.reason
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : error.message
  // A closed pipe, or a terminal that is gone.
  if (code === "EPIPE" || code === "EIO" || code === "ERR_STREAM_DESTROYED") return Effect.void
  return Console.error(`reins: stdout: ${code}`)
}

const frameMs = 100

const drawn = Effect.fnUntraced(function* <R>(events: Stream.Stream<AgentEvent, never, R>, options: ShowOptions) {
  const surface = yield* surfaceOf
  const isRunning = options.isStopping !== undefined
  const startedAt = isRunning ? yield* Clock.currentTimeMillis : undefined
  const ticks = Stream.map(Stream.tick(frameMs), () => "tick" as const)
  const inputs = surface.live && isRunning ? Stream.merge(events, ticks, { haltStrategy: "left" }) : events
  return Stream.mapAccumArrayEffect(
    inputs,
    () => ({ transcript: begin(options.agent, startedAt), wipe: "" }),
    (before, chunk) =>
      Effect.map(Clock.currentTimeMillis, (time) => {
        const now = isRunning ? time : undefined
        const [transcript, text] = drawAll(before.transcript, chunk, surface, now)
        const isStopping = options.isStopping?.() ?? false
        const status =
          surface.live && isRunning ? statusOf(transcript, surface, time, isStopping) : { text: "", wipe: "" }
        const written = before.wipe + text + status.text
        return [{ transcript, wipe: status.wipe }, written === "" ? [] : [written]] as const
      })
  )
})

const drawAll = (
  transcript: Transcript,
  inputs: ReadonlyArray<AgentEvent | "tick">,
  surface: Surface,
  now: number | undefined
) => {
  const texts: Array<string> = []
  let current = transcript
  for (const input of inputs) {
    if (input === "tick") continue
    const [next, text] = draw(current, input, { surface, now })
    current = next
    texts.push(text)
  }
  return [current, texts.join("")] as const
}

const surfaceOf = Effect.gen(function* () {
  const { canAnimate, canColor } = yield* TerminalCapabilities.TerminalCapabilities
  const terminal = yield* Terminal.Terminal
  return { live: canAnimate && canColor, columns: yield* terminal.columns }
})
