/** How Codex (0.169.0) is told to export its spans; pure. It reads no variable for that, and its endpoint is the whole URL. */
import type { CliTelemetry, TelemetryTarget } from "../../contract/Plan.ts"
import * as Toml from "./command/toml.ts"

const exporterOf = ({ endpoint, traces, protocol }: TelemetryTarget) => {
  if (protocol === "grpc") return `{otlp-grpc={endpoint=${Toml.text(endpoint)}}}`
  const format = protocol === "http/json" ? "json" : "binary"
  return `{otlp-http={endpoint=${Toml.text(traces)},protocol="${format}"}}`
}

export const telemetry = (target: TelemetryTarget): CliTelemetry => ({
  args: [
    ["trace_exporter", exporterOf(target)],
    ["log_user_prompt", String(target.content)]
  ].flatMap(([key, value]) => ["-c", `otel.${key}=${value}`].map((text) => ({ option: "telemetry", text })))
})
