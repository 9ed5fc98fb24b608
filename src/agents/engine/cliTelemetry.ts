/** Where a CLI exports spans of its own, if the application lets it: to the host's endpoint, without credentials; pure. */
import type { Cli } from "../../cli/Cli.ts"
import type { AgentOptions } from "../../contract/AgentOptions.ts"
import type { CliTelemetry, TelemetryTarget } from "../../contract/Plan.ts"

type Variables = Readonly<Record<string, string | undefined>>

/** Without user, password, query and fragment, which may be secrets: like headers, they are for the host alone. */
const plainUrl = (text: string): string | undefined => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !["http:", "https:"].includes(url.protocol)) return undefined
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}`
}

const protocolOf = (host: Variables): TelemetryTarget["protocol"] => {
  const given = host["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"] ?? host["OTEL_EXPORTER_OTLP_PROTOCOL"]
  return given === "grpc" || given === "http/json" ? given : "http/protobuf"
}

/** Undefined where the host has no endpoint, or one that is no address. */
const targetOf = (host: Variables, content: boolean): TelemetryTarget | undefined => {
  const own = plainUrl(host["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"] ?? "")
  const endpoint = plainUrl(host["OTEL_EXPORTER_OTLP_ENDPOINT"] ?? "") ?? own?.replace(/\/v1\/traces$/, "")
  if (endpoint === undefined || host["OTEL_SDK_DISABLED"] === "true") return undefined
  return { endpoint, traces: own ?? `${endpoint}/v1/traces`, protocol: protocolOf(host), content }
}

export const cliTelemetry = (
  cli: Pick<Cli, "telemetry">,
  { telemetry }: AgentOptions,
  host: Variables
): CliTelemetry => {
  if (telemetry?.cli !== true || cli.telemetry === undefined) return {}
  const target = targetOf(host, telemetry.content === true)
  return target === undefined ? {} : cli.telemetry(target)
}
