/** A turn of a conversation as a stream of events, and as an effect with its failure in the error channel. */
import { Effect, Exit, Result, Stream } from "effect"
import { withOutput } from "../../agents/answers/answering.ts"
import { OwnGates, OwnObservers } from "../../agents/engine/ownSeams.ts"
import { failedRun, resultOfNothing } from "../../agents/engine/result.ts"
import { AgentError, type FailureReason } from "../../contract/AgentError.ts"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { AgentExecuteParams } from "../../contract/AgentExecuteParams.ts"
import type { AgentRunResult } from "../../contract/AgentRunResult.ts"
import type { RunOptions } from "../../contract/PlainAgent.ts"
import type { ConversationContext } from "./context.ts"
import { noticesFirst } from "./noticesFirst.ts"
import { errorOfEnd, eventsOfEnd } from "./storedEnd.ts"
import { type Attempt, beginTurn, type TurnCourse } from "./turnCourse.ts"
import { turnRequest } from "./turnRequest.ts"

const begin = (context: ConversationContext, params: unknown, tell: (event: AgentEvent) => void) =>
  Effect.flatMap(Effect.fromResult(turnRequest<AgentExecuteParams>(params)), (request) =>
    beginTurn(context, request, tell)
  )

/** Holds back the error and the end of a run that is followed by another: `done` comes once, and last. */
const makePassing = ({ again }: Attempt) => {
  let held: ReadonlyArray<AgentEvent> = []
  return (event: AgentEvent): ReadonlyArray<AgentEvent> => {
    const before = held
    held = []
    if (event.type === "done" && again() !== undefined) return []
    if (event.type !== "error") return [...before, event]
    held = [...before, event]
    return []
  }
}

const runsOf = (context: ConversationContext, next: Effect.Effect<Attempt, FailureReason>): Stream.Stream<AgentEvent> =>
  Stream.unwrap(
    Effect.match(next, {
      onFailure: (reason): Stream.Stream<AgentEvent> => Stream.fromIterable(failedRun(reason)),
      onSuccess: (attempt) => {
        const pass = makePassing(attempt)
        const run = context.agent.execute(attempt.params).pipe(
          Stream.mapAccumArray(
            () => undefined,
            (state, events) => [state, events.flatMap(pass)] as const
          ),
          Stream.provideService(OwnGates, attempt.gates),
          Stream.provideService(OwnObservers, attempt.observers)
        )
        const after = Stream.suspend(() => {
          const notice = attempt.again()
          return notice === undefined ? Stream.empty : Stream.concat(Stream.make(notice), runsOf(context, next))
        })
        return Stream.concat(run, after)
      }
    })
  )

const eventsOf = (
  context: ConversationContext,
  begun: Result.Result<TurnCourse, FailureReason>
): Stream.Stream<AgentEvent> => {
  if (Result.isFailure(begun)) return Stream.fromIterable(failedRun(begun.failure))
  const course = begun.success
  return course._tag === "Over" ? Stream.fromIterable(eventsOfEnd(course.end)) : runsOf(context, course.next)
}

/** Never fails: a failure is an `error` event before `done`. */
export const executeTurn = <Output>(context: ConversationContext, params: unknown): Stream.Stream<AgentEvent<Output>> =>
  withOutput<Output>(
    undefined,
    noticesFirst((tell) => Effect.map(Effect.result(begin(context, params, tell)), (begun) => eventsOf(context, begun)))
  )

export const refused = (cli: string, reason: FailureReason) =>
  new AgentError({ cli, reason, result: resultOfNothing(reason), hadOutput: false })

export const runTurn = <Output>(
  context: ConversationContext,
  params: unknown,
  { onEvent }: RunOptions = {}
): Effect.Effect<AgentRunResult<Output>, AgentError> =>
  Effect.gen(function* () {
    const { agent } = context
    const tell = (event: AgentEvent) => onEvent?.(event)
    const refusing = Effect.mapError((reason: FailureReason) => refused(agent.cli, reason))
    const course = yield* refusing(begin(context, params, tell))
    if (course._tag === "Over") {
      eventsOfEnd(course.end).forEach(tell)
      const error = errorOfEnd(agent.cli, course.end)
      return error === undefined ? (course.end.result as AgentRunResult<Output>) : yield* error
    }
    while (true) {
      const attempt: Attempt = yield* refusing(course.next)
      const pass = makePassing(attempt)
      const exit = yield* agent
        .run<Output>(attempt.params as AgentExecuteParams<Output>, { onEvent: (event) => pass(event).forEach(tell) })
        .pipe(
          Effect.provideService(OwnGates, attempt.gates),
          Effect.provideService(OwnObservers, attempt.observers),
          Effect.exit
        )
      const notice = attempt.again()
      if (notice === undefined || Exit.hasInterrupts(exit)) return yield* exit
      tell(notice)
    }
  }).pipe(Effect.scoped)
