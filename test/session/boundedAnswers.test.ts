/** What goes back to a CLI is bounded in depth and size; what cannot be answered is denied, and told. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { live as claude } from "../../src/cli/claude/live.ts"
import { isAction, type Output } from "../../src/cli/Live.ts"
import { encodeJson, isJson, mostDepth } from "../../src/json.ts"
import { makeStdin } from "../../src/session/stdin.ts"

const nested = (depth: number): unknown => JSON.parse(`${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`)

describe("JSON for a CLI", () => {
  const cyclic: { self?: unknown } = {}
  cyclic.self = cyclic
  let shared: unknown = [1]
  for (let depth = 0; depth < 60; depth++) shared = [shared, shared]

  it.each<[string, unknown, boolean]>([
    ["what tools are called with", { a: [1, "x", null, { b: true }] }, true],
    ["the deepest", nested(mostDepth), true],
    ["one deeper", nested(mostDepth + 1), false],
    ["far too deep", nested(100_000), false],
    ["a cycle", cyclic, false],
    ["the same a billion times", shared, false],
    ["a number that JSON does not have", { a: 1n }, false],
    ["a member that throws", Object.defineProperty({}, "a", { enumerable: true, get: () => assert.fail("no") }), false],
    ["nothing", undefined, false]
  ])("%s", (_, value, isGood) => assert.strictEqual(isJson(value), isGood))

  it("is one line, as it always was", () => {
    const value = { a: "x\ny" }
    assert.deepInclude(encodeJson(value), { success: JSON.stringify(value) })
  })

  it.effect("is not written half, and never thrown about", () =>
    Effect.gen(function* () {
      const stdin = yield* makeStdin
      assert.isUndefined(stdin.write({ a: 1 }))
      assert.match(stdin.write(nested(100_000)) ?? "", /deeper than 200/)
    })
  )
})

describe("a request of Claude Code whose input is nested too deep", () => {
  const dialogue = claude.dialogue({}, { workingDirectory: "/w", privateDirectory: "/p" })
  dialogue.open()
  const ask = (input: unknown): ReadonlyArray<Output> =>
    dialogue.push({
      type: "control_request",
      request_id: "r1",
      request: { subtype: "can_use_tool", tool_name: "Bash", input, tool_use_id: "t1" }
    })

  it("is denied at once, and told", () => {
    const outputs = ask(nested(100_000))
    const written = outputs.filter((output) => isAction(output) && output._tag === "Write")
    assert.lengthOf(written, 1)
    assert.include(JSON.stringify(written), '"subtype":"error"')
    const notices = outputs.filter((output) => !isAction(output) && output.type === "notice")
    assert.deepInclude(notices[0], { kind: "permission_denied" })
    assert.isEmpty(outputs.filter((output) => isAction(output) && output._tag === "Asked"))
  })

  it("does not hinder the next", () => {
    assert.isTrue(ask({ command: "ls" }).some((output) => isAction(output) && output._tag === "Asked"))
  })
})
