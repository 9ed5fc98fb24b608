/** The spans of runs: of scripted processes, with the real engine. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Option, Tracer } from "effect"
import { AgentRuntime } from "../../../src/agents/AgentRuntime.ts"
import { TraceState } from "../../../src/agents/telemetry/activeSpan.ts"
import { HostEnvironment } from "../../../src/system/process/HostEnvironment.ts"
import { scriptedLayer } from "../../kit/scripted.ts"
import { makeSpans, textOfSpans, treeOf } from "../../kit/spans.ts"
import { watched } from "../../kit/watched.ts"
import { init, result, text, toolResult, toolUse } from "../../kit/wire.ts"

const afterwards = (check: () => void) => Effect.andThen(Effect.sync(check))

const usage = { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 100, cache_creation_input_tokens: 1 }

describe("the span of a run", () => {
  it.effect("has its facts, its tool calls and those of a sub-agent below the call that began it", () => {
    const { spans, with: traced, named } = makeSpans()
    return watched(({ script }) =>
      Effect.gen(function* () {
        yield* script.say(init({ model: "claude-sonnet-4-5", claude_code_version: "2.9.9" }), text("one"))
        yield* script.say(toolUse("t1", "Task"), toolUse("t2", "Bash", "t1"), toolResult("t2", "t1"))
        yield* script.say(toolResult("t1"), toolUse("t3", "Read"), result("done", { usage }))
        yield* script.exit({ code: 0 })
      })
    ).pipe(
      traced,
      afterwards(() => {
        assert.deepStrictEqual(treeOf(spans), [
          "invoke_agent claude",
          "  execute_tool Task",
          "    execute_tool Bash",
          "  execute_tool Read failed: unfinished"
        ])
        const { [`reins.run.id`]: id, ...facts } = Object.fromEntries(named("invoke_agent claude").attributes)
        assert.isString(id)
        assert.deepStrictEqual(facts, {
          "gen_ai.operation.name": "invoke_agent",
          "gen_ai.agent.name": "claude",
          "gen_ai.agent.version": "2.9.9",
          "gen_ai.provider.name": "anthropic",
          "gen_ai.request.model": "claude-sonnet-4-5",
          "gen_ai.conversation.id": "session-1",
          "gen_ai.usage.input_tokens": 111,
          "gen_ai.usage.output_tokens": 5,
          "gen_ai.usage.cache_read.input_tokens": 100,
          "gen_ai.usage.cache_write.input_tokens": 1,
          "reins.cost.usd": 0.001,
          "reins.cost.source": "cli",
          "reins.outcome": "completed",
          "reins.queued_ms": 0
        })
        assert.deepStrictEqual(Object.fromEntries(named("execute_tool Bash").attributes), {
          "gen_ai.tool.name": "Bash",
          "gen_ai.tool.call.id": "t2",
          "gen_ai.tool.type": "function",
          "reins.tool.kind": "command"
        })
        // Prompts, answers and tool calls stay private.
        assert.notMatch(textOfSpans(spans), /hello|sleep 7200|"one"|scripted|\//)
      })
    )
  })

  it.effect("is below the span of its caller, and the process gets its trace", () => {
    const { spans, with: traced, named } = makeSpans()
    return watched(
      ({ script }) =>
        Effect.gen(function* () {
          const [call] = script.calls
          const { traceId, spanId } = named("invoke_agent claude")
          assert.strictEqual(call?.env["TRACEPARENT"], `00-${traceId}-${spanId}-01`)
          assert.strictEqual(call?.env["TRACESTATE"], undefined)
          yield* script.say(init(), result("done"))
          yield* script.exit({ code: 0 })
        }),
      { env: { policy: "allow-list" } }
    ).pipe(
      Effect.withSpan("application"),
      Effect.provideService(HostEnvironment, { TRACEPARENT: "00-host", TRACESTATE: "host=1", PATH: "/bin" }),
      traced,
      afterwards(() => assert.deepStrictEqual(treeOf(spans), ["application", "  invoke_agent claude"]))
    )
  })

  it.effect("says where it failed, in a word", () => {
    const { spans, with: traced } = makeSpans()
    return watched(({ script }) => script.exit({ code: 3 })).pipe(
      traced,
      Effect.andThen(
        AgentRuntime.use((agent) => Effect.exit(agent.run({ prompt: "go", workingDirectory: "\0" }))).pipe(
          Effect.provide(scriptedLayer()),
          traced
        )
      ),
      afterwards(() =>
        assert.deepStrictEqual(treeOf(spans), [
          "invoke_agent claude failed: exited",
          "invoke_agent claude failed: invalid_params"
        ])
      )
    )
  })

  it.effect("which is not sampled says so to the process, and passes the caller's state on", () => {
    const { with: traced } = makeSpans()
    const [traceId, spanId] = ["0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"]
    const annotations = Context.make(TraceState, "vendor=1")
    const parent = Tracer.externalSpan({ traceId, spanId, sampled: false, annotations })
    return watched(({ script }) =>
      Effect.gen(function* () {
        const { TRACEPARENT, TRACESTATE } = script.calls[0]?.env ?? {}
        assert.match(String(TRACEPARENT), new RegExp(`^00-${traceId}-[0-9a-f]{16}-00$`))
        assert.strictEqual(TRACESTATE, "vendor=1")
        yield* script.say(init(), result("done"))
        yield* script.exit({ code: 0 })
      })
    ).pipe(Effect.withParentSpan(parent), traced)
  })

  it.effect("is missing without a tracer: the process gets the host's own trace", () =>
    watched(({ script }) =>
      Effect.gen(function* () {
        assert.strictEqual(script.calls[0]?.env["TRACEPARENT"], "00-host")
        assert.isTrue(Option.isNone(yield* Effect.serviceOption(Tracer.ParentSpan)))
        yield* script.say(init(), result("done"))
        yield* script.exit({ code: 0 })
      })
    ).pipe(Effect.provideService(HostEnvironment, { TRACEPARENT: "00-host", PATH: "/bin" }))
  )
})
