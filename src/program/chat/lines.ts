/** `reins chat` without a terminal: each line of stdin is a prompt, one after the other. Nobody is there to be asked. */
import { Console, Effect, Option, Stream } from "effect"
import * as Approvals from "../../Approvals.ts"
import { planRule } from "../planMode.ts"
import { show } from "../show.ts"
import { mostLineBytes, stdinLines } from "./stdinLines.ts"
import type { Way } from "./way.ts"

const prompts = stdinLines.pipe(
  Stream.mapEffect(({ number, text }) =>
    text === undefined
      ? Effect.as(Console.error(`reins: line ${number} of stdin is longer than ${mostLineBytes} bytes`), "")
      : Effect.succeed(text)
  ),
  // What can no longer be read holds no prompt.
  Stream.catch(() => Stream.empty)
)

export const chatLines: Way = ({ agent, first, planMode, isStopping }) => {
  const options = { agent, isStopping, json: false }
  const deny = Approvals.deny({}, "Nobody is there to be asked.")
  const approvals = Option.contains(planMode, "auto") ? [planRule(planMode), deny] : [deny]
  return {
    asking: { approvals, questions: "off" },
    opening: Effect.void,
    talk: (session) =>
      Effect.succeed({
        show: (events) => show(events, options),
        drive: Stream.concat(Stream.fromIterable(Option.toArray(first)), prompts).pipe(
          Stream.filter((line) => line.trim() !== ""),
          Stream.runForEach((line) => Stream.runDrain(session.turn(line)))
        )
      }),
    showFailure: (events) => show(events, options),
    end: Effect.succeed(true)
  }
}
