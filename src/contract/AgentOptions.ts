/** The options for all runs of one agent: how its CLI is found, its environment, time limits and other limits. */
import { Predicate, Schema, Struct } from "effect"
import { AgentExecuteParams, type SharedParams, Timeouts } from "./AgentExecuteParams.ts"
import { makeParser } from "./checkInput.ts"
import { DurationInput } from "./Input.ts"
import { MaybeSecret } from "./Redacted.ts"
import { schemaOf } from "./schemaOf.ts"
import { TelemetryOptions } from "./Telemetry.ts"

/** The environment variables of the CLI and its child processes. */
export interface EnvironmentOptions {
  /** `inherit` (default): the CLI gets the host's variables. `allow-list`: only those that `allow` names. */
  readonly policy?: "inherit" | "allow-list" | undefined
  /** Names, or prefixes that end in `*`. Default: variables that programs need in general, and those of the CLI itself. */
  readonly allow?: ReadonlyArray<string> | undefined
  /** Variables for every run; `undefined` removes one. They override the host's; those of a run override these. */
  readonly values?: { readonly [name: string]: MaybeSecret | undefined } | undefined
}

export const EnvironmentOptions = schemaOf<EnvironmentOptions>()(
  Schema.Struct({
    policy: Schema.optional(Schema.Literals(["inherit", "allow-list"])),
    allow: Schema.optional(Schema.Array(Schema.String)),
    values: Schema.optional(Schema.Record(Schema.String, Schema.UndefinedOr(MaybeSecret)))
  })
)

const Count = Schema.Int.check(Schema.isGreaterThan(0))

/** When a run may start; until then it waits, with a `queued` notice. All runs and live sessions of this process count. */
export interface Limits {
  /** Maximum number of concurrent runs of this CLI. Default: no limit. */
  readonly perCli?: number | undefined
  /** Maximum number of concurrent runs of all CLIs. Default: no limit. */
  readonly total?: number | undefined
  /** Maximum wait for the previous run of this CLI to open its session, where starts disturb each other. Default: 0. */
  readonly stagger?: DurationInput | undefined
  /** Minimum of available memory in bytes, of the machine or its container. Default: none. */
  readonly freeMemoryBytes?: number | undefined
  /** Time after which a waiting run fails with `LimitReached`; with 0 no run waits. Default: no limit. */
  readonly maxWait?: DurationInput | undefined
  /** `locks`: no two processes use a session at once, by the state directory. `none`: no check. Default: `locks`. */
  readonly guard?: "locks" | "none" | undefined
  /** Time after which a run that waits for another process to end with its session fails with `SessionBusy`. Default: 30 s. */
  readonly busyWait?: DurationInput | undefined
}

export const Limits = schemaOf<Limits>()(
  Schema.Struct({
    perCli: Schema.optional(Count),
    total: Schema.optional(Count),
    stagger: Schema.optional(DurationInput),
    freeMemoryBytes: Schema.optional(Count),
    maxWait: Schema.optional(DurationInput),
    guard: Schema.optional(Schema.Literals(["locks", "none"])),
    busyWait: Schema.optional(DurationInput)
  })
)

const own = ["prompt", "sessionId", "forkSession", "newSessionId", "outputSchema", "retries"] as const
const lasting = Struct.omit(AgentExecuteParams.fields, [...own, "attachments", "abortSignal", "record"])

/** Parameters of every run and live session of an agent, unless the call has others. */
export interface AgentDefaults<Id extends string = string>
  extends Omit<SharedParams<Id, Id>, "sessionId" | "forkSession" | "newSessionId" | "abortSignal" | "record"> {}

export const AgentDefaults = schemaOf<AgentDefaults>()(Schema.Struct(lasting))

/** Parameters that are merged by name; of the others, the whole value counts. */
const merged = ["env", "mcpServers", "timeouts", "account"] as const

const defined = (params: object) =>
  Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined))

