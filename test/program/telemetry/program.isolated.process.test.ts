/** `reins run` with a collector, good or bad. Real processes. */
import { readFileSync } from "node:fs"
import { afterAll, expect, it } from "vitest"
import { startCollector } from "../../kit/otlp/collector.ts"
import { spanTree } from "../../kit/otlp/spanTree.ts"
import { runProgram, standIn, wire, writeTemp } from "../programProcess.ts"

const known = writeTemp("seen.json", "")

/** Tells which variables it has been given. */
const cli = standIn(
  "traced",
  `${wire.init}
${wire.tool("t1", "Bash", { command: "ls /secret" })}
print({ type: "user", message: { content: [{ type: "tool_result", tool_use_id: "t1", content: "secret", is_error: false }] } })
const { writeFileSync } = await import("node:fs")
writeFileSync(process.env.SEEN, JSON.stringify(process.env))
${wire.text("secret answer")}
${wire.success}`
)

const collector = await startCollector()
afterAll(() => collector.close())

const run = (env: Readonly<Record<string, string>>) =>
  runProgram(["run", "--command", cli, "secret prompt"], { env: { SEEN: `${known}.${Math.random()}`, ...env } })

const trace = "0af7651916cd43dd8448eb211c80319c"

it("exports a run below the span of its host, and the agent is below the run", async () => {
  const before = collector.requests.length
  const { code, stderr } = await run({
    SEEN: known,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: "x-key=k3y",
    OTEL_RESOURCE_ATTRIBUTES: "team=a",
    TRACEPARENT: `00-${trace}-b7ad6b7169203331-01`,
    TRACESTATE: "vendor=1"
  })
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
  expect(
    collector.requests
      .slice(before)
      .map(({ path }) => path)
      .sort()
  ).toEqual(["/v1/metrics", "/v1/traces"])
  const spans = collector.spans()
  const ofRun = spans.find(({ name }) => name === "invoke_agent claude")
  expect(ofRun).toMatchObject({ traceId: trace, parentId: "b7ad6b7169203331", status: { code: 1 } })
  expect(ofRun?.resource).toMatchObject({ "service.name": "reins", team: "a" })
  expect(spanTree(spans).replaceAll(/ [\d.]+ ms|^ {4,}.*\n?/gm, "")).toBe(
    "? invoke_agent claude\n  execute_tool Bash\n"
  )
  expect(collector.metrics().map(({ name }) => name)).toContain("reins.runs")
  expect(collector.text()).not.toContain("secret")

  const env = JSON.parse(readFileSync(known, "utf8"))
  expect(Object.keys(env).filter((name) => name.startsWith("OTEL_"))).toEqual([])
  expect(env).toMatchObject({ TRACEPARENT: `00-${trace}-${ofRun?.spanId}-01`, TRACESTATE: "vendor=1" })
})

it.each([
  ["not sampled", `00-${trace}-b7ad6b7169203331-00`, 0],
  ["no trace", `00-${trace}-b7ad6b7169203331-01\r\nx: y`, 1],
  ["no id", `00-${"0".repeat(32)}-b7ad6b7169203331-01`, 1]
])("a TRACEPARENT that is %s", async (_, TRACEPARENT, runs) => {
  await using own = await startCollector()
  const { code, stderr } = await run({ OTEL_EXPORTER_OTLP_ENDPOINT: own.url, TRACEPARENT })
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
  const roots = own.spans().filter(({ name }) => name === "invoke_agent claude")
  expect(roots.map(({ parentId }) => parentId)).toEqual(Array(runs).fill(undefined))
})

it("exports nothing where nothing is asked for, or it is switched off", async () => {
  const before = collector.requests.length
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }
  for (const env of [{ OTEL_SERVICE_NAME: "x" }, { ...endpoint, OTEL_SDK_DISABLED: "true" }]) {
    const { code, stderr } = await run(env)
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
  }
  expect(collector.requests).toHaveLength(before)
})

it("tells of wrong variables and of a collector that is not there, and the run is as it would be", async () => {
  await using own = await startCollector(() => {})
  const userAndKey = "http://user:s3cret@127.0.0.1:1/?key=s3cret"
  // One after the other: the CLI has one session.
  const good = await run({})
  const bad = await run({ OTEL_EXPORTER_OTLP_ENDPOINT: userAndKey, OTEL_BSP_SCHEDULE_DELAY: "s3cret" })
  const hanging = await run({ OTEL_EXPORTER_OTLP_ENDPOINT: own.url, OTEL_EXPORTER_OTLP_TIMEOUT: "9999999" })
  const words = (text: string) => text.replace(/[\d.]+\sm?s$/gm, "")
  expect([bad, hanging].map(({ code, stdout }) => [code, words(stdout)])).toEqual(
    Array(2).fill([0, words(good.stdout)])
  )
  expect(bad.stderr.trim().split("\n")).toEqual([
    "reins: warn: telemetry: OTEL_BSP_SCHEDULE_DELAY is not a number of milliseconds from 1 to 9999999: the default is used",
    expect.stringMatching(
      /^reins: warn: telemetry: spans, metrics or logs are lost; the run is not affected: http:\/\/127\.0\.0\.1:1\/v1\/\w+: nothing listens there \(ECONNREFUSED\)$/
    )
  ])
  expect(hanging.stderr).toMatch(/^reins: warn: telemetry: .*: it does not answer, and the program ends\n$/)
})
