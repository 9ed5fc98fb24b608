/**
 * `reins chat --json`: a session that another program drives. Commands come on stdin, one a line; stdout has the events
 * and nothing else; what became of a command is one line of JSON on stderr.
 */
import { Console, Deferred, Effect, FiberSet, Option, Result, Stdio, Stream } from "effect"
import type { AgentError } from "../AgentError.ts"
import type { AgentEvent } from "../AgentEvent.ts"
import type { AgentSession } from "../AgentSession.ts"
import type { PlanAnswer } from "../Approvals.ts"
import * as Approvals from "../Approvals.ts"
import { type ChatCommand, type Decide, parseCommand } from "./chatCommands.ts"
import { makeCounters } from "./chatCounters.ts"
import type { Way } from "./chatWay.ts"
import { show } from "./show.ts"

/** What became of the command on a line. */
type Reply = { readonly ok: true; readonly [fact: string]: unknown } | { readonly ok: false; readonly problem: string }

const reply = (line: number, told: Reply) => Console.error(JSON.stringify({ line, ...told }))

const late = "nothing that this could answer was asked any more"

const answerOf = ({ type: _, requestId: __, ...answer }: Decide): PlanAnswer => answer

export const chatJson: Way = ({ agent, first, isStopping }) => {
  const options = { agent, isStopping, json: true }
  let end = Effect.succeed(true)
  return {
    asking: { approvals: [Approvals.plan(), Approvals.ask()], questions: {} },
    opening: Effect.void,
    talk: (session) =>
      Effect.map(makeJsonDriver(session, first), (driver) => {
        end = driver.end
        return { show: (events) => show(Stream.tap(events, driver.hear), options), drive: driver.drive }
      }),
    showFailure: (events) => show(events, options),
    end: Effect.suspend(() => end)
  }
}

interface Line {
  readonly number: number
  readonly command: ChatCommand
}

/** Commands of a program, for one session. */
const makeJsonDriver = Effect.fnUntraced(function* (session: AgentSession, first: Option.Option<string>) {
  const counters = makeCounters({
    decide: (requestId, answer) => session.decide(requestId, answer),
    answer: (requestId, answers) => session.answer(requestId, answers),
    told: (line, isTaken) => reply(line, isTaken ? { ok: true } : { ok: false, problem: late })
  })
  const turns = yield* makeTurnsAsked
  const tasks = yield* FiberSet.make<void>()
  /** Begun at once, so that what follows finds it under way; not waited for. */
  const begin = FiberSet.run(tasks, { startImmediately: true })
  let isBad = false

  const told = <A>(line: number, wish: Effect.Effect<A, AgentError>, facts: (value: A) => Reply) =>
    Effect.matchEffect(wish, {
      onFailure: ({ reason }) => reply(line, { ok: false, problem: reason.message }),
      onSuccess: (value) => reply(line, facts(value))
    })

  const turn = (prompt: string) => begin(Stream.runDrain(session.turn(prompt)))

  const send = (line: number, text: string) =>
    told(line, session.send(text), (delivery) => {
      if (delivery !== "steered") turns.asked()
      return { ok: true, delivery }
    })

  const perform = ({ number, command }: Line): Effect.Effect<unknown> => {
    switch (command.type) {
      case "turn":
        turns.asked()
        return turn(command.prompt)
      case "send":
        return send(number, command.text)
      case "decide":
        return counters.permissions.take(number, command.requestId, answerOf(command))
      case "answer":
        return counters.questions.take(number, command.requestId, command.answers)
      case "interrupt":
        return begin(
          told(number, session.interrupt, (was) =>
            was ? { ok: true } : { ok: false, problem: "no turn was under way" }
          )
        )
      case "set_model":
        return begin(told(number, session.setModel(command.model), () => ({ ok: true })))
      case "set_permission_mode":
        return begin(told(number, session.setPermissionMode(command.permissionMode), () => ({ ok: true })))
      case "close":
        return Effect.void
    }
  }

  const bad = (line: number, problem: string) => {
    isBad = true
    return reply(line, { ok: false, problem })
  }

  const lines = Stream.unwrap(Stdio.Stdio.useSync(({ stdin }) => stdin)).pipe(
    Stream.decodeText(),
    Stream.splitLines,
    Stream.zipWithIndex,
    Stream.map(([text, index]) => ({ text, number: index + 1 })),
    Stream.filter(({ text }) => text.trim() !== "")
  )

  /** Gives whether the session shall close now. */
  const obey = ({ text, number }: { readonly text: string; readonly number: number }) => {
    const command = parseCommand(text)
    if (Result.isFailure(command)) return Effect.as(bad(number, command.failure), false)
    return Effect.as(perform({ number, command: command.success }), command.success.type === "close")
  }

  const obeyAll = lines.pipe(
    Stream.mapEffect(obey),
    Stream.takeUntil((isClose) => isClose),
    Stream.runLast,
    Effect.map(Option.getOrElse(() => false)),
    Effect.catch((error) => Effect.as(bad(0, `stdin: ${error.reason._tag}`), false))
  )

  const drive = Effect.gen(function* () {
    if (Option.isSome(first)) {
      turns.asked()
      yield* turn(first.value)
    }
    if (yield* obeyAll) return
    yield* counters.close
    yield* FiberSet.awaitEmpty(tasks)
    yield* turns.allDone
  })

  const hear = (event: AgentEvent) => {
    turns.hear(event)
    return counters.hear(event)
  }
  /** Tells which answers were for nothing, and gives whether all lines were good. */
  const end = Effect.map(counters.end, () => !isBad)
  return { hear, drive, end }
})

/** How many turns are still owed: also those that a text has begun which was sent. */
const makeTurnsAsked = Effect.sync(() => {
  let owed = 0
  let waiting: Deferred.Deferred<void> | undefined
  const allDone: Effect.Effect<void> = Effect.suspend(() => {
    if (owed === 0) return Effect.void
    waiting = Deferred.makeUnsafe()
    // What came along with the last may owe another.
    return Effect.andThen(Deferred.await(waiting), allDone)
  })
  const hear = (event: AgentEvent) => {
    // A text that was to be taken up begins a turn after all.
    if (event.type === "notice" && event.kind === "queued") owed += 1
    if (event.type !== "turn_done") return
    owed = Math.max(0, owed - 1)
    if (owed === 0 && waiting !== undefined) Deferred.doneUnsafe(waiting, Effect.void)
  }
  const asked = () => {
    owed += 1
  }
  return { asked, hear, allDone }
})
