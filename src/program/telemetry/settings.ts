/**
 * The variables of OpenTelemetry → the targets of spans, metrics and logs, and problems; pure. A wrong value never stops the
 * program: its default is used, or the signal is not sent. No problem quotes a value, which can be a password.
 */
import { validateHeaderName, validateHeaderValue } from "node:http"

/** The URL of a collector, without its credentials. */
export interface Endpoint {
  readonly href: string
  readonly credentials: { readonly user: string; readonly password: string } | undefined
}

const example = "such as http://localhost:4318"

/** Checks a URL, and appends `path`. Returns a problem as text, which does not quote the URL. */
export const checkedUrl = (input: string | undefined, path?: string): Endpoint | string | undefined => {
  if (input === undefined) return undefined
  if (input.length > 2_048) return "is longer than 2048 characters"
  if (!URL.canParse(input)) return `is not a URL ${example}`
  const url = new URL(input)
  if (url.protocol !== "http:" && url.protocol !== "https:") return `is not an http:// or https:// URL ${example}`
  const { username, password } = url
  url.username = ""
  url.password = ""
  url.hash = ""
  if (path !== undefined) url.pathname = `${url.pathname.replace(/\/$/, "")}/${path}`
  const hasCredentials = username !== "" || password !== ""
  try {
    const credentials = { user: decodeURIComponent(username), password: decodeURIComponent(password) }
    return { href: url.href, credentials: hasCredentials ? credentials : undefined }
  } catch {
    return "has a user or password with a wrong %"
  }
}

export const basicAuthorization = (credentials: Endpoint["credentials"]): Readonly<Record<string, string>> =>
  credentials === undefined
    ? {}
    : { authorization: `Basic ${Buffer.from(`${credentials.user}:${credentials.password}`).toString("base64")}` }

/** For messages: a query can have a key in it. */
export const shownUrl = (url: URL): string => `${url.origin}${url.pathname}`

const maxLength = 8_192 // every request has the headers
const maxPairs = 64

/** Problems name the key, if it is harmless, and never the value. */
export const pairsIn = (
  variable: string,
  text: string | undefined,
  problems: Set<string>
): Readonly<Record<string, string>> => {
  if (text === undefined) return {}
  if (text.length > maxLength) {
    problems.add(`${variable} is longer than ${maxLength} characters: none of it is sent`)
    return {}
  }
  const pairs = new Map<string, string>()
  for (const [index, part] of text.split(",").entries()) {
    if (part.trim() === "") continue
    const at = part.indexOf("=")
    const key = part.slice(0, at).trim()
    const name = at > 0 && /^[\w.-]{1,128}$/.test(key) ? `"${key}"` : `entry ${index + 1}`
    try {
      if (at < 1 || key === "") throw new Error("no name")
      pairs.set(decodeURIComponent(key), decodeURIComponent(part.slice(at + 1).trim()))
    } catch {
      problems.add(
        `${variable}: ${name} is not of the form name=value, with , and % written as %2C and %25; it is left out`
      )
    }
  }
  if (pairs.size > maxPairs) problems.add(`${variable} has more than ${maxPairs} entries: the others are left out`)
  return Object.fromEntries([...pairs].slice(0, maxPairs))
}

const ownHeaders: ReadonlySet<string> = new Set([
  "connection", "content-encoding", "content-length", "content-type", "expect", "host", "te", "trailer",
  "transfer-encoding", "upgrade"
]) // biome-ignore format: one list

export const headersIn = (
  variable: string,
  text: string | undefined,
  problems: Set<string>
): Readonly<Record<string, string>> | undefined => {
  if (text === undefined) return undefined
  const headers: Record<string, string> = {}
  for (const [key, value] of Object.entries(pairsIn(variable, text, problems))) {
    const name = key.toLowerCase()
    try {
      validateHeaderName(name)
      validateHeaderValue(name, value)
      if (ownHeaders.has(name)) problems.add(`${variable}: "${name}" is set by Reins itself; it is left out`)
      else headers[name] = value
    } catch {
      const visible = /^[\w.-]{1,128}$/.test(key) ? `"${key}"` : "an entry"
      problems.add(`${variable}: ${visible} is not a header of HTTP; it is left out`)
    }
  }
  return headers
}

export const signals = ["traces", "metrics", "logs"] as const
export type Signal = (typeof signals)[number]

