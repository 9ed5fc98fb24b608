/** The parameters of one run. An option that a CLI does not support is refused by name (`UnsupportedOption`). */
import { Schema } from "effect"
import { type Attachment, Attachments } from "./Attachment.ts"
import type { EffortOf, ModelOf, Supported } from "./CliSupport.ts"
import { AbortSignalSchema, JsonObject, makeParser } from "./checkInput.ts"
import { DurationInput, PositiveDuration } from "./Input.ts"
import { jsonSchemaProblem } from "./jsonSchema.ts"
import type { OutputSchema } from "./OutputSchema.ts"
import { MaybeSecret } from "./Redacted.ts"
import { WhenBusy } from "./Sessions.ts"
import { schemaOf } from "./schemaOf.ts"
import { AccountParams } from "./Usage.ts"

/** The same modes for all CLIs; the documentation has their meaning for each of them. */
export type PermissionMode = "default" | "plan" | "accept-edits" | "bypass"

export const PermissionMode = schemaOf<PermissionMode>()(Schema.Literals(["default", "plan", "accept-edits", "bypass"]))
/** Further turns for an answer that does not match its schema. */
export const Retries = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10 }))

const StringRecord = Schema.Record(Schema.String, MaybeSecret)

/** An MCP server that the CLI starts. */
export interface StdioMcpServer {
  /** The program: a name on PATH, or a path. */
  readonly command: string
  /** Its arguments. */
  readonly args?: ReadonlyArray<string>
  /** Environment variables for it. `Redacted` values are never shown. */
  readonly env?: { readonly [name: string]: MaybeSecret }
}

/** An MCP server that the CLI connects to over HTTP. */
export interface HttpMcpServer {
  /** Its address. */
  readonly url: string
  /** Headers of every request. `Redacted` values are never shown. */
  readonly headers?: { readonly [name: string]: MaybeSecret }
}

/** An MCP server that the CLI starts (`command`), or that it connects to over HTTP (`url`). */
export type McpServer = StdioMcpServer | HttpMcpServer

export const McpServer = schemaOf<McpServer>()(
  Schema.Union([
    Schema.Struct({
      command: Schema.NonEmptyString,
      args: Schema.optionalKey(Schema.Array(Schema.String)),
      env: Schema.optionalKey(StringRecord)
    }),
    Schema.Struct({ url: Schema.NonEmptyString, headers: Schema.optionalKey(StringRecord) })
  ])
)

/** Time limits. A number is milliseconds; `"Infinity"` switches a limit off. */
export interface Timeouts {
  /** Until the first output line. Default: 60 s; OpenCode 10 min. */
  readonly startup?: DurationInput | undefined
  /** Silence while waiting for the model. Default: Claude Code 400 s, Gemini 10 min, Codex 15 min, OpenCode 1 h. */
  readonly idle?: DurationInput | undefined
  /** Silence while a tool call, sub-agent or background task is running. Default: 1 h. */
  readonly tool?: DurationInput | undefined
  /** Silence while a person is asked (live sessions). Default: none. */
  readonly approval?: DurationInput | undefined
  /**
   * Silence after a whole answer, until the agent reports its end (Claude Code). Then the answer is taken as it is, with a
   * notice `result_missing`. Default: 60 s, at most `idle`.
   */
  readonly settle?: DurationInput | undefined
  /** For the process to exit by itself after its result. Default: 10 s. */
  readonly linger?: DurationInput | undefined
  /** For the whole run. Default: none. */
  readonly total?: DurationInput | undefined
}

export const Timeouts = schemaOf<Timeouts>()(
  Schema.Struct({
    startup: Schema.optional(PositiveDuration),
    idle: Schema.optional(PositiveDuration),
    tool: Schema.optional(PositiveDuration),
    approval: Schema.optional(PositiveDuration),
    settle: Schema.optional(PositiveDuration),
    linger: Schema.optional(DurationInput),
    total: Schema.optional(PositiveDuration)
  })
)

