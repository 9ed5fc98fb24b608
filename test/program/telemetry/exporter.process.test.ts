/** Exports, to good collectors and bad ones. In this process, with sockets on loopback. */
import { expect, it } from "@effect/vitest"
import { Effect, Logger, Metric } from "effect"
import { exporter } from "../../../src/program/telemetry/exporter.ts"
import { telemetrySettings } from "../../../src/program/telemetry/settings.ts"
import { type Behaviour, startCollector } from "../../kit/otlp/collector.ts"

const makeCollector = (behave?: Behaviour) =>
  Effect.acquireRelease(
    Effect.promise(() => startCollector(behave)),
    (collector) => Effect.promise(() => collector.close())
  )

/** Gives the warnings. */
const exporting = Effect.fnUntraced(function* (
  work: Effect.Effect<unknown>,
  env: Readonly<Record<string, string | undefined>>
) {
  const { settings, problems } = telemetrySettings(env)
  if (settings === undefined) return yield* Effect.die(problems.join())
  const warnings: Array<string> = []
  const warn = (problem: string) => Effect.sync(() => void warnings.push(problem))
  yield* work.pipe(Effect.provide(exporter(settings, warn)), Effect.provide(Logger.layer([])))
  return warnings
})

const spans = (count: number) =>
  Effect.forEach(Array.from({ length: count }), (_, nth) => Effect.withSpan(Effect.void, `execute_tool ${nth}`), {
    discard: true
  })

const work = Effect.gen(function* () {
  yield* Metric.update(Metric.gauge("tests.measured"), 2)
  yield* Effect.annotateLogs(Effect.logWarning('the gate "secret" failed', new Error("secret")), { runId: "r1" })
  yield* Effect.withSpan(Effect.annotateCurrentSpan({ n: 1, b: true, list: ["a"], x: 0.5 }), "execute_tool inner")
  yield* Effect.ignore(Effect.withSpan(Effect.fail(new Error("secret")), "sql.execute"))
}).pipe(Effect.withSpan("invoke_agent outer"))

it.live.each([
  ["http/json", "none"],
  ["http/protobuf", "gzip"]
])("by %s, %s", ([protocol, compression]) =>
  Effect.gen(function* () {
    const collector = yield* makeCollector()
    const warnings = yield* exporting(work, {
      OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url.replace("//", "//user:pass@")}/base`,
      OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
      OTEL_EXPORTER_OTLP_COMPRESSION: compression,
      OTEL_EXPORTER_OTLP_HEADERS: "x-key=k",
      OTEL_RESOURCE_ATTRIBUTES: "team=a",
      OTEL_SERVICE_NAME: "mine"
    })
    expect(warnings).toEqual([])
    expect(collector.requests.map(({ path }) => path).sort()).toEqual([
      "/base/v1/logs",
      "/base/v1/metrics",
      "/base/v1/traces"
    ])
    for (const { headers } of collector.requests) {
      expect(headers).toMatchObject({ "x-key": "k", authorization: "Basic dXNlcjpwYXNz" })
    }
    const [inner, outer, ...others] = collector.spans()
    expect(others).toEqual([])
    const resource = expect.objectContaining({ team: "a", "service.name": "mine" })
    expect(outer).toMatchObject({ name: "invoke_agent outer", parentId: undefined, status: { code: 1 }, resource })
    expect(inner).toMatchObject({
      name: "execute_tool inner",
      traceId: outer?.traceId,
      parentId: outer?.spanId,
      attributes: { n: 1, b: true, list: ["a"], x: 0.5 }
    })
    expect(collector.metrics()).toContainEqual({
      name: "tests.measured",
      points: [{ attributes: {}, value: 2 }],
      resource
    })
    expect(collector.logs()).toEqual([
      {
        body: 'the gate "…" failed',
        severity: "Warn",
        attributes: { runId: "r1", "effect.fiberId": expect.any(Number) },
        traceId: outer?.traceId,
        spanId: outer?.spanId,
        resource
      }
    ])
  })
)

const elsewhere = "http://127.0.0.1:1/v1/traces"

const bad: Readonly<Record<string, readonly [Behaviour, RegExp]>> = {
  hangs: [() => {}, /it does not answer \(300 ms\)$/],
  "answers 500": [(response) => response.writeHead(500).end(), /it answers 500$/],
  "answers 429, for a day": [
    (response) => response.writeHead(429, { "retry-after": "86400" }).end(),
    /it answers 429 \(300 ms\)$/
  ],
  "leads elsewhere": [
    (response) => response.writeHead(307, { location: elsewhere }).end(),
    /it answers 307, and redirects are not followed$/
  ],
  "is not HTTP": [
    (response) => response.socket?.end("\0\x1b[31mgarbage\n"),
    /the answer is not HTTP \(HPE_INVALID_CONSTANT\)$/
  ],
  "cuts the connection": [(response) => response.socket?.destroy(), /the connection was cut \(ECONNRESET\) \(300 ms\)$/]
}

it.live.each(Object.entries(bad))("one that %s costs a warning", ([_, [behave, problem]]) =>
  Effect.gen(function* () {
    const collector = yield* makeCollector(behave)
    const warnings = yield* exporting(spans(2_000), {
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url.replace("//", "//user:s3cret@")}/v1/traces?key=s3cret`,
      OTEL_EXPORTER_OTLP_TIMEOUT: "300"
    })
    expect(warnings).toEqual([expect.stringMatching(problem)])
    expect(warnings[0]?.slice(0, collector.url.length + 11)).toBe(`${collector.url}/v1/traces:`)
    expect(warnings.join()).not.toContain("s3cret")
  })
)

it.live("an unreachable one costs a warning", () =>
  Effect.gen(function* () {
    const collector = yield* makeCollector()
    yield* Effect.promise(() => collector.close())
    const warnings = yield* exporting(spans(1), { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })
    expect(warnings).toEqual([expect.stringMatching(/nothing listens there \(ECONNREFUSED\)$/)])
  })
)

it.live("one that hangs is left alone at the end", () =>
  Effect.gen(function* () {
    const collector = yield* makeCollector(() => {})
    const warnings = yield* exporting(spans(3_000), {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_TIMEOUT: "9999999"
    })
    expect(warnings).toEqual([expect.stringMatching(/it does not answer, and the program ends$/)])
  })
)

it.live("one that is busy for a moment gets all", () =>
  Effect.gen(function* () {
    let isBusy = true
    const collector = yield* makeCollector((response) => {
      response.writeHead(isBusy ? 503 : 200, { "retry-after": "0" }).end()
      isBusy = false
    })
    const warnings = yield* exporting(spans(10), { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/v1/traces` })
    expect(warnings).toEqual([])
    expect(collector.requests).toHaveLength(2)
    expect(collector.requests[1]?.body).toEqual(collector.requests[0]?.body)
  })
)

it.live("an answer without end is cut off", () =>
  Effect.gen(function* () {
    const cut = Promise.withResolvers<void>()
    const collector = yield* makeCollector((response) => {
      response.writeHead(200)
      const pour = () => {
        while (response.write(Buffer.alloc(65_536)));
      }
      response.on("drain", pour).on("close", cut.resolve)
      pour()
    })
    const warnings = yield* exporting(
      Effect.andThen(
        spans(600),
        Effect.promise(() => cut.promise)
      ),
      {
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/v1/traces`
      }
    )
    expect(warnings).toEqual([])
  })
)