export interface Target {
  /** Without a user and password. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly format: "json" | "protobuf"
  readonly compression: "gzip" | "none"
  readonly timeoutMs: number // retries included
  readonly intervalMs: number
}

export interface TelemetrySettings {
  readonly targets: { readonly [Name in Signal]?: Target }
  readonly serviceName: string
  readonly attributes: Readonly<Record<string, string>>
  readonly temporality: "cumulative" | "delta"
}

export interface FoundSettings {
  readonly settings: TelemetrySettings | undefined
  readonly problems: ReadonlyArray<string>
}

type Environment = Readonly<Record<string, string | undefined>>

const defaultIntervals = {
  traces: ["OTEL_BSP_SCHEDULE_DELAY", 5_000],
  metrics: ["OTEL_METRIC_EXPORT_INTERVAL", 60_000],
  logs: ["OTEL_BLRP_SCHEDULE_DELAY", 1_000]
} as const

/** Unsupported variables that would change the target or the amount. */
const unread: ReadonlyArray<readonly [RegExp, string]> = [
  [/^OTEL_EXPORTER_OTLP_(?:TRACES_|METRICS_|LOGS_)?CERTIFICATE$/, "name the authority by NODE_EXTRA_CA_CERTS"],
  [/^OTEL_EXPORTER_OTLP_(?:TRACES_|METRICS_|LOGS_)?CLIENT_(?:KEY|CERTIFICATE)$/, "send to a collector of your own"],
  [/^OTEL_TRACES_SAMPLER$/, "every run is traced; let the collector sample"]
]
const isDefault = (name: string, value: string) =>
  name === "OTEL_TRACES_SAMPLER" && /^(?:parentbased_)?always_on$/.test(value)

export const telemetrySettings = (env: Environment): FoundSettings => {
  const problems = new Set<string>()
  /** Empty variables are not set. */
  const value = (name: string) => env[name]?.trim() || undefined
  const choice = <Choice extends string>(name: string, choices: readonly [Choice, ...ReadonlyArray<Choice>]) => {
    const input = value(name)?.toLowerCase()
    const found = choices.find((each) => each === input)
    if (input !== undefined && found === undefined) {
      problems.add(`${name} is not one of ${choices.join(", ")}: ${choices[0]} is used`)
    }
    return found
  }
  const milliseconds = (name: string) => {
    const input = value(name)
    if (input === undefined) return undefined
    const number = /^\d{1,7}$/.test(input) ? Number(input) : 0
    if (number > 0) return number
    problems.add(`${name} is not a number of milliseconds from 1 to 9999999: the default is used`)
    return undefined
  }
  /** The variable of the signal, or else the common one. */
  const own = <A>(signal: Signal, name: string, read: (name: string) => A | undefined) =>
    read(`OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_${name}`) ?? read(`OTEL_EXPORTER_OTLP_${name}`)

  const urlOf = (signal: Signal) => {
    const [ownName, name] = [`OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_ENDPOINT`, "OTEL_EXPORTER_OTLP_ENDPOINT"]
    const [ownValue, common] = [value(ownName), value(name)]
    const checked = ownValue === undefined ? checkedUrl(common, `v1/${signal}`) : checkedUrl(ownValue)
    if (typeof checked !== "string") return checked
    const lost = ownValue === undefined ? "nothing is sent" : `${signal} are not sent`
    problems.add(`${ownValue === undefined ? name : ownName} ${checked}: ${lost}`)
    return undefined
  }

  const isWanted = (signal: Signal) => {
    const name = `OTEL_${signal.toUpperCase()}_EXPORTER`
    const names = (value(name) ?? "otlp").split(",").map((each) => each.trim().toLowerCase())
    const unknown = names.some((each) => each !== "otlp" && each !== "none")
    if (unknown) problems.add(`${name} names an exporter other than otlp and none: only otlp is known`)
    return names.includes("otlp")
  }

  const targetOf = (signal: Signal): Target | undefined => {
    const url = isWanted(signal) ? urlOf(signal) : undefined
    if (url === undefined) return undefined
    const protocol = own(signal, "PROTOCOL", (name) => choice(name, ["http/protobuf", "http/json", "grpc"]))
    if (protocol === "grpc") {
      problems.add(
        `OTEL_EXPORTER_OTLP_PROTOCOL is grpc, which Reins does not speak: ${signal} are not sent; set http/protobuf, and the port for it (usually 4318)`
      )
      return undefined
    }
    const headers = own(signal, "HEADERS", (name) => headersIn(name, value(name), problems))
    const [interval, intervalMs] = defaultIntervals[signal]
    return {
      url: url.href,
      headers: { ...basicAuthorization(url.credentials), ...headers },
      format: protocol === "http/json" ? "json" : "protobuf",
      compression: own(signal, "COMPRESSION", (name) => choice(name, ["none", "gzip"])) ?? "none",
      timeoutMs: own(signal, "TIMEOUT", milliseconds) ?? 10_000,
      intervalMs: milliseconds(interval) ?? intervalMs
    }
  }

  const isOff = value("OTEL_SDK_DISABLED")?.toLowerCase()
  if (isOff === "true") return { settings: undefined, problems: [] }
  if (isOff !== undefined && isOff !== "false")
    problems.add("OTEL_SDK_DISABLED is neither true nor false: false is used")
  for (const [pattern, cure] of unread) {
    for (const name of Object.keys(env)) {
      const input = pattern.test(name) ? value(name) : undefined
      if (input !== undefined && !isDefault(name, input)) problems.add(`${name} has no effect in Reins: ${cure}`)
    }
  }
  const targets = Object.fromEntries(
    signals.flatMap((signal) => {
      const target = targetOf(signal)
      return target === undefined ? [] : [[signal, target]]
    })
  )
  if (Object.keys(targets).length === 0) return { settings: undefined, problems: [...problems] }
  const { "service.name": named, ...attributes } = pairsIn(
    "OTEL_RESOURCE_ATTRIBUTES",
    value("OTEL_RESOURCE_ATTRIBUTES"),
    problems
  )
  const settings: TelemetrySettings = {
    targets,
    serviceName: value("OTEL_SERVICE_NAME")?.slice(0, 256) ?? named ?? "reins",
    attributes,
    temporality: choice("OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE", ["cumulative", "delta"]) ?? "cumulative"
  }
  return { settings, problems: [...problems] }
}
