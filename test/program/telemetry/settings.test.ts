/** The variables of OpenTelemetry, as people and deployments set them, rightly and wrongly. */
import { describe, expect, it } from "vitest"
import { telemetrySettings } from "../../../src/program/telemetry/settings.ts"

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://localhost:4318" }
const found = (env: Readonly<Record<string, string>>) => telemetrySettings({ ...endpoint, ...env })

it("sends all three signals below the endpoint, as the service reins", () => {
  const target = { headers: {}, format: "protobuf", compression: "none", timeoutMs: 10_000 }
  expect(found({})).toEqual({
    problems: [],
    settings: {
      serviceName: "reins",
      attributes: {},
      temporality: "cumulative",
      targets: {
        traces: { ...target, url: "http://localhost:4318/v1/traces", intervalMs: 5_000 },
        metrics: { ...target, url: "http://localhost:4318/v1/metrics", intervalMs: 60_000 },
        logs: { ...target, url: "http://localhost:4318/v1/logs", intervalMs: 1_000 }
      }
    }
  })
})

it("lets a variable of a signal win over the common one", () => {
  const { settings, problems } = found({
    OTEL_EXPORTER_OTLP_ENDPOINT: "https://user:p%40ss@otel.example/base/?key=1",
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://traces.example/any",
    OTEL_EXPORTER_OTLP_HEADERS: "Api-Key=a%3Db, x-other = two ",
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: "api-key=c",
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf",
    OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "http/json",
    OTEL_EXPORTER_OTLP_COMPRESSION: "gzip",
    OTEL_EXPORTER_OTLP_TRACES_COMPRESSION: "none",
    OTEL_EXPORTER_OTLP_TIMEOUT: "5000",
    OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: "7000",
    OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE: "delta",
    OTEL_BSP_SCHEDULE_DELAY: "100",
    OTEL_LOGS_EXPORTER: "none",
    OTEL_RESOURCE_ATTRIBUTES: "service.name=other,deployment.environment.name=ci%2C1",
    OTEL_SERVICE_NAME: "mine"
  })
  expect(problems).toEqual([])
  expect(settings).toMatchObject({
    serviceName: "mine",
    attributes: { "deployment.environment.name": "ci,1" },
    temporality: "delta"
  })
  expect(settings?.targets).toEqual({
    traces: {
      url: "http://traces.example/any",
      headers: { "api-key": "c" },
      format: "json",
      compression: "none",
      timeoutMs: 7_000,
      intervalMs: 100
    },
    metrics: {
      url: "https://otel.example/base/v1/metrics?key=1",
      headers: { authorization: "Basic dXNlcjpwQHNz", "api-key": "a=b", "x-other": "two" },
      format: "protobuf",
      compression: "gzip",
      timeoutMs: 5_000,
      intervalMs: 60_000
    }
  })
})

it.each([
  ["no endpoint", { OTEL_EXPORTER_OTLP_ENDPOINT: " " }],
  ["switched off", { OTEL_SDK_DISABLED: "TRUE" }],
  ["no exporter", { OTEL_TRACES_EXPORTER: "none", OTEL_METRICS_EXPORTER: "none", OTEL_LOGS_EXPORTER: "none" }]
])("sends nothing: %s", (_, env) => {
  expect(found(env)).toEqual({ settings: undefined, problems: [] })
})

/** Nothing of a value may be in a problem. */
const secret = "s3cret"

