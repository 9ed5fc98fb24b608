/** `reins chat` without a terminal: each line of stdin is a prompt, one after the other; requests are denied. */
import { Console, Effect, Option, Stream } from "effect"
import * as Approvals from "../../agents/Approvals.ts"
import { planRule } from "../planMode.ts"
import { show } from "../show.ts"
import { unattended } from "./answerQueues.ts"
import type { ChatMode } from "./chatMode.ts"
import { maxLineBytes, stdinLines } from "./lineTerminal.ts"

const prompts = stdinLines.pipe(
  Stream.mapEffect(({ number, text }) =>
    text === undefined
      ? Effect.as(Console.error(`reins: line ${number} of stdin is longer than ${maxLineBytes} bytes`), "")
      : Effect.succeed(text)
  ),
  // A stdin that cannot be read any more has no further prompts.
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