/** The parameters that runs and live sessions share. `As`: the name of the CLI in the table of support. */
export interface SharedParams<Id extends string = string, As extends string = Id> {
  /** Id of a session of the CLI to resume. Default: a new session. */
  readonly sessionId?: Supported<Id, "sessionId", string> | undefined
  /** Resumes into a new session and leaves the old one unchanged. Needs `sessionId`. */
  readonly forkSession?: Supported<Id, "forkSession", boolean> | undefined
  /**
   * While the session of `sessionId` is in use: `wait` waits its turn in this process and `limits.busyWait` for another
   * one, then fails with `SessionBusy`; `fail` does not wait; `fork` continues as with `forkSession`. Default: `wait`.
   */
  readonly whenBusy?: WhenBusy | undefined
  /** Id for the new session. Claude Code takes a UUID. Default: chosen by the CLI. */
  readonly newSessionId?: Supported<Id, "newSessionId", string, As> | undefined
  /** The CLI does not store the session: no resume and no `retries`. Not with `sessionId`. Default: false. */
  readonly ephemeral?: Supported<Id, "ephemeral", boolean> | undefined
  /** MCP servers by name, in addition to those in the configuration of the CLI. */
  readonly mcpServers?: Supported<Id, "mcpServers", { readonly [name: string]: McpServer }> | undefined
  /** Uses only `mcpServers`, and none of the CLI's configuration. Default: false. */
  readonly strictMcpServers?: Supported<Id, "strictMcpServers", boolean> | undefined
  /** Aborts the run, which ends as `aborted`. For a time limit use `timeouts.total`. */
  readonly abortSignal?: AbortSignal | undefined
  /** Working directory of the agent. Default: that of the host. */
  readonly workingDirectory?: string | undefined
  /** Additional directories that the agent may use. */
  readonly additionalDirectories?: Supported<Id, "additionalDirectories", ReadonlyArray<string>> | undefined
  /**
   * False ignores settings, hooks and MCP servers of the directory. Default: true, like the CLI; Pi trusts a directory only if
   * this is true, or a person said so before.
   */
  readonly trustWorkspace?: Supported<Id, "trustWorkspace", boolean> | undefined
  /** Settings that Claude Code loads. Default: all; only `user` where the workspace is not trusted. */
  readonly settingSources?: Supported<Id, "settingSources", ReadonlyArray<"user" | "project" | "local">> | undefined
  /** Environment variables of this run. They override all others; `undefined` removes one. `Redacted` values are never shown. */
  readonly env?: { readonly [name: string]: MaybeSecret | undefined } | undefined
  /** Model, as the CLI names it. Default: that of the CLI. */
  readonly model?: Supported<Id, "model", ModelOf<Id>> | undefined
  /** Used when the model is overloaded or not available. */
  readonly fallbackModel?: Supported<Id, "fallbackModel", string> | undefined
  /**
   * Reasoning effort, as the CLI names it: Claude Code `low`, `medium`, `high`, `xhigh`, `max`; Codex also
   * `none`, `minimal` and `ultra`; OpenCode the variants of the model in its configuration.
   */
  readonly effort?: Supported<Id, "effort", EffortOf<Id>> | undefined
  /** Replaces the CLI's own system prompt. */
  readonly systemPrompt?: Supported<Id, "systemPrompt", string> | undefined
  /** Added to the CLI's own system prompt. */
  readonly appendSystemPrompt?: Supported<Id, "appendSystemPrompt", string> | undefined
  /** Permissions without asking. Default: those of the CLI without a mode. */
  readonly permissionMode?: Supported<Id, "permissionMode", PermissionMode> | undefined
  /** Tools that need no permission, as the CLI names them. */
  readonly allowedTools?: Supported<Id, "allowedTools", ReadonlyArray<string>> | undefined
  /** Tools that the agent may not use. */
  readonly disallowedTools?: Supported<Id, "disallowedTools", ReadonlyArray<string>> | undefined
  /** Maximum number of model turns. */
  readonly maxTurns?: Supported<Id, "maxTurns", number> | undefined
  /** Maximum cost in US dollars, as the CLI counts it. */
  readonly maxBudgetUsd?: Supported<Id, "maxBudgetUsd", number> | undefined
  /** True runs a prompt that begins with `/` as a command of the CLI. Default: false, it is text. */
  readonly slashCommands?: Supported<Id, "slashCommands", boolean> | undefined
  /** Its owner, for budgets and reports of the ledger; without a store it has no effect. */
  readonly account?: AccountParams | undefined
  /** Time limits; they override those of the agent. */
  readonly timeouts?: Timeouts | undefined
  /**
   * File to record the CLI's output lines in, with secrets redacted, for `reins replay`; `<file>.times` has their
   * times, one a line, in milliseconds since the recording began. Both are readable for their owner only, and replace
   * older files.
   */
  readonly record?: string | undefined
  /** Additional arguments for the CLI, verbatim. Those that have an option here or change permissions are refused. */
  readonly extraArgs?: Supported<Id, "extraArgs", ReadonlyArray<string>> | undefined
}

