/** Runs of an agent that has only sessions: each is a session with one turn, whose end is the outcome of the run. */
import { Clock, Effect, Result, type Scope, Stream } from "effect"
import type { Cli } from "../../cli/Cli.ts"
import type { AgentError, FailureReason } from "../../contract/AgentError.ts"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { AgentExecuteParams } from "../../contract/AgentExecuteParams.ts"
import type { AgentOpenParams } from "../../contract/AgentOpenParams.ts"
import type { LoadedAttachment } from "../../contract/Attachment.ts"
import type { End } from "../../contract/Start.ts"
import { startStopwatch } from "../../system/hostClock.ts"
import { loadAttachments } from "../engine/attachments.ts"
import { acceptParams } from "../engine/prepare.ts"
import { errorEvent, resultOfNothing } from "../engine/result.ts"
import { methodsOf, type Opened } from "../run/methods.ts"
import type { OpenedSession } from "./openLive.ts"

type Open = (params: AgentOpenParams) => Effect.Effect<OpenedSession, AgentError, Scope.Scope>

const refused = ({ reason, result, hadOutput }: Pick<AgentError, "reason" | "result" | "hadOutput">): Opened => ({
  events: Stream.fromIterable([errorEvent(reason), { type: "done", result }]),
  ended: () => ({ result, failure: reason, hadOutput })
})

const refusedFor = (reason: FailureReason) => refused({ reason, result: resultOfNothing(reason), hadOutput: false })

/** Runs the turn; the first events of the session come before its events. */
const runIn = Effect.fnUntraced(function* (
  { session, begin }: OpenedSession,
  { prompt, outputSchema, retries }: AgentExecuteParams,
  attached: ReadonlyArray<LoadedAttachment>,
  elapsedMs: () => number
): Effect.fn.Return<Opened, never, Scope.Scope> {
  const before = Stream.takeUntil(session.events, ({ type }) => type === "session" || type === "done")
  const first = Stream.filter(before, ({ type }) => type !== "done" && type !== "error")
  const turn = yield* begin(prompt, { outputSchema, retries }, Effect.succeed(attached))
  let ended: End | undefined

  const asRun = (event: AgentEvent): AgentEvent => {
    if (event.type !== "turn_done") return event
    // The run began before its turn did.
    const result = { ...event.result, durationMs: elapsedMs() }
    ended = turn.ended && { ...turn.ended, result }
    return { type: "done", result }
  }
  const events = Stream.map(Stream.concat(first, turn.backlog.events), asRun)
  return { events, ended: () => ended, answering: turn.answering }
})

export const runsOfSessions = (cli: Cli, open: Open) =>
  methodsOf(cli, (input) =>
    Effect.gen(function* () {
      const elapsedMs = startStopwatch(yield* Clock.Clock)
      const accepted = acceptParams(cli, input)
      if (Result.isFailure(accepted)) return refusedFor(accepted.failure)
      const { prompt: _, attachments = [], outputSchema: __, retries: ___, ...params } = accepted.success
      // Before the agent is started.
      const loaded = yield* Effect.result(loadAttachments(cli, attachments, params.workingDirectory ?? ""))
      if (Result.isFailure(loaded)) return refusedFor(loaded.failure)
      const opened = yield* Effect.result(open(params))
      if (Result.isFailure(opened)) return refused(opened.failure)
      return yield* runIn(opened.success, input, loaded.success, elapsedMs)
    })
  )
