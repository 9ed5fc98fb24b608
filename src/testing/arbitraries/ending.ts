/** Generated outcomes of runs: their last events, for a given text. */
import { Arbitrary, Schema } from "effect"
import { errorEvent, makeResult } from "../../agents/engine/result.ts"
import { type FailureReason, SessionChanged } from "../../contract/AgentError.ts"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { ProcessExit } from "../../contract/AgentRunResult.ts"
import { failure } from "./failures.ts"
import { Count, Text, Usage, Word } from "./values.ts"

const Denial = Schema.Struct({ toolName: Word, toolId: Word, input: Schema.optionalKey(Schema.Json) })

const Report = Schema.Struct({
  usage: Schema.optionalKey(Usage),
  totalCostUsd: Schema.optionalKey(Count),
  apiDurationMs: Schema.optionalKey(Count),
  numTurns: Schema.optionalKey(Count),
  stopReason: Schema.optionalKey(Word),
  permissionDenials: Schema.optionalKey(Schema.Array(Denial)),
  structuredOutput: Schema.optionalKey(Schema.Json)
})

const Facts = Schema.Struct({ durationMs: Count, stderr: Text, report: Report })
type Facts = typeof Facts.Type

type Done = Extract<AgentEvent, { readonly type: "done" }>

export interface Ending {
  readonly isFailure: boolean
  readonly done: (text: string, sessionId: string | undefined) => Done
  readonly events: (text: string, sessionId: string | undefined) => ReadonlyArray<AgentEvent>
}

interface Outcome {
  readonly reason: FailureReason | undefined
  readonly exit?: ProcessExit
}

const endingOf = ({ reason, ...exit }: Outcome, { report: reported, ...facts }: Facts): Ending => {
  /** A run of another session keeps the id of its own. */
  const reasonIn = (sessionId: string | undefined) =>
    reason?._tag === "SessionChanged" && sessionId !== undefined
      ? new SessionChanged({ asked: sessionId, got: reason.got })
      : reason
  const done: Ending["done"] = (text, sessionId) => {
    const report = sessionId === undefined ? reported : { ...reported, sessionId }
    const ending = { failure: reasonIn(sessionId), ...exit }
    return { type: "done", result: makeResult({ ending, text, report, ...facts }) }
  }
  const errors = (sessionId: string | undefined) => {
    const failure = reasonIn(sessionId)
    return failure === undefined ? [] : [errorEvent(failure)]
  }
  return {
    isFailure: reason !== undefined,
    done,
    events: (text, sessionId) => [...errors(sessionId), done(text, sessionId)]
  }
}

const completed = Arbitrary.Constant<Outcome>({ reason: undefined })

const outcome: Arbitrary.Arbitrary<Outcome> = Arbitrary.flatMap(
  Arbitrary.schema(Schema.Boolean),
  (isFailure): Arbitrary.Arbitrary<Outcome> => (isFailure ? failure : completed)
)

export const ending: Arbitrary.Arbitrary<Ending> = Arbitrary.map(
  Arbitrary.all([outcome, Arbitrary.schema(Facts)]),
  ([outcome, facts]) => endingOf(outcome, facts)
)
