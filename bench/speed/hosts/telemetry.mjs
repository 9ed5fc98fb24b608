/**
 * Runs one after the other through the door for Effect callers: without a tracer, or with Effect's own exporter to a
 * collector (`collector`). `dist`: of another checkout, to compare with.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Layer, Stream } from "effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Otlp from "effect/observability/Otlp"
import { measure, task } from "./measure.mjs"

/** @type {typeof import("../../../dist/index.js")} */
const { AgentRuntime, Claude } = await import(`${task.dist ?? "../../../dist"}/index.js`)

const known = { completed: 0, toolCalls: 0 }

const run = AgentRuntime.use((agent) =>
  Stream.runForEach(agent.execute({ prompt: "hello" }), (event) =>
    Effect.sync(() => {
      if (event.type === "tool_result") known.toolCalls += 1
      if (event.type === "done" && event.result.outcome === "completed") known.completed += 1
    })
  )
)

const exporter =
  task.collector === undefined
    ? Layer.empty
    : Otlp.layerJson({ baseUrl: task.collector, resource: { serviceName: "bench" } }).pipe(
        Layer.provide(FetchHttpClient.layer)
      )

const program = Effect.repeat(run, { times: task.runs - 1 }).pipe(
  Effect.provide(Claude.layer({ command: task.command })),
  Effect.provide(NodeServices.layer),
  Effect.provide(exporter)
)

await measure(
  async () => {
    await Effect.runPromise(program)
    return known
  },
  (facts) => facts
)