/** Parameters of a run of one CLI: other options do not compile. `Output`: type of the answer, by `outputSchema`. */
export interface ParamsOf<Id extends string, Output = unknown> extends SharedParams<Id, Id | `${Id} runs`> {
  /** Plain text: a leading `/` is not a command unless `slashCommands` is true. */
  readonly prompt: string
  /**
   * Images and files for the model, by path or as bytes. One that is damaged, too large or not supported by the CLI is
   * refused (`AttachmentRefused`) before anything is started. Default: none.
   */
  readonly attachments?: Supported<Id, "attachments", ReadonlyArray<Attachment>> | undefined
  /** JSON Schema of the answer, or a schema of Zod, Valibot, ArkType or Effect: the answer becomes `structuredOutput`. */
  readonly outputSchema?: OutputSchema<Output> | undefined
  /** How often the agent is asked again, in the same session, if its answer does not match `outputSchema`; 0 to 10. Default: 1. */
  readonly retries?: number | undefined
}

/** The parameters of one run. Only `prompt` is required; an option that a CLI does not support is refused by name. */
export interface AgentExecuteParams<Output = unknown> extends ParamsOf<string, Output> {}

export const AgentExecuteParams = schemaOf<AgentExecuteParams, "outputSchema">()(
  Schema.Struct({
    prompt: Schema.String,
    attachments: Schema.optional(Attachments),
    sessionId: Schema.optional(Schema.String),
    forkSession: Schema.optional(Schema.Boolean),
    whenBusy: Schema.optional(WhenBusy),
    newSessionId: Schema.optional(Schema.String),
    ephemeral: Schema.optional(Schema.Boolean),
    mcpServers: Schema.optional(Schema.Record(Schema.String, McpServer)),
    strictMcpServers: Schema.optional(Schema.Boolean),
    abortSignal: Schema.optional(AbortSignalSchema),
    workingDirectory: Schema.optional(Schema.NonEmptyString),
    additionalDirectories: Schema.optional(Schema.Array(Schema.String)),
    trustWorkspace: Schema.optional(Schema.Boolean),
    settingSources: Schema.optional(Schema.Array(Schema.Literals(["user", "project", "local"]))),
    env: Schema.optional(Schema.Record(Schema.String, Schema.UndefinedOr(MaybeSecret))),
    model: Schema.optional(Schema.String),
    fallbackModel: Schema.optional(Schema.String),
    effort: Schema.optional(Schema.String),
    systemPrompt: Schema.optional(Schema.String),
    appendSystemPrompt: Schema.optional(Schema.String),
    permissionMode: Schema.optional(PermissionMode),
    allowedTools: Schema.optional(Schema.Array(Schema.String)),
    disallowedTools: Schema.optional(Schema.Array(Schema.String)),
    maxTurns: Schema.optional(Schema.Int.check(Schema.isGreaterThan(0))),
    maxBudgetUsd: Schema.optional(Schema.Finite.check(Schema.isGreaterThan(0))),
    outputSchema: Schema.optional(JsonObject.check(Schema.makeFilter(jsonSchemaProblem))),
    retries: Schema.optional(Retries),
    slashCommands: Schema.optional(Schema.Boolean),
    account: Schema.optional(AccountParams),
    timeouts: Schema.optional(Timeouts),
    record: Schema.optional(Schema.String),
    extraArgs: Schema.optional(Schema.Array(Schema.String))
  })
)

export const parseParams = makeParser(AgentExecuteParams, "params")
export const parseAccount = makeParser(Schema.Struct({ account: AgentExecuteParams.fields.account }), "options")
