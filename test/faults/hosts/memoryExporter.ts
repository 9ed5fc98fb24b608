/**
 * An exporter for an hour beside a bad collector: 10,000 spans a minute, in the time of `TestClock`, after ten minutes as
 * a warm-up. Tells as JSON what it has seen.
 */
import { createServer, type ServerResponse } from "node:http"
import { setImmediate } from "node:timers/promises"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { exporter } from "../../../src/program/telemetry/exporter.ts"
import { telemetrySettings } from "../../../src/program/telemetry/settings.ts"
import { makeSampler } from "./memorySampler.ts"

const behaviours: Readonly<Record<string, (response: ServerResponse) => unknown>> = {
  hangs: () => {},
  fails: (response) => response.writeHead(500).end("x".repeat(10_000)),
  busy: (response) => response.writeHead(429, { "retry-after": "5" }).end(),
  rubbish: (response) => response.socket?.end("rubbish\n"),
  pours: (response) => {
    response.writeHead(200)
    const pour = () => {
      while (response.write(Buffer.alloc(65_536)));
    }
    response.on("drain", pour)
    pour()
  }
}

const [name = ""] = process.argv.slice(2)
let requests = 0
const server = createServer((request, response) => {
  requests += 1
  request.resume()
  request.on("end", () => behaviours[name]?.(response))
})
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
const address = server.address()
const port = typeof address === "object" ? address?.port : undefined
const { settings } = telemetrySettings({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` })
if (settings === undefined) throw new Error("no settings")

const span = Effect.withSpan(Effect.annotateCurrentSpan("text", "x".repeat(500)), "execute_tool Bash")
const io = Effect.promise(async () => {
  for (let turn = 0; turn < 20; turn += 1) await setImmediate()
})
const second = Effect.gen(function* () {
  for (let nth = 0; nth < 167; nth += 1) yield* span
  yield* TestClock.adjust("1 second")
  yield* io
})
const minutes = Effect.fnUntraced(function* (count: number) {
  for (let nth = 0; nth < count * 60; nth += 1) yield* second
})

let warnings = 0
const warn = () =>
  Effect.sync(() => {
    warnings += 1
  })
await Effect.gen(function* () {
  yield* minutes(10)
  const before = requests
  const sampler = makeSampler()
  yield* minutes(60)
  console.log(JSON.stringify({ requests: requests - before, warnings, ...sampler.grown() }))
  // The end of the exporter would wait, in the time of this clock.
  process.exit()
}).pipe(Effect.provide(exporter(settings, warn)), Effect.provide(TestClock.layer()), Effect.runPromise)
