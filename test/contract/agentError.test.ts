/** The error of both doors, for people and for programs: printed form, JSON form, remedy. */
import { inspect } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Equal, Result, Schema } from "effect"
import { resultOfNothing } from "../../src/agents/engine/result.ts"
import { AgentError, FailureReason, InvalidParams, UnsupportedOption } from "../../src/contract/AgentError.ts"
import { helpOf } from "../../src/contract/help.ts"

const errorOf = (reason: FailureReason, cli = "codex") =>
  new AgentError({ cli, reason, result: resultOfNothing(reason), hadOutput: false })

const { members } = FailureReason
const asJson = (error: AgentError): unknown => JSON.parse(JSON.stringify(error))

describe.each(members.map((member) => [member.identifier, member] as const))("%s", (tag, member) => {
  it.effect("survives JSON, and has a remedy", () =>
    Effect.gen(function* () {
      for (const reason of yield* Arbitrary.sampleEffect(Arbitrary.schema(member), { count: 20, seed: 1 })) {
        const error = errorOf(reason)
        const read = Schema.decodeUnknownResult(AgentError)(asJson(error))
        assert.isTrue(Result.isSuccess(read))
        const again = Result.getOrThrow(read)
        assert.instanceOf(again, AgentError)
        assert.strictEqual(again.reason._tag, tag)
        assert.isTrue(Equal.equals(again.result, error.result))
        assert.deepStrictEqual(asJson(again), asJson(error))
        assert.strictEqual(again.message, error.message)
        const { code, category, retryable, message, help } = error.toJSON()
        assert.deepStrictEqual([category, retryable], [reason.category, reason.retryable])
        assert.deepStrictEqual([code, message, help], [error.result.reason, error.message, helpOf(reason)])
      }
    })
  )

  it.effect("is printed with its message, its stack, its code and its remedy, each once", () =>
    Effect.gen(function* () {
      const [reason] = yield* Arbitrary.sampleEffect(Arbitrary.schema(member), { count: 1, seed: 2 })
      if (reason === undefined) return assert.fail("no sample")
      const error = errorOf(reason)
      for (const customInspect of [true, false]) {
        const printed = inspect(error, { customInspect, depth: 5, breakLength: Number.POSITIVE_INFINITY })
        assert.match(printed, /^AgentError: /)
        assert.include(printed, "agentError.test.ts")
        assert.include(printed, `code: '${error.code}'`)
        assert.strictEqual(printed.split("help: ").length, 2)
        assert.notInclude(printed, tag === "AgentFailed" ? "result:" : `${tag}:`)
        assert.notInclude(printed, "durationMs")
      }
    })
  )
})

describe("a message", () => {
  it("names the CLI once", () => {
    const unsupported = errorOf(new UnsupportedOption({ option: "maxTurns", cli: "codex" }))
    assert.strictEqual(unsupported.message, "codex does not support maxTurns")
    const invalid = errorOf(new InvalidParams({ option: "prompt", problem: "is missing" }))
    assert.strictEqual(invalid.message, "codex: prompt: is missing")
  })
})
