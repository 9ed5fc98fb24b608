/** The methods of the service for runs: the events of a run, or its result with failures in the error channel. */
import { Effect, type Scope, Stream } from "effect"
import type { Cli } from "../cli/Cli.ts"
import { AgentError } from "../contract/AgentError.ts"
import type { AgentEvent } from "../contract/AgentEvent.ts"
import type { AgentExecuteParams } from "../contract/AgentExecuteParams.ts"
import type { AgentRunResult } from "../contract/AgentRunResult.ts"
import type { End } from "../contract/Start.ts"

/** One run: its events, and its end once they have ended. */
export interface Opened {
  readonly events: Stream.Stream<AgentEvent>
  readonly ended: () => End | undefined
}

const resultOf = (cli: Cli, ended: End | undefined): Effect.Effect<AgentRunResult, AgentError> => {
  if (ended === undefined) return Effect.die(new Error("the run ended without done"))
  const { result, failure, hadOutput } = ended
  if (failure === undefined) return Effect.succeed(result)
  return Effect.fail(new AgentError({ cli: cli.id, reason: failure, result, hadOutput }))
}

export const methodsOf = (
  cli: Cli,
  open: (params: AgentExecuteParams) => Effect.Effect<Opened, never, Scope.Scope>
) => ({
  cli: cli.id,
  execute: (params: AgentExecuteParams) => Stream.unwrap(Effect.map(open(params), ({ events }) => events)),
  run: Effect.fnUntraced(function* (params: AgentExecuteParams) {
    const { events, ended } = yield* open(params)
    yield* Stream.runDrain(events)
    return yield* resultOf(cli, ended())
  }, Effect.scoped)
})