/** Parameters of a call over the defaults. In `env`, undefined removes a variable, also one of the defaults. */
export const withDefaults = (defaults: AgentDefaults | undefined, params: unknown): unknown => {
  // The parser refuses such parameters.
  if (defaults === undefined || !Predicate.isObject(params) || Array.isArray(params)) return params
  const result: Record<string, unknown> = { ...defined(defaults), ...defined(params) }
  for (const name of merged) {
    const [below, above] = [defaults[name], result[name]]
    if (below === undefined || !Predicate.isObject(above) || Array.isArray(above)) continue
    result[name] = name === "env" ? { ...below, ...above } : { ...defined(below), ...defined(above) }
  }
  return result
}

/** The options of an agent, for all its runs and live sessions. */
export interface AgentOptions {
  /** The CLI's program: a name on PATH, or a path. Default: the CLI's own name. */
  readonly command?: string | undefined
  /** Arguments before all others, for wrappers: `{ command: "npx", baseArgs: ["claude"] }`. Arguments that change permissions are refused. */
  readonly baseArgs?: ReadonlyArray<string> | undefined
  /** Environment variables of the CLI and its child processes. */
  readonly env?: EnvironmentOptions | undefined
  /**
   * Parameters of every run and live session, such as `model` and `workingDirectory`; those of a call override them.
   * Variables, MCP servers, time limits and `account` are merged by their names.
   */
  readonly defaults?: AgentDefaults | undefined
  /** Time limits; those of a run override them. */
  readonly timeouts?: Timeouts | undefined
  /** Limits for concurrent runs and their starts. Waiting does not count as time of the run. */
  readonly limits?: Limits | undefined
  /** Maximum length of an output line; longer ones are dropped with a notice. Default: 64 MiB. */
  readonly maxLineBytes?: number | undefined
  /** Time between the stop signal and SIGKILL. Default: 10 s; 2 s for a process that never printed a line. */
  readonly killGrace?: DurationInput | undefined
  /** `stdin` (default), or `argument` for wrappers that need it: prompts of up to 10,000 characters. */
  readonly promptVia?: "stdin" | "argument" | undefined
  /** `subscription` removes the CLI's API keys from its environment, `api-key` requires one. Default: neither. */
  readonly billing?: "subscription" | "api-key" | undefined
  /** Content of spans, and whether the CLI exports its own. Default: no content, and it does not. */
  readonly telemetry?: TelemetryOptions | undefined
}

export const AgentOptions = schemaOf<AgentOptions>()(
  Schema.Struct({
    command: Schema.optional(Schema.NonEmptyString),
    baseArgs: Schema.optional(Schema.Array(Schema.String)),
    env: Schema.optional(EnvironmentOptions),
    defaults: Schema.optional(AgentDefaults),
    timeouts: Schema.optional(Timeouts),
    limits: Schema.optional(Limits),
    maxLineBytes: Schema.optional(Count),
    killGrace: Schema.optional(DurationInput),
    promptVia: Schema.optional(Schema.Literals(["stdin", "argument"])),
    billing: Schema.optional(Schema.Literals(["subscription", "api-key"])),
    telemetry: Schema.optional(TelemetryOptions)
  })
)

export const parseOptions = makeParser(AgentOptions, "options")

/** The span of the usage that an agent of the Agent Client Protocol reports at the end of a turn. */
export type AcpUsage = "turn" | "session" | "answer"
export const acpUsages: ReadonlyArray<AcpUsage> = ["turn", "session", "answer"]
export const isAcpUsage = (usage: unknown): usage is AcpUsage => acpUsages.some((known) => known === usage)

/** The options of any agent of the Agent Client Protocol. */
export interface AcpOptions extends AgentOptions {
  /** The agent's program: a name on PATH, or a path. */
  readonly command: string
  /** Arguments that make it speak the protocol: `["--acp"]`. */
  readonly args?: ReadonlyArray<string>
  /** Its name in errors. Default: `acp`. */
  readonly id?: string
  /**
   * Whether it reports the usage of each turn, that of its session so far (a turn's is the increase), or that of its last answer
   * alone (a turn with tool calls has none). Default: `turn`.
   */
  readonly usage?: AcpUsage
}
