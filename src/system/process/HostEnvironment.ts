/**
 * The child's environment: host < the agent's options < the run's params; and whether it fits on a command line. Marks
 * of an enclosing agent session are removed: a CLI that believes itself nested behaves differently.
 */
import { Context, Result } from "effect"
import { CommandLineTooLong, type FailureReason, InvalidParams } from "../../contract/AgentError.ts"
import type { AgentOptions } from "../../contract/AgentOptions.ts"
import { type Argument, type ProgramFacts, runMarker } from "../../contract/Plan.ts"
import { type MaybeSecret, reveal } from "../../contract/Redacted.ts"

type Values = Readonly<Record<string, MaybeSecret | undefined>>

/** The variables of this process; the one place where they are read. */
export const HostEnvironment = Context.Reference<Readonly<Record<string, string | undefined>>>(
  "reins/HostEnvironment",
  {
    defaultValue: () => process.env
  }
)

/** For the allow-list policy. */
const basics = [
  "PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "TZ", "LANG", "LANGUAGE", "LC_*", "TMPDIR", "TMP", "TEMP",
  "XDG_*", "SSL_CERT_*", "NODE_EXTRA_CA_CERTS", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY",
  "http_proxy", "https_proxy", "no_proxy", "all_proxy", "SystemRoot", "ComSpec", "PATHEXT", "APPDATA", "LOCALAPPDATA",
  "USERPROFILE"
] // biome-ignore format: one list

export interface EnvironmentParts {
  readonly host: Readonly<Record<string, string | undefined>>
  readonly cli: Omit<ProgramFacts, "nativeCommands">
  readonly options: AgentOptions
  readonly params: Values
  /** The trace that the run belongs to, in place of the host's. A caller who sets `TRACEPARENT` has another one in mind. */
  readonly trace?: Values | undefined
  /** Variables of ours that do not override the caller's. */
  readonly added?: Values | undefined
  readonly workingDirectory: string
  readonly runId: string
}

/** A pattern is a name, or a prefix that ends in `*`. */
const matches = (pattern: string, name: string) =>
  pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : pattern === name

/** Where the host sends its telemetry, and with which headers: a CLI that finds it may export unasked. */
const telemetryPrefix = "OTEL_"

const hostPart = ({ host, cli, options }: EnvironmentParts): Values => {
  const allow = options.env?.allow ?? [...basics, ...cli.apiKeys, ...(cli.variables ?? [])]
  const isListed = options.env?.policy === "allow-list"
  const isAllowed = (name: string) => {
    if (!name.startsWith(telemetryPrefix)) return !isListed || allow.some((pattern) => matches(pattern, name))
    return allow.some((pattern) => pattern.startsWith(telemetryPrefix) && matches(pattern, name))
  }
  const own: Record<string, string | undefined> = {}
  // Once: each access to `process.env` leaves JavaScript.
  for (const [name, value] of Object.entries(host)) {
    if (isAllowed(name) && !cli.sessionMarkers.includes(name)) own[name] = value
  }
  return own
}

/** The name of a variable in errors. */
const optionOf = (name: string) => `env ${JSON.stringify(name)}`

const checked = (values: Values): InvalidParams | undefined => {
  for (const [name, value] of Object.entries(values)) {
    const invalid = (problem: string) => new InvalidParams({ option: optionOf(name), problem })
    if (name === "" || /[=\0]/.test(name)) return invalid("is not a name for an environment variable")
    if (value !== undefined && reveal(value).includes("\0")) return invalid("has a value with a NUL character")
  }
  return undefined
}

export const composeEnvironment = (parts: EnvironmentParts): Result.Result<Record<string, string>, InvalidParams> => {
  const { cli, options, params } = parts
  const variables = { ...options.env?.values, ...params }
  const problem = checked(variables)
  if (problem !== undefined) return Result.fail(problem)
  const trace = Object.hasOwn(variables, "TRACEPARENT") ? undefined : parts.trace
  const own = { PWD: parts.workingDirectory, [runMarker]: [parts.host[runMarker] ?? [], parts.runId].flat().join(" ") }
  const env: Record<string, string> = {}
  for (const [name, value] of Object.entries({ ...hostPart(parts), ...trace, ...parts.added, ...variables, ...own })) {
    if (value === undefined) continue
    if (options.billing === "subscription" && cli.apiKeys.includes(name)) continue
    env[name] = reveal(value)
  }
  if (options.billing === "api-key" && !cli.apiKeys.some((name) => env[name])) {
    const needs = cli.apiKeys.length === 0 ? "a variable, and none of this agent is known" : cli.apiKeys.join(" or ")
    return Result.fail(new InvalidParams({ option: "billing", problem: `"api-key" needs ${needs}` }))
  }
  return Result.succeed(env)
}

/** Settings such as `true` or `production` are not secrets, and appear in many lines. */
export const isPlainWord = (value: string) => value.length < 8 || /^[a-z_]+$/.test(value)

const isSecretName = (name: string) => /KEY|TOKEN|SECRET|PASSW|CREDENTIAL|_AUTH|_HEADERS$/i.test(name)

/** Values that no recording and no stderr may show: of `Redacted`, and of variables with the name of a secret. */
export const secretsOf = (
  { options, params }: Pick<EnvironmentParts, "options" | "params">,
  env: Readonly<Record<string, string>>
): ReadonlyArray<string> => {
  const values = Object.values({ ...options.env?.values, ...params })
  const redacted = values.flatMap((value) => (value === undefined || typeof value === "string" ? [] : [reveal(value)]))
  const named = Object.entries(env).filter(([name, value]) => isSecretName(name) && !isPlainWord(value))
  return [...redacted, ...named.map(([, value]) => value)]
}

/** Linux refuses a single argument or variable from 128 KiB on, including the closing NUL (MAX_ARG_STRLEN). */
export const longestArgumentBytes = 128 * 1024 - 1

const problemOf = (option: string, text: string): FailureReason | undefined => {
  if (text.includes("\0")) return new InvalidParams({ option, problem: "contains a NUL character" })
  const bytes = Buffer.byteLength(text)
  if (bytes <= longestArgumentBytes) return undefined
  return new CommandLineTooLong({ option, bytes, limitBytes: longestArgumentBytes })
}

export const checkCommandLine = (
  args: ReadonlyArray<Argument>,
  env: Readonly<Record<string, string>>
): Result.Result<void, FailureReason> => {
  const variables = Object.entries(env).map(([name, value]) => ({ option: optionOf(name), text: `${name}=${value}` }))
  for (const { option, text } of [...args, ...variables]) {
    const problem = problemOf(option, text)
    if (problem !== undefined) return Result.fail(problem)
  }
  return Result.void
}
