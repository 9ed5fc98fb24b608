/** Every event survives printing as JSON and reading it back. */
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { AgentEvent } from "../../src/contract/AgentEvent.ts"
import { AgentRunResult } from "../../src/contract/AgentRunResult.ts"
import { fixturesOf, named, runFixture } from "../cli/fixtures.ts"
import { everyCli } from "../kit/clis.ts"
import { runs } from "../kit/runs.ts"

const anyEvent = Arbitrary.schema(AgentEvent)

const codec = Schema.toCodecJson(AgentEvent)
const encodeJson = Schema.encodeUnknownSync(codec)
const decodeJson = Schema.decodeUnknownSync(codec)
const decode = Schema.decodeUnknownSync(AgentEvent)
const isEvent = Schema.is(AgentEvent)

const members = AgentEvent.members.map((member) => Schema.is<Schema.Constraint>(member))

/** Normalises differences that JSON cannot express: an undefined field and a missing one, 0 and -0, the prototype of a record. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

describe("any event", () => {
  it.prop(
    "survives its JSON codec",
    [anyEvent],
    ([event]) => {
      const back = decodeJson(plain(encodeJson(event)))
      assert.isTrue(isEvent(back))
      assert.deepStrictEqual(plain(back), plain(event))
    },
    runs(1_000)
  )

  it.prop(
    "survives `JSON.stringify` as the program uses it",
    [anyEvent],
    ([event]) => {
      const back = decode(plain(event))
      assert.isTrue(isEvent(back))
      assert.deepStrictEqual(plain(back), plain(event))
    },
    runs(1_000)
  )

  it.prop("is one line", [anyEvent], ([event]) => {
    assert.notInclude(JSON.stringify(event), "\n")
  })

  it.prop("belongs to exactly one member of the union", [anyEvent], ([event]) => {
    assert.strictEqual(members.filter((isMember) => isMember(event)).length, 1)
  })

  it("a result always has its five members in memory, even if JSON left one out", () => {
    const read = Schema.decodeUnknownSync(AgentRunResult)
    const result = read({ outcome: "failed", reason: "no_result", text: "", durationMs: 1, aborted: false })
    for (const name of ["text", "sessionId", "durationMs", "usage", "aborted"]) assert.property(result, name)
  })

  it.each([
    [{ type: "text" }],
    [{ type: "text", text: 1 }],
    [{ type: "hologram", text: "x" }],
    [{ type: "notice", kind: "brand_new", message: "x" }],
    [{ type: "error", message: "x", code: "x", category: "bad luck", retryable: true }],
    [{ type: "error", message: "x", code: "x", category: "other", retryable: true, retryAfterMs: Number.NaN }],
    [{ type: "tool_result", toolId: "x", output: "y" }],
    [{ type: "text", text: "x", parentToolId: null }],
    [{}],
    [null]
  ])("%j is not an event", (value) => {
    assert.isFalse(isEvent(value))
  })
})

describe.each(Object.values(everyCli))("the events of $id", (cli) => {
  it.each(named(fixturesOf(cli)))("survive JSON: %s", (_, fixture) => {
    for (const event of runFixture(cli, fixture).all) {
      assert.isTrue(isEvent(event))
      assert.deepStrictEqual(decodeJson(plain(encodeJson(event))), event)
      assert.deepStrictEqual(decode(plain(event)), event)
    }
  })
})
