/** The ways in which a run that had started can fail, generated. */
import { Arbitrary, Schema } from "effect"
import {
  Aborted,
  AgentFailed,
  Exited,
  type FailureReason,
  Killed,
  NoResult,
  SchemaNotMet,
  SessionChanged,
  TimedOut,
  WatchState
} from "../../contract/AgentError.ts"
import type { ProcessExit } from "../../contract/AgentRunResult.ts"
import { ErrorCategory } from "../../contract/AgentRunResult.ts"
import { Count, SessionId, Text, Word } from "./values.ts"

const Failure = Schema.Union([
  Schema.Struct({
    kind: Schema.Literal("failed"),
    code: Word,
    category: ErrorCategory,
    detail: Text,
    retryAfterMs: Schema.optionalKey(Count)
  }),
  Schema.Struct({ kind: Schema.Literal("aborted") }),
  Schema.Struct({ kind: Schema.Literal("timed out"), state: WatchState, budgetMs: Count }),
  Schema.Struct({
    kind: Schema.Literal("exited"),
    exitCode: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 255 })),
    category: ErrorCategory,
    stderr: Text
  }),
  Schema.Struct({
    kind: Schema.Literal("killed"),
    signal: Schema.Literals(["SIGKILL", "SIGTERM", "SIGSEGV"]),
    stderr: Text
  }),
  Schema.Struct({ kind: Schema.Literal("no result"), stderr: Text }),
  Schema.Struct({ kind: Schema.Literal("session changed"), asked: SessionId, got: Word }),
  Schema.Struct({ kind: Schema.Literal("schema not met"), problem: Word })
])
type Failure = typeof Failure.Type

export interface Failed {
  readonly reason: FailureReason
  readonly exit?: ProcessExit
}

const failedOf = (failure: Failure): Failed => {
  switch (failure.kind) {
    case "failed":
      return { reason: new AgentFailed(failure) }
    case "aborted":
      return { reason: new Aborted() }
    case "timed out":
      return { reason: new TimedOut(failure) }
    case "exited":
      return { reason: new Exited(failure), exit: { code: failure.exitCode } }
    case "killed":
      return { reason: new Killed(failure), exit: { signal: failure.signal } }
    case "no result":
      return { reason: new NoResult(failure), exit: { code: 0 } }
    case "session changed":
      return { reason: new SessionChanged(failure) }
    case "schema not met":
      return { reason: new SchemaNotMet(failure) }
  }
}

export const failure: Arbitrary.Arbitrary<Failed> = Arbitrary.map(Arbitrary.schema(Failure), failedOf)
