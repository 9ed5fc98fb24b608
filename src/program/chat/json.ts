/**
 * `reins chat --json`: a session that another program drives. Commands come on stdin, one a line; stdout has the events
 * and nothing else; what became of a command is one line of JSON on stderr.
 */
import { Console, Effect, FiberSet, Option, Result, Stream } from "effect"
import * as Approvals from "../../Approvals.ts"
import type { AgentSession } from "../../contract/AgentSession.ts"
import { planRule } from "../planMode.ts"
import { show } from "../show.ts"
import { parseCommand } from "./commands.ts"
import { makeCounters } from "./counters.ts"
import { makePerform, type Reply } from "./perform.ts"
import { mostLineBytes, type StdinLine, stdinLines } from "./stdinLines.ts"
import type { Way } from "./way.ts"

export const chatJson: Way = ({ agent, first, planMode, isStopping }) => {
  const options = { agent, isStopping, json: true }
  let end = Effect.succeed(true)
  return {
    asking: { approvals: [planRule(planMode), Approvals.ask()], questions: {} },
    opening: Effect.void,
    talk: (session) =>
      Effect.map(makeDriver(session, first), (driver) => {
        end = driver.end
        return { show: (events) => show(Stream.tap(events, driver.hear), options), drive: driver.drive }
      }),
    showFailure: (events) => show(events, options),
    end: Effect.suspend(() => end)
  }
}

const reply = (line: number, told: Reply) => Console.error(JSON.stringify({ line, ...told }))

const tooLong = `is longer than ${mostLineBytes} bytes`

const late = "nothing that this could answer was asked any more"

/** Commands of a program, for one session. */
const makeDriver = Effect.fnUntraced(function* (session: AgentSession, first: Option.Option<string>) {
  let isGood = true
  const bad = (line: number, problem: string) => {
    isGood = false
    return reply(line, { ok: false, problem })
  }

  const counters = makeCounters({
    ...session,
    told: (line, outcome) => {
      if (typeof outcome !== "string") return bad(line, outcome.problem)
      return reply(line, outcome === "taken" ? { ok: true } : { ok: false, problem: late })
    }
  })
  const tasks = yield* FiberSet.make<void>()
  const begin = FiberSet.run(tasks, { startImmediately: true })
  const { turn, perform } = makePerform({ session, counters, begin, reply })
  /** Gives whether the session shall close now. */
  const obey = ({ text, number }: StdinLine) => {
    if (text === undefined) return Effect.as(bad(number, tooLong), false)
    const command = parseCommand(text)
    if (Result.isFailure(command)) return Effect.as(bad(number, command.failure), false)
    return Effect.as(perform(number, command.success), command.success.type === "close")
  }

  const drive = Effect.gen(function* () {
    if (Option.isSome(first)) yield* turn(first.value)
    const isClosed = yield* Stream.mapEffect(stdinLines, obey).pipe(
      Stream.takeUntil((isClose) => isClose),
      Stream.runLast,
      Effect.catch((error) => Effect.asSome(Effect.as(bad(0, `stdin: ${error.reason._tag}`), false)))
    )
    if (Option.contains(isClosed, true)) return
    yield* counters.close
    yield* FiberSet.awaitEmpty(tasks)
    // Also a turn that the agent begins by itself is finished.
    yield* session.idle
  })

  /** Tells which answers were for nothing, and gives whether all lines were good. */
  const end = Effect.map(counters.end, () => isGood)
  return { hear: counters.hear, drive, end }
})
