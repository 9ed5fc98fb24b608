/** Requests in scripted events, decided by the session's rules and handlers as in a real one; later events wait. */
import { type Cause, Clock, Effect, FiberSet, Queue, Stream } from "effect"
import { makeApprover } from "../../agents/approvals/approver.ts"
import { visibleLength } from "../../agents/approvals/planGate.ts"
import { makeOpenRequests, type OpenRequests } from "../../agents/session/openRequests.ts"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { AgentOpenParams } from "../../contract/AgentOpenParams.ts"
import type { PermissionRequestEvent, QuestionEvent } from "../../contract/SessionEvent.ts"
import { startStopwatch } from "../../system/hostClock.ts"

type Asking = PermissionRequestEvent | QuestionEvent

interface ScriptedAsks extends Pick<OpenRequests, "decide" | "answer" | "turnInterrupted"> {
  /** Returns the event, or a request with its answer. */
  readonly events: (event: AgentEvent, unwanted: Effect.Effect<void>) => Stream.Stream<AgentEvent>
}

const isAsking = (event: AgentEvent): event is Asking =>
  event.type === "permission_request" || event.type === "question"

const isAnswerTo = (event: AgentEvent, requestId: string) =>
  (event.type === "permission_decision" || event.type === "question_answer") && event.requestId === requestId

/** Only listeners of the events are notified. */
const noAgent = { decide: () => [], answer: () => [], reply: () => [] }

export const makeScriptedAsks = Effect.fnUntraced(function* (params: AgentOpenParams) {
  const clock = yield* Clock.Clock
  const fork = yield* FiberSet.makeRuntime<never, void, never>()
  const { approvals = [], questions, workingDirectory = "/" } = params
  const open = new Set<string>()
  let textLength = 0
  let give: (event: AgentEvent) => void = () => {}
  const facts = { workingDirectory, now: startStopwatch(clock), textLength: () => textLength, turn: () => undefined }
  const requests = makeOpenRequests({
    questions,
    workingDirectory,
    approver: makeApprover(approvals, facts),
    dialogue: noAgent,
    give: (event) => give(event),
    perform: () => {},
    planAllowed: () => {},
    isWritable: () => true,
    fork,
    clock
  })

  const ask = (event: Asking) => {
    if (event.type === "question") return requests.question(event)
    const { type: _, preview: _preview, notShown: _notShown, scopes: _scopes, deadlineMs: _until, ...request } = event
    requests.permission({ ...request, takesInput: true })
  }

  const answered = (event: Asking, unwanted: Effect.Effect<void>) =>
    Stream.unwrap(
      Effect.gen(function* () {
        const { requestId } = event
        const events = yield* Queue.unbounded<AgentEvent, Cause.Done>()
        open.add(requestId)
        give = (next) => {
          Queue.offerUnsafe(events, next)
          if (isAnswerTo(next, requestId)) Queue.endUnsafe(events)
        }
        const withdraw = Effect.sync(() => requests.withdraw(requestId))
        yield* Effect.addFinalizer(() => withdraw)
        yield* Effect.forkScoped(Effect.andThen(unwanted, withdraw), { startImmediately: true })
        ask(event)
        return Stream.fromQueue(events)
      })
    )

  return {
    ...requests,
    events: (event, unwanted) => {
      if (event.type === "text" && event.parentToolId === undefined) textLength += visibleLength(event.text)
      if (isAsking(event)) return answered(event, unwanted)
      // Decisions of the script itself come too late.
      const isDecided = "requestId" in event && open.has(event.requestId)
      return isDecided ? Stream.empty : Stream.make(event)
    }
  } satisfies ScriptedAsks
})
