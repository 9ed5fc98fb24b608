/** How Claude Code (2.1.330) is told to export its spans; pure. Its metrics and logs stay off. */
import type { CliTelemetry, TelemetryTarget } from "../../contract/Plan.ts"

export const telemetry = ({ endpoint, protocol, content }: TelemetryTarget): CliTelemetry => ({
  env: {
    CLAUDE_CODE_ENABLE_TELEMETRY: "1",
    CLAUDE_CODE_ENHANCED_TELEMETRY_BETA: "1",
    OTEL_TRACES_EXPORTER: "otlp",
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
    ...(content ? { OTEL_LOG_USER_PROMPTS: "1", OTEL_LOG_TOOL_CONTENT: "1" } : {})
  }
})
