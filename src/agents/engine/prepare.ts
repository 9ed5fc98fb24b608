/** Parameters → everything to start a process. Problems with them are found here and reported by name. */
import { Effect, FileSystem, Path, type PlatformError, Result, type Scope } from "effect"
import type { Cli } from "../../cli/Cli.ts"
import { contractProblem } from "../../cli/contract.ts"
import { argumentsOfProgram, isOfSome, loosened } from "../../cli/supported.ts"
import { type FailureReason, InvalidParams, UnsupportedOption } from "../../contract/AgentError.ts"
import { type AgentExecuteParams, parseParams } from "../../contract/AgentExecuteParams.ts"
import { type AgentOptions, parseOptions, withDefaults } from "../../contract/AgentOptions.ts"
import type { LoadedAttachment } from "../../contract/Attachment.ts"
import { refusalOf } from "../../contract/errors/system.ts"
import type { Argument, CliTelemetry, Plan, PlanContext, TelemetryTarget } from "../../contract/Plan.ts"
import { reveal } from "../../contract/Redacted.ts"
import {
  checkCommandLine,
  composeEnvironment,
  HostEnvironment,
  isPlainWord,
  secretsOf
} from "../../system/process/HostEnvironment.ts"
import { makeRunId, privatePath } from "../../system/process/host.ts"
import { withJsonSchema } from "../answers/outputForm.ts"
import { loadAttachments } from "./attachments.ts"
import { TraceVariables } from "./ownSeams.ts"
import { type TimeLimits, timeLimitsOf } from "./watchdog.ts"

type Variables = Readonly<Record<string, string | undefined>>

/** Without user, password, query and fragment, which may be secrets: like headers, they are for the host alone. */
const plainUrl = (text: string): string | undefined => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !["http:", "https:"].includes(url.protocol)) return undefined
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}`
}

const protocolOf = (host: Variables): TelemetryTarget["protocol"] => {
  const raw = host["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"] ?? host["OTEL_EXPORTER_OTLP_PROTOCOL"]
  return raw === "grpc" || raw === "http/json" ? raw : "http/protobuf"
}

/** Returns undefined if the host has no endpoint, or an invalid address. */
const targetOf = (host: Variables, content: boolean): TelemetryTarget | undefined => {
  const own = plainUrl(host["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"] ?? "")
  const endpoint = plainUrl(host["OTEL_EXPORTER_OTLP_ENDPOINT"] ?? "") ?? own?.replace(/\/v1\/traces$/, "")
  if (endpoint === undefined || host["OTEL_SDK_DISABLED"] === "true") return undefined
  return { endpoint, traces: own ?? `${endpoint}/v1/traces`, protocol: protocolOf(host), content }
}

/** Where a CLI exports spans of its own, if the application lets it: to the host's endpoint, without credentials; pure. */
export const cliTelemetry = (
  cli: Pick<Cli, "telemetry">,
  { telemetry }: AgentOptions,
  host: Variables
): CliTelemetry => {
  if (telemetry?.cli !== true || cli.telemetry === undefined) return {}
  const target = targetOf(host, telemetry.content === true)
  return target === undefined ? {} : cli.telemetry(target)
}

export type CommonParams = Omit<AgentExecuteParams, "prompt" | "outputSchema" | "retries">

/** How the parameters of a run or a live session are checked and turned into a plan. */
export interface ParamsPlan<Params> {
  /** Checks the form of the parameters, and that the CLI supports them. */
  readonly accept: (input: unknown) => Result.Result<Params, FailureReason>
  /** Adds resources that are needed while the process lives. */
  readonly equip?: (params: Params) => Effect.Effect<Params, FailureReason, Scope.Scope>
  readonly plan: (params: Params, options: AgentOptions, context: PlanContext) => Result.Result<Plan, FailureReason>
}

export interface Prepared<Params = CommonParams> {
  readonly params: Params
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly plan: Plan
  readonly privateDirectory: string
  readonly runId: string
  readonly env: Readonly<Record<string, string>>
  readonly workingDirectory: string
  /** The attachments of a run; those of a live session come with its turns. */
  readonly attachments: ReadonlyArray<LoadedAttachment>
  readonly budgets: TimeLimits
  /** Values to redact in recordings. */
  readonly secrets: ReadonlyArray<string>
}

const unsupported = (supports: ReadonlySet<string>, params: object) => {
  const lacking = Object.entries(params).find(
    ([name, value]) => value !== undefined && isOfSome(name) && !supports.has(name)
  )
  const isForking = "whenBusy" in params && params.whenBusy === "fork"
  return lacking?.[0] ?? (isForking && !supports.has("forkSession") ? 'whenBusy "fork"' : undefined)
}

/** Fails if the path is relative to a working directory of the host that was removed. */
const absolute = (path: Path.Path, option: string, file: string): Result.Result<string, InvalidParams> =>
  Result.try({
    try: () => path.resolve(file),
    catch: () => {
      const problem = `${JSON.stringify(file)} is relative to the host's working directory, which was removed`
      return new InvalidParams({ option, problem })
    }
  })

