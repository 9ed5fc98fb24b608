/**
 * `reins chat --json`: a session that another program drives. Commands are JSON lines on stdin, events JSON lines on
 * stdout; the outcome of a command is one JSON line on stderr.
 */
import { Console, Effect, FiberSet, Option, Result, Stream } from "effect"
import * as Approvals from "../../agents/Approvals.ts"
import type { AgentSession } from "../../contract/AgentSession.ts"
import { untraced } from "../../contract/untraced.ts"
import { planRule } from "../planMode.ts"
import { show } from "../show.ts"
import { makeAnswerQueues } from "./answerQueues.ts"
import { parseCommand } from "./commands.ts"
import { maxLineBytes, type StdinLine, stdinLines } from "./lines.ts"
import { makePerform, type Reply } from "./perform.ts"
import type { ChatMode } from "./runSession.ts"

export const chatJson: ChatMode = ({ agent, firstPrompt, planMode, isStopping }) => {
  const options = { agent, isStopping, form: "events", command: "chat" } as const
  let finish = Effect.succeed(true)
  return {
    answering: { approvals: [planRule(planMode), Approvals.ask()], questions: {} },
    announce: Effect.void,
    makeDriver: (session) =>
      Effect.map(makeCommandDriver(session, firstPrompt), (driver) => {
        finish = driver.finish
        return { show: (events) => show(Stream.tap(events, driver.onEvent), options), drive: driver.drive }
      }),
    showFailure: (events) => show(events, options),
    finish: Effect.suspend(() => finish)
  }
}

const reply = (line: number, outcome: Reply) => Console.error(JSON.stringify({ line, ...outcome }))
const tooLong = `is longer than ${maxLineBytes} bytes`
const late = "no open request was left for this answer"

const makeCommandDriver = Effect.fn(...untraced("Json.makeCommandDriver"))(function* (
  session: AgentSession,
  firstPrompt: Option.Option<string>
) {
  let areAllValid = true
  const refuse = (line: number, problem: string) => {
    areAllValid = false
    return reply(line, { ok: false, problem })
  }

  const queues = makeAnswerQueues({
    ...session,
    report: (line, outcome) => {
      if (typeof outcome !== "string") return refuse(line, outcome.problem)
      return reply(line, outcome === "accepted" ? { ok: true } : { ok: false, problem: late })
    }
  })
  const tasks = yield* FiberSet.make<void>()
  const begin = FiberSet.run(tasks, { startImmediately: true })
  const { turn, perform } = makePerform({ session, queues, begin, reply })
  /** Returns whether to close the session now. */
  const performLine = ({ text, number }: StdinLine) => {
    if (text === undefined) return Effect.as(refuse(number, tooLong), false)
    const command = parseCommand(text)
    if (Result.isFailure(command)) return Effect.as(refuse(number, command.failure), false)
    return Effect.as(perform(number, command.success), command.success.type === "close")
  }

  const drive = Effect.gen(function* () {
    if (Option.isSome(firstPrompt)) yield* turn(firstPrompt.value)
    const isClosed = yield* Stream.mapEffect(stdinLines, performLine).pipe(
      Stream.takeUntil((isClose) => isClose),
      Stream.runLast,
      Effect.catch((error) => Effect.asSome(Effect.as(refuse(0, `stdin: ${error.reason._tag}`), false)))
    )
    if (Option.contains(isClosed, true)) return
    yield* queues.close
    yield* FiberSet.awaitEmpty(tasks)
    // Waits also for a turn that the agent started by itself.
    yield* session.idle
  })

  /** Reports unused answers, and returns whether all lines were valid. */
  const finish = Effect.map(queues.reportUnused, () => areAllValid)
  return { onEvent: queues.onEvent, drive, finish }
})
