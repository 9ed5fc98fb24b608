/**
 * A recorded or made-up wire transcript through the pure stages of a live run: pipeline, tally, judge, result.
 * The verdict is taken as soon as it is certain, as the pipeline does; without that it is judged with the exit.
 */
import { Effect, Stream } from "effect"
import { answeringOf } from "../../src/agents/answers/answering.ts"
import { type Ending, endingOf, judge } from "../../src/agents/engine/judge.ts"
import { pipeline } from "../../src/agents/engine/pipeline.ts"
import type { ReadLine } from "../../src/agents/engine/readLine.ts"
import { errorEvent, makeResult, makeTally } from "../../src/agents/engine/result.ts"
import { makeAnswered } from "../../src/agents/run/runTask.ts"
import type { Cli } from "../../src/cli/Cli.ts"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import type { AgentExecuteParams } from "../../src/contract/AgentExecuteParams.ts"
import type { AgentRunResult, ProcessExit } from "../../src/contract/AgentRunResult.ts"
import { makeParagraphs } from "../../src/contract/paragraphs.ts"

export interface Transcript {
  /** Stdout, in the pieces in which it is read. */
  readonly chunks: ReadonlyArray<Uint8Array>
  readonly exit: ProcessExit
  readonly stderr?: string
  readonly params?: Partial<AgentExecuteParams>
  /** More prompts came: what follows the end of the first one counts, too. */
  readonly goesOn?: boolean
}

export interface Outcome {
  /** All events but `error` of the end and `done`. */
  readonly events: ReadonlyArray<AgentEvent>
  /** The whole stream of events, as a consumer sees it. */
  readonly all: ReadonlyArray<AgentEvent>
  readonly result: AgentRunResult
  readonly ending: Ending
  /** Index of the chunk after which the verdict was certain without the exit. */
  readonly certainAfter: number | undefined
}

/** How the run comes out if the process then leaves like this. */
type Leave = (exit: ProcessExit, stderr?: string) => Outcome

/** All that the CLI has printed, read once; the exit is still open. */
export const readTranscript = (
  cli: Cli,
  { chunks, params, goesOn = false }: Pick<Transcript, "chunks" | "params" | "goesOn">
): Leave => {
  const answering = answeringOf(params, cli.supports.has("outputSchema") ? "option" : "prompt")
  const decoder = makeAnswered(cli, answering).decoder({ prompt: "hello", ...params })
  const tally = makeTally()
  const separated = makeParagraphs()
  const events: Array<AgentEvent> = []
  let certainAfter: number | undefined
  const isOver = () => decoder.standing() === "ended" && !goesOn
  const take = ({ outputs }: ReadLine<AgentEvent>) => {
    if (isOver()) return
    const more = outputs().flatMap((event) => separated(event) ?? [])
    for (const event of more) tally.push(event)
    events.push(...more)
  }
  const stdout = Stream.fromIterable(
    (function* () {
      for (const [index, chunk] of chunks.entries()) {
        yield chunk
        if (decoder.standing() === "ended") certainAfter ??= index
      }
    })(),
    { chunkSize: 1 }
  )
  Effect.runSync(pipeline({ stdout, stages: decoder.stages, onLine: take }))
  const isCertain = decoder.standing() === "ended"
  return (exit, stderr = "") => {
    const ending = isCertain ? endingOf(decoder.verdict(undefined)) : judge(decoder.verdict(exit), exit, stderr)
    const result = makeResult({ ending, text: tally.text(), durationMs: 0, report: decoder.report(), stderr })
    const error = ending.failure === undefined ? [] : [errorEvent(ending.failure)]
    return { events, all: [...events, ...error, { type: "done", result }], result, ending, certainAfter }
  }
}

export const runTranscript = (cli: Cli, { exit, stderr, ...printed }: Transcript): Outcome =>
  readTranscript(cli, printed)(exit, stderr)

/** One chunk a line, each with its newline. */
export const linesOf = (bytes: Uint8Array): ReadonlyArray<Uint8Array> => {
  const lines: Array<Uint8Array> = []
  for (let from = 0; from < bytes.length; ) {
    const newline = bytes.indexOf(10, from)
    const to = newline === -1 ? bytes.length : newline + 1
    lines.push(bytes.subarray(from, to))
    from = to
  }
  return lines
}

/** One chunk a line. Text stands for itself, as a line that is not JSON. */
export const print = (lines: ReadonlyArray<unknown>): ReadonlyArray<Uint8Array> =>
  lines.map((line) => new TextEncoder().encode(`${typeof line === "string" ? line : JSON.stringify(line)}\n`))

/** The lines of a CLI that then leaves with exit code 0. */
export const runLines = (cli: Cli, lines: ReadonlyArray<unknown>): Outcome =>
  runTranscript(cli, { chunks: print(lines), exit: { code: 0 } })
