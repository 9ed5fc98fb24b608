/** What is traced of runs and live sessions, and what their CLIs export by themselves. */

/** The options for telemetry. Without a tracer nothing is made, whatever they are. */
export interface TelemetryOptions {
  /**
   * Spans have prompts, answers, arguments and outputs of tools, and the working directory: each of at most 8,192
   * characters, without the secrets that the run knows. Default: false, they have none of these.
   */
  readonly content?: boolean | undefined
  /**
   * The CLI exports spans of its own to the endpoint of the host's `OTEL_EXPORTER_OTLP_ENDPOINT`, without the host's
   * headers unless `env.allow` names `OTEL_EXPORTER_OTLP_HEADERS`. Default: false, and `OTEL_*` of the host are removed
   * from its environment unless `env.allow` names them.
   */
  readonly cli?: boolean | undefined
}
