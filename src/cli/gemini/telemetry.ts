/** How Gemini CLI (0.61.0) is told to export its spans; pure. They do not join the trace of its caller. */
import type { CliTelemetry, TelemetryTarget } from "../../contract/Plan.ts"

export const telemetry = ({ endpoint, protocol, content }: TelemetryTarget): CliTelemetry => ({
  env: {
    GEMINI_TELEMETRY_ENABLED: "true",
    GEMINI_TELEMETRY_TARGET: "local",
    GEMINI_TELEMETRY_OTLP_ENDPOINT: endpoint,
    GEMINI_TELEMETRY_OTLP_PROTOCOL: protocol === "grpc" ? "grpc" : "http",
    // Prompts by default.
    GEMINI_TELEMETRY_LOG_PROMPTS: String(content),
    GEMINI_TELEMETRY_TRACES_ENABLED: String(content)
  }
})
