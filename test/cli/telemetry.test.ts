/**
 * Settings that make each CLI export its own spans: if the application allows it, to the host's endpoint, without
 * credentials.
 */
import { assert, describe, it } from "vitest"
import { clis } from "../../src/agents/Agents.ts"
import { cliTelemetry } from "../../src/agents/engine/prepare.ts"

const host = { OTEL_EXPORTER_OTLP_ENDPOINT: "https://me:secret@collector:4318/otlp/?token=secret#x" }
const of = (id: keyof typeof clis, telemetry: object = { cli: true }, env: Record<string, string> = host) => {
  const { env: variables = {}, args = [] } = cliTelemetry(clis[id], { telemetry }, env)
  return { env: variables, args: args.map(({ text }) => text) }
}
const nothing = { env: {}, args: [] }

describe("a CLI exports its own spans", () => {
  it("by the variables or arguments of each", () => {
    assert.deepStrictEqual(of("claude"), {
      env: {
        CLAUDE_CODE_ENABLE_TELEMETRY: "1",
        CLAUDE_CODE_ENHANCED_TELEMETRY_BETA: "1",
        OTEL_TRACES_EXPORTER: "otlp",
        OTEL_EXPORTER_OTLP_ENDPOINT: "https://collector:4318/otlp",
        OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf"
      },
      args: []
    })
    assert.deepStrictEqual(of("codex").args, [
      "-c",
      'otel.trace_exporter={otlp-http={endpoint="https://collector:4318/otlp/v1/traces",protocol="binary"}}',
      "-c",
      "otel.log_user_prompt=false"
    ])
    const grpc = { ...host, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }
    assert.include(of("codex", { cli: true }, grpc).args[1], '{otlp-grpc={endpoint="https://collector:4318/otlp"}}')
    assert.strictEqual(of("gemini").env["GEMINI_TELEMETRY_LOG_PROMPTS"], "false")
    assert.deepStrictEqual(of("opencode").env, { OTEL_EXPORTER_OTLP_ENDPOINT: "https://collector:4318/otlp" })
  })

  it("with contents only where these are asked for", () => {
    const content = { cli: true, content: true }
    assert.strictEqual(of("claude", content).env["OTEL_LOG_USER_PROMPTS"], "1")
    assert.strictEqual(of("gemini", content).env["GEMINI_TELEMETRY_LOG_PROMPTS"], "true")
    assert.include(of("codex", content).args, "otel.log_user_prompt=true")
  })

  it("only if it is asked for, and there is an endpoint that is an address", () => {
    assert.deepStrictEqual(of("claude", {}), nothing)
    for (const endpoint of ["", "collector:4318", "file:///etc/passwd", "http://", "\0"]) {
      assert.deepStrictEqual(of("claude", { cli: true }, { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }), nothing)
    }
    assert.deepStrictEqual(of("codex", { cli: true }, { ...host, OTEL_SDK_DISABLED: "true" }), nothing)
    const own = of("codex", { cli: true }, { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://c:1/v1/traces" })
    assert.include(own.args[1], '"http://c:1/v1/traces"')
  })
})
