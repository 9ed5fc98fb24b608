/** The union of reasons: all that follows from a reason is derived, and tested here for every one of them. */
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Predicate, Schema } from "effect"
import { errorEvent, makeResult } from "../../src/agents/engine/result.ts"
import { AgentEvent } from "../../src/contract/AgentEvent.ts"
import { AgentRunResult } from "../../src/contract/AgentRunResult.ts"
import { FailureReason, RunReason, runReason } from "../../src/contract/FailureReason.ts"
import * as failures from "../../src/contract/Failures.ts"
import * as notAdmitted from "../../src/contract/NotAdmitted.ts"
import * as refusals from "../../src/contract/Refusals.ts"
import * as door from "../../src/index.ts"

const { members } = FailureReason
const isErrorClass = (value: unknown) => Predicate.isFunction(value) && value.prototype instanceof Error
const classes = [failures, notAdmitted, refusals].flatMap((file) => Object.values<unknown>(file)).filter(isErrorClass)

describe("the union of reasons", () => {
  it("contains every class of the files of reasons, and the door exports each", () => {
    assert.sameMembers<unknown>([...members], classes)
    assert.includeMembers(Object.values<unknown>(door), classes)
  })

  it("gives each member its own word, and has no other words than these and `completed`", () => {
    const words = members.map(({ identifier }) => runReason[identifier as FailureReason["_tag"]])
    assert.strictEqual(new Set(words).size, members.length)
    assert.sameMembers([...RunReason.literals], ["completed", ...words])
    for (const word of words) assert.match(word, /^[a-z]+(_[a-z]+)*$/)
  })
})

const encodesEvent = Schema.encodeSync(AgentEvent)
const encodesResult = Schema.encodeSync(AgentRunResult)

describe.each(members.map((member) => [member.identifier, member] as const))("%s", (tag, member) => {
  it.effect("has an event and a result with the same facts", () =>
    Effect.gen(function* () {
      for (const reason of yield* Arbitrary.sampleEffect(Arbitrary.schema(member), { count: 20, seed: 1 })) {
        const result = makeResult({ ending: { failure: reason }, text: "", durationMs: 0, report: {}, stderr: "" })
        encodesResult(result)
        const { code, category, retryable } = reason
        assert.deepInclude(encodesEvent(errorEvent(reason)), { type: "error", code, category, retryable })
        assert.strictEqual(result.reason, runReason[reason._tag])
        assert.strictEqual(result.outcome, { Aborted: "aborted", TimedOut: "timed_out" }[tag] ?? "failed")
        assert.strictEqual(result.aborted, tag === "Aborted")
      }
    })
  )
})
