/** Reads a stdout as a run does, through the stages of a live run but without a process; pure. */
import { Effect, Stream } from "effect"
import { type Ending, endingOf, judge } from "../../src/agents/engine/judge.ts"
import { pipeline } from "../../src/agents/engine/pipeline.ts"
import type { ReadLine } from "../../src/agents/engine/readLine.ts"
import { makeTally } from "../../src/agents/engine/result.ts"
import type { Cli } from "../../src/cli/Cli.ts"
import type { Standing, Verdict } from "../../src/cli/Decoder.ts"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import type { AgentExecuteParams } from "../../src/contract/AgentExecuteParams.ts"
import type { ProcessExit } from "../../src/contract/AgentRunResult.ts"

export interface ReadOutput {
  readonly events: ReadonlyArray<AgentEvent>
  readonly text: string
  /** Nothing can follow. */
  readonly isEnded: boolean
  /** The budget that runs out if nothing follows; none does before `isEnded`. */
  readonly budget: "startup" | "idle" | "tool" | "settle" | "linger"
  /** How the run comes out if its process stays. */
  readonly staying: () => Ending
  /** The same if its answer is whole and its report is missing. */
  readonly settled: () => Ending
  /** The same if it has closed its stdout. */
  readonly stdoutClosed: () => Ending
  /** And if it leaves. */
  readonly leaving: (exit: ProcessExit) => Ending
}

const isWorking = (standing: Standing) => standing === "working" || standing === "answered"

const budgetOf = (standing: Standing, hasSpoken: boolean, isToolOpen: boolean): ReadOutput["budget"] => {
  if (!hasSpoken) return "startup"
  if (standing === "background" || (isWorking(standing) && isToolOpen)) return "tool"
  if (standing === "answered") return "settle"
  return standing === "working" ? "idle" : "linger"
}

/** `isOver`: the process has left, so that an unfinished line is read, too. */
export const readOutput = (cli: Cli, params: AgentExecuteParams, stdout: string, isOver: boolean): ReadOutput => {
  const decoder = cli.decoder(params)
  const tally = makeTally()
  const events: Array<AgentEvent> = []
  let hasSpoken = false
  let isCut = false
  const onLine = ({ isUnfinished, notices, outputs }: ReadLine<AgentEvent>) => {
    if (isUnfinished && !isOver) return
    hasSpoken = true
    if (decoder.standing() === "ended") return
    isCut = isUnfinished && notices.length > 0
    for (const event of outputs()) {
      tally.push(event)
      events.push(event)
    }
  }
  Effect.runSync(pipeline({ stdout: Stream.make(Buffer.from(stdout)), stages: decoder.stages, onLine }))
  const isEnded = decoder.standing() === "ended"
  /** No success is believed behind which a line was cut off. */
  const believed = (verdict: Verdict | undefined) =>
    isCut && !isEnded && verdict?._tag === "Success" ? undefined : verdict
  return {
    events,
    text: tally.text(),
    isEnded,
    budget: budgetOf(decoder.standing(), hasSpoken, tally.isToolOpen()),
    staying: () => endingOf(decoder.verdict(undefined)),
    settled: () => endingOf(decoder.settled()),
    stdoutClosed: () => endingOf(believed(decoder.verdict(undefined))),
    leaving: (exit) =>
      isEnded ? endingOf(decoder.verdict(undefined)) : judge(believed(decoder.verdict(exit)), exit, "")
  }
}
