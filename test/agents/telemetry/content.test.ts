/** Prompts, answers and tool calls are in spans only on request: bounded, and without the run's secrets. */
import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import type { AgentOptions } from "../../../src/contract/AgentOptions.ts"
import { makeSpans, textOfSpans } from "../../kit/spans.ts"
import { watched } from "../../kit/watched.ts"
import { init, result, text, toolUse } from "../../kit/wire.ts"

const secret = "s3cret-of-the-run"
const long = "x".repeat(20_000)
const options: AgentOptions = { env: { values: { MY_TOKEN: Redacted.make(secret) } } }

const spansOf = (more: AgentOptions) => {
  const { spans, with: traced } = makeSpans()
  return watched(
    ({ script }) =>
      Effect.gen(function* () {
        yield* script.say(init(), text(`said ${secret} ${long}`), toolUse("t1"))
        yield* script.say({
          type: "user",
          message: { content: [{ type: "tool_result", tool_use_id: "t1", content: `got ${secret}`, is_error: false }] },
          parent_tool_use_id: null
        })
        yield* script.say(result("said"))
        yield* script.exit({ code: 0 })
      }),
    { ...options, ...more },
    { prompt: `asked ${secret}`, workingDirectory: "/home/me" }
  ).pipe(traced, Effect.as(spans))
}

it.effect("they are in no span", () =>
  Effect.gen(function* () {
    const visible = textOfSpans(yield* spansOf({}))
    for (const word of ["asked", "said", "got", "sleep", "/home/me", secret]) assert.notInclude(visible, word)
  })
)

it.effect("with `content`, they are, cut, and secrets are taken out before", () =>
  Effect.gen(function* () {
    const spans = yield* spansOf({ telemetry: { content: true } })
    const [run, tool] = spans.map(({ attributes }) => attributes)
    assert.strictEqual(run?.get("gen_ai.input.messages"), "asked <redacted>")
    assert.strictEqual(run?.get("reins.working_directory"), "/home/me")
    assert.match(String(run?.get("gen_ai.output.messages")), /^said <redacted> x+…$/)
    assert.strictEqual(String(run?.get("gen_ai.output.messages")).length, 8_193)
    assert.strictEqual(tool?.get("gen_ai.tool.call.arguments"), '{"command":"sleep 7200"}')
    assert.strictEqual(tool?.get("gen_ai.tool.call.result"), "got <redacted>")
    assert.notInclude(textOfSpans(spans), secret)
  })
)
