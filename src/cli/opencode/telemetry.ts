/** How OpenCode (1.18.33) is told to export its spans; pure. They do not join the trace of its caller. */
import type { CliTelemetry, TelemetryTarget } from "../../contract/Plan.ts"

export const telemetry = ({ endpoint }: TelemetryTarget): CliTelemetry => ({
  env: { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }
})
