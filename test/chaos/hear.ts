/** What a run hears of a stdout, through the stages of a live run but without a process; pure. */

import type { Cli } from "../../src/cli/Cli.ts"
import type { Standing, Verdict } from "../../src/cli/Decoder.ts"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import type { AgentExecuteParams } from "../../src/contract/AgentExecuteParams.ts"
import type { ProcessExit } from "../../src/contract/AgentRunResult.ts"
import { type Ending, endingOf, judge } from "../../src/engine/judge.ts"
import { makeReader } from "../../src/engine/reader.ts"
import { makeTally } from "../../src/engine/tally.ts"
import type { Line } from "../../src/process/lines.ts"

export interface Heard {
  readonly events: ReadonlyArray<AgentEvent>
  readonly text: string
  /** Nothing can follow. */
  readonly isEnded: boolean
  /** The budget that runs out if nothing follows; none does before `isEnded`. */
  readonly budget: "startup" | "idle" | "tool" | "linger"
  /** How the run comes out if its process stays. */
  readonly staying: () => Ending
  /** The same if it has closed its stdout. */
  readonly muted: () => Ending
  /** And if it leaves. */
  readonly leaving: (exit: ProcessExit) => Ending
}

const isUnread = (event: AgentEvent) =>
  event.type === "notice" && (event.kind === "malformed_line" || event.kind === "oversize_line")

const budgetOf = (standing: Standing, hasSpoken: boolean, isToolOpen: boolean): Heard["budget"] => {
  if (!hasSpoken) return "startup"
  if (standing === "background" || (standing === "working" && isToolOpen)) return "tool"
  return standing === "working" ? "idle" : "linger"
}

/** `isOver`: the process has left, so that an unfinished line is heard, too. */
export const hear = (cli: Cli, params: AgentExecuteParams, stdout: string, isOver: boolean): Heard => {
  const decoder = cli.decoder(params)
  const reader = makeReader(decoder)
  const tally = makeTally()
  const events: Array<AgentEvent> = []
  let hasSpoken = false
  const take = (line: Line): boolean => {
    if (line._tag === "Line" && line.text.trim() === "") return true
    hasSpoken = true
    if (decoder.standing() === "ended") return true
    const more = reader.read(line)
    for (const event of more) tally.push(event)
    events.push(...more)
    return !more.some(isUnread)
  }
  for (const line of reader.split(Buffer.from(stdout))) take(line)
  const isCut = isOver && !reader.rest().every(take)
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
    muted: () => endingOf(believed(decoder.verdict(undefined))),
    leaving: (exit) =>
      isEnded ? endingOf(decoder.verdict(undefined)) : judge(believed(decoder.verdict(exit)), exit, "")
  }
}