const findDirectory = Effect.fnUntraced(function* (path: Path.Path, raw: string | undefined) {
  const fs = yield* FileSystem.FileSystem
  const option = "workingDirectory"
  const directory = yield* Effect.fromResult(absolute(path, option, raw ?? "."))
  const refuse = (problem: string) => new InvalidParams({ option, problem: `${JSON.stringify(directory)} ${problem}` })
  const explained = Effect.fnUntraced(function* (refusal: PlatformError.PlatformError) {
    const info = yield* fs.stat(directory).pipe(
      Effect.mapError((error) => {
        const isNothing = error.reason._tag === "NotFound" || error.reason._tag === "BadResource"
        return refuse(isNothing ? "does not exist" : `cannot be accessed: ${refusalOf(error)}`)
      })
    )
    return yield* refuse(info.type === "Directory" ? `cannot be read: ${refusalOf(refusal)}` : "is not a directory")
  })
  // By its own dot, which only directories have: a process needs search permission to work in one.
  yield* Effect.catch(fs.access(`${directory}/.`, { readable: true }), explained)
  return directory
})

const mcpSecrets = (params: CommonParams) =>
  Object.values(params.mcpServers ?? {})
    .flatMap((server) => Object.values(("url" in server ? server.headers : server.env) ?? {}))
    .flatMap((value) => {
      if (typeof value !== "string") return [reveal(value)]
      return isPlainWord(value) ? [] : [value]
    })

type Texts = Partial<Pick<AgentExecuteParams, "prompt" | "systemPrompt" | "appendSystemPrompt">>

/** Texts of the caller for the model. */
export const textsOf = ({ prompt, systemPrompt, appendSystemPrompt }: Texts): ReadonlyArray<string> =>
  [prompt, systemPrompt, appendSystemPrompt].filter((text) => text !== undefined)

export const acceptParams = (cli: Cli, input: unknown) =>
  Result.flatMap(Result.flatMap(withJsonSchema(input), parseParams), (params) =>
    acceptSupported(cli, cli.supports, params)
  )

/** The reason to refuse the value of a CLI that was made for another version of `Cli`. */
export const refusedContract = (cli: Cli): InvalidParams | undefined => {
  const problem = contractProblem(cli)
  if (problem === undefined) return undefined
  return new InvalidParams({ option: "contract", problem: `the CLI ${JSON.stringify(cli.id)} ${problem}` })
}

export const acceptSupported = <Params extends object>(
  cli: Cli,
  supports: ReadonlySet<string>,
  params: Params
): Result.Result<Params, FailureReason> => {
  const refusal = refusedContract(cli)
  if (refusal !== undefined) return Result.fail(refusal)
  const option = unsupported(supports, params)
  if (option === undefined) return Result.succeed(params)
  return Result.fail(new UnsupportedOption({ option, cli: cli.id }))
}

export const prepare = Effect.fnUntraced(function* <Params extends CommonParams>(
  cli: Cli,
  options: AgentOptions,
  input: unknown,
  { accept, equip, plan: planOf }: ParamsPlan<Params>,
  admitted?: Pick<Prepared, "runId" | "attachments">
) {
  const path = yield* Path.Path
  yield* Effect.fromResult(parseOptions(options))
  const accepted = yield* Effect.fromResult(accept(withDefaults(options.defaults, input)))
  const params = equip === undefined ? accepted : yield* equip(accepted)
  const workingDirectory = yield* findDirectory(path, params.workingDirectory)
  const host = yield* HostEnvironment
  const runId = admitted?.runId ?? (yield* makeRunId)
  const trace = yield* TraceVariables
  const exporting = cliTelemetry(cli, options, host)
  const added = exporting.env
  const parts = { host, cli, options, params: params.env ?? {}, trace, added, workingDirectory, runId }
  const baseEnv = yield* Effect.fromResult(composeEnvironment(parts))
  const temporary = yield* Effect.fromResult(
    absolute(path, "env TMPDIR", host["TMPDIR"] || host["TMP"] || host["TEMP"] || "/tmp")
  )
  const privateDirectory = privatePath(temporary, runId)
  const read = params.attachments === undefined ? [] : admitted?.attachments
  const attachments = read ?? (yield* loadAttachments(cli, params.attachments ?? [], workingDirectory))
  const context = { env: baseEnv, workingDirectory, privateDirectory, attachments }
  const plan = yield* Effect.fromResult(planOf(params, options, context))
  const env = { ...baseEnv, ...plan.env }
  const command = options.command ?? cli.command
  const loose = cli.looseArgument?.(argumentsOfProgram(cli.command, command, options.baseArgs ?? []))
  if (loose !== undefined) return yield* loosened("baseArgs", loose)
  const baseArgs = (options.baseArgs ?? []).map((text): Argument => ({ option: "baseArgs", text }))
  const args = [...baseArgs, ...(exporting.args ?? []), ...plan.args]
  yield* Effect.fromResult(checkCommandLine(args, env))
  const prepared: Prepared<Params> = {
    params,
    // A path is relative to the host's directory, not the run's.
    command: command.includes("/") ? yield* Effect.fromResult(absolute(path, "command", command)) : command,
    args: args.map(({ text }) => text),
    env,
    plan,
    privateDirectory,
    runId,
    workingDirectory,
    attachments,
    budgets: timeLimitsOf(cli, options.timeouts, params.timeouts),
    secrets: [...secretsOf(parts, env), ...mcpSecrets(params)]
  }
  return prepared
})
