/** The lines of stdin, and `reins chat` without a terminal: each line is a prompt; requests are denied. */
import { Console, Effect, Option, Stdio, Stream } from "effect"
import * as Approvals from "../../agents/Approvals.ts"
import { linesOf } from "../../system/process/lines.ts"
import { planRule } from "../planMode.ts"
import { show } from "../show.ts"
import { unattended } from "./answerQueues.ts"
import type { ChatMode } from "./runSession.ts"

/** In bytes. */
export const maxLineBytes = 16 * 1024 * 1024

export interface StdinLine {
  readonly number: number
  /** Undefined for a line that was too long. */
  readonly text: string | undefined
}

export const allLines = Stream.unwrap(Stdio.Stdio.useSync(({ stdin }) => linesOf(stdin, maxLineBytes))).pipe(
  Stream.zipWithIndex,
  Stream.map(
    ([line, index]): StdinLine => ({
      number: index + 1,
      text: line._tag === "Line" ? line.text.replace(/\r$/, "") : undefined
    })
  )
)

/** Without blank lines, which still count. */
export const stdinLines = Stream.filter(allLines, ({ text }) => text === undefined || text.trim() !== "")

const prompts = stdinLines.pipe(
  Stream.mapEffect(({ number, text }) =>
    text === undefined
      ? Effect.as(Console.error(`reins: line ${number} of stdin is longer than ${maxLineBytes} bytes`), "")
      : Effect.succeed(text)
  ),
  // An unreadable stdin has no further prompts.
  Stream.catch(() => Stream.empty)
)

export const chatLines: ChatMode = ({ agent, firstPrompt, planMode, isStopping }) => {
  const options = { agent, isStopping, form: "transcript", command: "chat" } as const
  const deny = Approvals.deny({}, unattended)
  const approvals = Option.contains(planMode, "auto") ? [planRule(planMode), deny] : [deny]
  return {
    answering: { approvals, questions: "off" },
    announce: Effect.void,
    makeDriver: (session) =>
      Effect.succeed({
        show: (events) => show(events, options),
        drive: Stream.concat(Stream.fromIterable(Option.toArray(firstPrompt)), prompts).pipe(
          Stream.filter((line) => line.trim() !== ""),
          Stream.runForEach((line) => Stream.runDrain(session.turn(line)))
        )
      }),
    showFailure: (events) => show(events, options),
    finish: Effect.succeed(true)
  }
}
