/** The methods of the service for runs: the events of a run, or its result with failures in the error channel. */
import { Effect, Predicate, Result, Schema, type Scope, Stream } from "effect"
import type { Cli } from "../../cli/Cli.ts"
import { AgentError, InvalidParams } from "../../contract/AgentError.ts"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { AgentExecuteParams } from "../../contract/AgentExecuteParams.ts"
import type { AgentRunResult } from "../../contract/AgentRunResult.ts"
import { Callback, makeParser } from "../../contract/checkInput.ts"
import type { RunOptions } from "../../contract/PlainAgent.ts"
import type { End } from "../../contract/Start.ts"
import { type Answering, outputOf, withOutput } from "../answers/answering.ts"
import { resultOfNothing } from "../engine/result.ts"

export interface Opened {
  readonly events: Stream.Stream<AgentEvent>
  readonly ended: () => End | undefined
  /** Set for a run with an `outputSchema`. */
  readonly answering?: Answering | undefined
}

const resultOf = <Output>(
  cli: Cli,
  ended: End | undefined,
  answering: Answering | undefined
): Effect.Effect<AgentRunResult<Output>, AgentError> => {
  if (ended === undefined) return Effect.die(new Error("the run ended without done"))
  const { result, failure, hadOutput } = ended
  if (failure === undefined) return Effect.succeed(outputOf(answering, result))
  return Effect.fail(new AgentError({ cli: cli.id, reason: failure, result, hadOutput }))
}

const parseOptions = makeParser(Schema.Struct({ onEvent: Schema.optional(Callback) }), "options")

/** Plain JavaScript has no types, and events that go nowhere would not be noticed. */
const checkOptions = (cli: Cli, options: unknown): Effect.Effect<void, AgentError> => {
  const checked: Result.Result<unknown, InvalidParams> = Predicate.isFunction(options)
    ? Result.fail(new InvalidParams({ option: "options", problem: "is a function: pass { onEvent: … }" }))
    : parseOptions(options)
  if (Result.isSuccess(checked)) return Effect.void
  const reason = checked.failure
  return Effect.fail(new AgentError({ cli: cli.id, reason, result: resultOfNothing(reason), hadOutput: false }))
}

export const methodsOf = (
  cli: Cli,
  open: (params: AgentExecuteParams) => Effect.Effect<Opened, never, Scope.Scope>
) => ({
  cli: cli.id,
  execute: <Output>(params: AgentExecuteParams<Output>): Stream.Stream<AgentEvent<Output>> =>
    Stream.unwrap(Effect.map(open(params), ({ events, answering }) => withOutput<Output>(answering, events))),
  run: <Output>(
    params: AgentExecuteParams<Output>,
    options: RunOptions = {}
  ): Effect.Effect<AgentRunResult<Output>, AgentError> =>
    Effect.gen(function* () {
      yield* checkOptions(cli, options)
      const { onEvent } = options
      const { events, ended, answering } = yield* open(params)
      yield* Stream.runForEachArray(events, (several) =>
        Effect.sync(() => {
          if (onEvent !== undefined) for (const event of several) onEvent(event)
        })
      )
      return yield* resultOf<Output>(cli, ended(), answering)
    }).pipe(Effect.scoped)
})
