/** Runs of an agent that can only hold sessions: each is one session with one turn, and ends when that is over. */
import { Effect, Result, type Scope, Stream } from "effect"
import type { AgentError, FailureReason } from "../AgentError.ts"
import type { AgentEvent, ErrorEvent } from "../AgentEvent.ts"
import type { AgentExecuteParams } from "../AgentExecuteParams.ts"
import type { AgentOpenParams } from "../AgentOpenParams.ts"
import type { AgentSession } from "../AgentSession.ts"
import type { Cli } from "../cli/Cli.ts"
import { errorEvent, resultOfNothing } from "../run/failure.ts"
import { methodsOf, type Opened } from "../run/methods.ts"
import type { Ended } from "../run/outbox.ts"
import { acceptParams } from "../run/prepare.ts"
import { retold } from "../run/retold.ts"

type Open = (params: AgentOpenParams) => Effect.Effect<AgentSession, AgentError, Scope.Scope>

const outputs: ReadonlySet<AgentEvent["type"]> = new Set(["text", "thinking", "tool_use"])

const refused = ({ reason, result, hadOutput }: Pick<AgentError, "reason" | "result" | "hadOutput">): Opened => ({
  events: Stream.fromIterable([errorEvent(reason), { type: "done", result }]),
  ended: () => ({ result, failure: reason, hadOutput })
})

const refusedFor = (reason: FailureReason) => refused({ reason, result: resultOfNothing(reason), hadOutput: false })

/** What the session told at its beginning, then its one turn, whose end is the run's. */
const runIn = (cli: Cli, session: AgentSession, prompt: string): Opened => {
  let ended: Ended | undefined
  let error: ErrorEvent | undefined
  let hadOutput = false

  const asRun = (event: AgentEvent): AgentEvent => {
    if (outputs.has(event.type)) hadOutput = true
    if (event.type === "error") error = event
    if (event.type !== "turn_done") return event
    const { result } = event
    ended = { result, failure: result.outcome === "completed" ? undefined : retold(cli, error, result), hadOutput }
    return { type: "done", result }
  }

  const before = Stream.takeUntil(session.events, ({ type }) => type === "session" || type === "done")
  const told = Stream.filter(before, ({ type }) => type !== "done" && type !== "error")
  return { events: Stream.map(Stream.concat(told, session.turn(prompt)), asRun), ended: () => ended }
}

export const runsOfSessions = (cli: Cli, open: Open) =>
  methodsOf(cli, (input) =>
    Effect.gen(function* () {
      const accepted = acceptParams(cli, input)
      if (Result.isFailure(accepted)) return refusedFor(accepted.failure)
      const { prompt, outputSchema: _outputSchema, ...params }: AgentExecuteParams = accepted.success
      const session = yield* Effect.result(open(params))
      return Result.isFailure(session) ? refused(session.failure) : runIn(cli, session.success, prompt)
    })
  )