describe("what is wrong is named, with what is done instead, and without its value", () => {
  const long = `a=${secret}${"x".repeat(10_000)}`
  it.each([
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: secret },
      "OTEL_EXPORTER_OTLP_ENDPOINT is not a URL such as http://localhost:4318: nothing is sent",
      []
    ],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: `${secret}:4318` },
      "OTEL_EXPORTER_OTLP_ENDPOINT is not an http:// or https:// URL such as http://localhost:4318: nothing is sent",
      []
    ],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: `http://${secret}:%@x` },
      "OTEL_EXPORTER_OTLP_ENDPOINT has a user or password with a wrong %: nothing is sent",
      []
    ],
    [
      { OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: `ftp://${secret}` },
      "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT is not an http:// or https:// URL such as http://localhost:4318: logs are not sent",
      ["traces", "metrics"]
    ],
    [
      { OTEL_EXPORTER_OTLP_TIMEOUT: "-1" },
      "OTEL_EXPORTER_OTLP_TIMEOUT is not a number of milliseconds from 1 to 9999999: the default is used",
      undefined
    ],
    [
      { OTEL_METRIC_EXPORT_INTERVAL: "1e99" },
      "OTEL_METRIC_EXPORT_INTERVAL is not a number of milliseconds from 1 to 9999999: the default is used",
      undefined
    ],
    [
      { OTEL_EXPORTER_OTLP_COMPRESSION: secret },
      "OTEL_EXPORTER_OTLP_COMPRESSION is not one of none, gzip: none is used",
      undefined
    ],
    [
      { OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE: "lowmemory" },
      "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE is not one of cumulative, delta: cumulative is used",
      undefined
    ],
    [{ OTEL_SDK_DISABLED: secret }, "OTEL_SDK_DISABLED is neither true nor false: false is used", undefined],
    [
      { OTEL_TRACES_EXPORTER: `console,${secret}` },
      "OTEL_TRACES_EXPORTER names an exporter other than otlp and none: only otlp is known",
      ["metrics", "logs"]
    ],
    [
      { OTEL_TRACES_SAMPLER: "always_off" },
      "OTEL_TRACES_SAMPLER has no effect in Reins: every run is traced; let the collector sample",
      undefined
    ],
    [
      { OTEL_EXPORTER_OTLP_CERTIFICATE: `/${secret}` },
      "OTEL_EXPORTER_OTLP_CERTIFICATE has no effect in Reins: name the authority by NODE_EXTRA_CA_CERTS",
      undefined
    ],
    [
      { OTEL_RESOURCE_ATTRIBUTES: `good=1,bad=%${secret}` },
      'OTEL_RESOURCE_ATTRIBUTES: "bad" is not of the form name=value, with , and % written as %2C and %25; it is left out',
      undefined
    ],
    [
      { OTEL_RESOURCE_ATTRIBUTES: `good=1,${secret}` },
      "OTEL_RESOURCE_ATTRIBUTES: entry 2 is not of the form name=value, with , and % written as %2C and %25; it is left out",
      undefined
    ],
    [
      { OTEL_RESOURCE_ATTRIBUTES: long },
      "OTEL_RESOURCE_ATTRIBUTES is longer than 8192 characters: none of it is sent",
      undefined
    ],
    [
      { OTEL_EXPORTER_OTLP_HEADERS: `x-key=${secret}%0d%0aHost: evil` },
      'OTEL_EXPORTER_OTLP_HEADERS: "x-key" is not a header of HTTP; it is left out',
      undefined
    ],
    [
      { OTEL_EXPORTER_OTLP_HEADERS: `a%20b=${secret}` },
      "OTEL_EXPORTER_OTLP_HEADERS: an entry is not a header of HTTP; it is left out",
      undefined
    ],
    [
      { OTEL_EXPORTER_OTLP_HEADERS: `Transfer-Encoding=${secret}` },
      'OTEL_EXPORTER_OTLP_HEADERS: "transfer-encoding" is set by Reins itself; it is left out',
      undefined
    ]
  ] as const)("%o: %s", (env, problem, sent) => {
    const { settings, problems } = found(env)
    expect(problems).toEqual([problem])
    expect(problems.join()).not.toContain(secret)
    expect(Object.keys(settings?.targets ?? {})).toEqual(sent ?? ["traces", "metrics", "logs"])
    for (const { headers } of Object.values(settings?.targets ?? {})) expect(headers).toEqual({})
  })

  it("gRPC", () => {
    const { settings, problems } = found({ OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" })
    expect(settings).toBeUndefined()
    expect(problems[0]).toBe(
      "OTEL_EXPORTER_OTLP_PROTOCOL is grpc, which Reins does not speak: traces are not sent; set http/protobuf, and the port for it (usually 4318)"
    )
  })

  it("more attributes than are sent", () => {
    const many = Array.from({ length: 100 }, (_, nth) => `a${nth}=1`).join(",")
    const { settings, problems } = found({ OTEL_RESOURCE_ATTRIBUTES: many })
    expect(problems).toEqual(["OTEL_RESOURCE_ATTRIBUTES has more than 64 entries: the others are left out"])
    expect(Object.keys(settings?.attributes ?? {})).toHaveLength(64)
  })
})
