/**
 * Real CLIs beside a collector on loopback: those that may export are below the span of their run, and nothing of the
 * host's variables reaches one that may not.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Layer, Stream } from "effect"
import { expect, it } from "vitest"
import { AgentRuntime } from "../../src/agents/AgentRuntime.ts"
import { type CliId, clis } from "../../src/agents/Agents.ts"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import { exporter } from "../../src/program/telemetry/exporter.ts"
import { telemetrySettings } from "../../src/program/telemetry/settings.ts"
import { HostEnvironment } from "../../src/system/process/HostEnvironment.ts"
import { chatCompletions, gemini, messages, responses } from "../../src/testing/ModelServer.ts"
import { makeSandbox } from "../../src/testing/sandbox/sandbox.ts"
import { call, say } from "../../src/testing/servers/Answer.ts"
import { startCollector } from "../kit/otlp/collector.ts"
import type { ReadSpan } from "../kit/otlp/read.ts"
import { ofType, summarize } from "./rig/agent.ts"
import { pathOf } from "./rig/environment.ts"
import { commandFor } from "./rig/layered.ts"
import { command } from "./rig/live.ts"

const servers = { claude: messages, gemini, codex: responses, opencode: chatCompletions, pi: messages }
const ids = Object.keys(clis) as ReadonlyArray<CliId>

/** One run with one tool call, which prints what it knows of telemetry. */
const traced = async (id: CliId, protocol: string, mayExport: boolean) => {
  await using stack = new AsyncDisposableStack()
  const collector = stack.use(await startCollector())
  const api = stack.use(
    await servers[id]([call(command[id]('env | grep ^OTEL_; echo "[$TRACEPARENT]"')), say("Done.")])
  )
  const program = commandFor(id)
  const sandbox = stack.use(await makeSandbox(id, api, { path: pathOf([program]) }))
  const host = {
    ...sandbox.values,
    IS_SANDBOX: "1",
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
    OTEL_EXPORTER_OTLP_HEADERS: "x-key=s3cret",
    OTEL_RESOURCE_ATTRIBUTES: "team=a"
  }
  const { settings } = telemetrySettings(host)
  if (settings === undefined) throw new Error("no settings")
  const events: Array<AgentEvent> = []
  const params = { prompt: "s3cret prompt", workingDirectory: sandbox.work, permissionMode: "bypass" } as const
  await AgentRuntime.use((agent) =>
    Stream.runForEach(agent.execute(params), (event) => Effect.sync(() => events.push(event)))
  ).pipe(
    Effect.provide(
      AgentRuntime.layer(clis[id], { command: program, telemetry: { cli: mayExport } }).pipe(
        Layer.provide(NodeServices.layer)
      )
    ),
    Effect.provideService(HostEnvironment, host),
    Effect.provide(exporter(settings, (problem) => Effect.die(problem))),
    Effect.runPromise
  )
  const { result } = summarize(events)
  expect(result).toMatchObject({ outcome: "completed" })
  const spans = collector.spans()
  const [run] = spans.filter(({ name }) => name === `invoke_agent ${id}`)
  if (run === undefined) throw new Error("no span of the run")
  const output = ofType(events, "tool_result")
    .map(({ output }) => String(output))
    .join()
  return { collector, spans, run, own: spans.filter(isOurs), output, foreign: spans.filter((span) => !isOurs(span)) }
}

const isOurs = ({ resource }: ReadSpan) => resource["service.name"] === "reins"

it.each(ids)("%s that may not export knows the trace, and nothing else", async (id) => {
  const { collector, own, foreign, run, output } = await traced(id, "http/json", false)
  expect(output).toContain(`[00-${run.traceId}-${run.spanId}-01]`)
  expect(output).not.toContain("OTEL_")
  expect(foreign).toEqual([])
  expect(own.map(({ name }) => name.split(" ")[0])).toEqual(["execute_tool", "invoke_agent"])
  expect(collector.text()).not.toContain("s3cret")
})

const mainSpan = { claude: "claude_code.interaction", codex: "codex.exec" }

it.each([
  ["claude", "http/json"],
  ["claude", "http/protobuf"],
  ["codex", "http/json"],
  ["codex", "http/protobuf"]
] as const)("spans of %s are below ours, by %s", async (id, protocol) => {
  const { collector, run, foreign, spans, output } = await traced(id, protocol, true)
  expect(foreign.length).toBeGreaterThan(0)
  const byId = new Map(spans.map((span) => [span.spanId, span]))
  const rootOf = (span: ReadSpan): ReadSpan => {
    const above = span.parentId === undefined ? undefined : byId.get(span.parentId)
    return above === undefined ? span : rootOf(above)
  }
  const main = foreign.find(({ name }) => name === mainSpan[id])
  expect(main).toMatchObject({ traceId: run.traceId, parentId: run.spanId })
  // Codex has some tasks in the background, in traces of their own: 25 spans of 594.
  const strays = foreign.filter(({ traceId }) => traceId !== run.traceId)
  // It loses a batch at its end, now and then: then the span above was not exported, and ours is above that.
  const isLost = ({ parentId }: ReadSpan) => id === "codex" && parentId !== undefined && !byId.has(parentId)
  const roots = foreign.filter(({ traceId }) => traceId === run.traceId).map(rootOf)
  expect(roots.filter((root) => root !== run && !isLost(root)).map(({ name }) => name)).toEqual([])
  if (id === "claude") expect(strays).toEqual([])
  expect(strays.length).toBeLessThan(foreign.length / 10)
  // The host's key is for the host.
  for (const { headers, body } of collector.requests) {
    if (!body.includes("reins")) expect(headers["x-key"]).toBeUndefined()
  }
  expect(output).not.toContain("s3cret")
  expect(collector.text()).not.toContain("s3cret")
})
