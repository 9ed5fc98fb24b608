/** Generates failures of started runs from the union of reasons. */
import { Arbitrary, Schema } from "effect"
import type { ProcessExit } from "../../contract/AgentRunResult.ts"
import { FailureReason } from "../../contract/FailureReason.ts"
import { BillingMismatch, PermissionModeMismatch } from "../../contract/Failures.ts"
import * as notAdmitted from "../../contract/NotAdmitted.ts"
import * as refusals from "../../contract/Refusals.ts"
import { Count, SessionId, Text, Word } from "./values.ts"

/** Readable values for open facts of reasons, by field. */
const likely: Readonly<Record<string, Schema.Constraint>> = {
  code: Word,
  detail: Text,
  stderr: Text,
  problem: Word,
  asked: SessionId,
  got: Word,
  exitCode: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 255 })),
  signal: Schema.Literals(["SIGKILL", "SIGTERM", "SIGSEGV"]),
  budgetMs: Count,
  retryAfterMs: Schema.optionalKey(Count)
}

/** Failures that end a run before its first tool. */
const early: ReadonlySet<unknown> = new Set([
  ...Object.values(refusals),
  ...Object.values(notAdmitted),
  BillingMismatch,
  PermissionModeMismatch
])

const decode = Schema.decodeUnknownSync(FailureReason)

export interface Failed {
  readonly reason: FailureReason
  readonly exit?: ProcessExit
}

const failedOf = (reason: FailureReason): Failed => {
  if (reason._tag === "Exited") return { reason, exit: { code: reason.exitCode } }
  if (reason._tag === "Killed") return { reason, exit: { signal: reason.signal } }
  return reason._tag === "NoResult" ? { reason, exit: { code: 0 } } : { reason }
}

/** Leaves out optional facts but the one that code under test decides by. */
const isTold = ([name, { ast }]: readonly [string, Schema.Constraint]) =>
  ast.context?.isOptional !== true || name === "retryAfterMs"

const facts = FailureReason.members
  .filter((member) => !early.has(member))
  .map(({ fields }) => {
    const fieldsOf = Object.entries<Schema.Constraint>(fields).filter(isTold)
    return Schema.Struct(Object.fromEntries(fieldsOf.map(([name, field]) => [name, likely[name] ?? field])))
  })

export const failure: Arbitrary.Arbitrary<Failed> = Arbitrary.map(Arbitrary.schema(Schema.Union(facts)), (fieldsOf) =>
  failedOf(decode(fieldsOf))
)
