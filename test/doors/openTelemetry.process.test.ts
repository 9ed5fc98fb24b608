/** The plain door with the real `@opentelemetry/api` and its SDK: spans below the caller's, and what is refused. */

import { context, createContextKey, type Meter, metrics, ROOT_CONTEXT, trace } from "@opentelemetry/api"
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks"
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { clis } from "../../src/agents/Agents.ts"
import { createAcpAgent, createAgent, type OtelMeter, type OtelTracer } from "../../src/promise.ts"
import { FakeCli, Step } from "../../src/testing.ts"

const exporter = new InMemorySpanExporter()
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
const tracer = provider.getTracer("application")

beforeAll(() => context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable()))
afterAll(() => context.disable())

const measured: Array<string> = []
const noted = (name: string) => ({ add: () => void measured.push(name), record: () => void measured.push(name) })
const meter: OtelMeter = {
  createHistogram: noted,
  createCounter: noted,
  createUpDownCounter: noted,
  createGauge: noted
}

const script = FakeCli.claude([
  Step.tool({ name: "Bash", input: { command: "ls /secret" }, output: "x" }),
  Step.text("hi")
])

describe("an agent with a tracer of OpenTelemetry", () => {
  it("has spans below the one that is active at the call, each below its own, and its process is in the trace", async () => {
    await using cli = await FakeCli.install(script)
    await using agent = createAgent("claude", { command: cli.command, telemetry: { tracer, meter } })
    const key = createContextKey("kept")
    const names = ["a", "b"] as const
    await Promise.all(
      names.map((name) =>
        context.with(ROOT_CONTEXT.setValue(key, name), () =>
          tracer.startActiveSpan(name, async (span) => {
            if (name === "a") await agent.run({ prompt: "hello" })
            else for await (const _ of agent.execute({ prompt: "hello" }));
            span.end()
          })
        )
      )
    )
    const spans = exporter.getFinishedSpans()
    const calls = cli.calls()
    for (const name of names) {
      const above = spans.find((span) => span.name === name)
      const run = spans.find(({ parentSpanContext: parent }) => parent?.spanId === above?.spanContext().spanId)
      const tool = spans.find(({ parentSpanContext: parent }) => parent?.spanId === run?.spanContext().spanId)
      assert.deepStrictEqual([run?.name, tool?.name], ["invoke_agent claude", "execute_tool Bash"])
      assert.strictEqual(run?.spanContext().traceId, above?.spanContext().traceId)
      assert.strictEqual(run?.attributes["reins.outcome"], "completed")
      const { traceId = "", spanId = "" } = run?.spanContext() ?? {}
      assert.isTrue(calls.some(({ environment }) => environment["TRACEPARENT"] === `00-${traceId}-${spanId}-01`))
      const [began = 0] = run?.startTime ?? []
      assert.isTrue(Math.abs(Date.now() / 1000 - began) < 600)
    }
    assert.notInclude(JSON.stringify(spans.map(({ name, attributes, events }) => [name, attributes, events])), "secret")
    assert.include(measured, "gen_ai.invoke_agent.duration")
  })

  it("without an active span begins a trace, and fails its span where the run fails", async () => {
    exporter.reset()
    await using cli = await FakeCli.install(FakeCli.claude([Step.error({ kind: "auth", message: "/secret" })]))
    await using agent = createAgent("claude", { command: cli.command, telemetry: { tracer } })
    await agent.run({ prompt: "hello" }).catch(() => undefined)
    const [span] = exporter.getFinishedSpans()
    assert.deepStrictEqual(span?.status, { code: 2, message: "agent_failed" })
    assert.strictEqual(span?.attributes["error.type"], "agent_failed")
    assert.strictEqual(span?.parentSpanContext, undefined)
  })

  it("refuses what is neither a tracer nor a meter", () => {
    const refused = (telemetry: unknown) => {
      // From JavaScript.
      const options = { telemetry } as Parameters<typeof createAgent>[1]
      try {
        createAgent("claude", options)
      } catch (error) {
        return String(error)
      }
      return "taken"
    }
    assert.match(refused({ tracer: {} }), /telemetry\.tracer: is not a tracer of @opentelemetry\/api/)
    assert.match(refused({ tracer, meter: {} }), /telemetry\.meter: is not a meter/)
    assert.match(refused({ meter }), /needs telemetry\.tracer/)
    assert.match(refused({ content: "yes" }), /telemetry\.content/)
    assert.match(refused(5), /telemetry/)
    assert.match(refused({ contents: true }), /contents/)
    assert.throws(() => createAcpAgent({ command: "x", telemetry: { tracer: {} as OtelTracer } }), /telemetry\.tracer/)
  })

  it("takes those of the API as they are", () => {
    const real: { readonly tracer: OtelTracer; readonly meter: OtelMeter } = {
      tracer: trace.getTracer("application"),
      meter: metrics.getMeter("application") satisfies Meter
    }
    assert.isDefined(createAgent(clis.claude.id as "claude", { telemetry: real }))
  })
})
