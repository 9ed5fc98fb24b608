/**
 * The parameters of one run. Every field but the prompt is optional; an option that a CLI does not support is refused by
 * name (`UnsupportedOption`) before anything is started, never ignored.
 */
import { Schema } from "effect"
import type { OutputSchema } from "../types/OutputSchema.ts"
import { Attachments } from "./attachments.ts"
import { AbortSignalSchema, Budget, DurationInput, JsonObject, MaybeSecret, makeParser } from "./input.ts"
import { jsonSchemaProblem } from "./jsonSchema.ts"

/** The same modes for all CLIs; the documentation has their meaning for each of them. */
export const PermissionMode = Schema.Literals(["default", "plan", "accept-edits", "bypass"])
export type PermissionMode = typeof PermissionMode.Type

/** Further turns for an answer that does not match its schema. */
export const Retries = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10 }))

const StringRecord = Schema.Record(Schema.String, MaybeSecret)

/** An MCP server that the CLI starts (`command`), or that it connects to over HTTP (`url`). */
export const McpServer = Schema.Union([
  Schema.Struct({
    command: Schema.NonEmptyString,
    args: Schema.optionalKey(Schema.Array(Schema.String)),
    env: Schema.optionalKey(StringRecord)
  }),
  Schema.Struct({ url: Schema.NonEmptyString, headers: Schema.optionalKey(StringRecord) })
])
export type McpServer = typeof McpServer.Type

/** Time limits. A number is milliseconds; `"Infinity"` switches a limit off. */
export const Timeouts = Schema.Struct({
  /** Until the first output line. Default: 60 s; OpenCode 10 min. */
  startup: Schema.optional(Budget),
  /** Silence while waiting for the model. Default: Claude Code 400 s, Gemini 10 min, Codex 15 min, OpenCode 1 h. */
  idle: Schema.optional(Budget),
  /** Silence while a tool call, sub-agent or background task is running. Default: 1 h. */
  tool: Schema.optional(Budget),
  /** Silence while a person is asked (live sessions). Default: none. */
  approval: Schema.optional(Budget),
  /** For the process to exit by itself after its result. Default: 10 s. */
  linger: Schema.optional(DurationInput),
  /** For the whole run. Default: none. */
  total: Schema.optional(Budget)
})
export type Timeouts = typeof Timeouts.Type

/** The parameters of one run. Only `prompt` is required; an option that a CLI does not support is refused by name. */
export const AgentExecuteParams = Schema.Struct({
  /** Plain text: a leading `/` is not a command unless `slashCommands` is true. */
  prompt: Schema.String,
  /**
   * Images and files for the model to look at, by path or as bytes. One that the CLI does not take, that is damaged or
   * too large is refused (`AttachmentRefused`) before anything is started. Default: none.
   */
  attachments: Schema.optional(Attachments),
  /** Id of a session of the CLI to resume. Default: a new session. */
  sessionId: Schema.optional(Schema.String),
  /** Resumes into a new session and leaves the old one unchanged. Needs `sessionId`. */
  forkSession: Schema.optional(Schema.Boolean),
  /** Id for the new session. Claude Code takes a UUID. Default: chosen by the CLI. */
  newSessionId: Schema.optional(Schema.String),
  /** MCP servers by name, in addition to those that the CLI is configured with. */
  mcpServers: Schema.optional(Schema.Record(Schema.String, McpServer)),
  /** Uses only `mcpServers`, and none that the CLI is configured with. Default: false. */
  strictMcpServers: Schema.optional(Schema.Boolean),
  /** Aborts the run, which ends as `aborted`. For a time limit use `timeouts.total`. */
  abortSignal: Schema.optional(AbortSignalSchema),
  /** Working directory of the agent. Default: that of the host. */
  workingDirectory: Schema.optional(Schema.NonEmptyString),
  /** Additional directories that the agent may use. */
  additionalDirectories: Schema.optional(Schema.Array(Schema.String)),
  /** False ignores settings, hooks and MCP servers of the directory. Default: true, like the CLI. */
  trustWorkspace: Schema.optional(Schema.Boolean),
  /** Settings that Claude Code loads. Default: all; only `user` where the workspace is not trusted. */
  settingSources: Schema.optional(Schema.Array(Schema.Literals(["user", "project", "local"]))),
  /** Environment variables of this run. They override all others; `undefined` removes one. `Redacted` values are never shown. */
  env: Schema.optional(Schema.Record(Schema.String, Schema.UndefinedOr(MaybeSecret))),
  /** Model, as the CLI names it. Default: that of the CLI. */
  model: Schema.optional(Schema.String),
  /** Used when the model is overloaded or not available. */
  fallbackModel: Schema.optional(Schema.String),
  /**
   * Reasoning effort, as the CLI names it: Claude Code `low`, `medium`, `high`, `xhigh`, `max`; Codex also
   * `none`, `minimal` and `ultra`; OpenCode the variants of the model in its configuration.
   */
  effort: Schema.optional(Schema.String),
  /** Replaces the CLI's own system prompt. */
  systemPrompt: Schema.optional(Schema.String),
  /** Added to the CLI's own system prompt. */
  appendSystemPrompt: Schema.optional(Schema.String),
  /** Permissions without asking. Default: those of the CLI without a mode. */
  permissionMode: Schema.optional(PermissionMode),
  /** Tools that need no permission, as the CLI names them. */
  allowedTools: Schema.optional(Schema.Array(Schema.String)),
  /** Tools that the agent may not use. */
  disallowedTools: Schema.optional(Schema.Array(Schema.String)),
  /** Maximum number of model turns. */
  maxTurns: Schema.optional(Schema.Int.check(Schema.isGreaterThan(0))),
  /** Maximum cost in US dollars, as the CLI counts it. */
  maxBudgetUsd: Schema.optional(Schema.Finite.check(Schema.isGreaterThan(0))),
  /** JSON Schema of the answer, or a schema of Zod, Valibot, ArkType or Effect: the answer becomes `structuredOutput`. */
  outputSchema: Schema.optional(JsonObject.check(Schema.makeFilter(jsonSchemaProblem))),
  /** How often the agent is asked again, in the same session, if its answer does not match `outputSchema`; 0 to 10. Default: 1. */
  retries: Schema.optional(Retries),
  /** True runs a prompt that begins with `/` as a command of the CLI. Default: false, it is text. */
  slashCommands: Schema.optional(Schema.Boolean),
  /** Time limits; they override those of the agent. */
  timeouts: Schema.optional(Timeouts),
  /**
   * Path of a file to record the CLI's output lines in, with secrets redacted, for `reins replay`. The time of each line
   * is recorded in `<file>.times`: one number per line, in milliseconds since the recording began. Both are readable for
   * their owner only, and replace older files.
   */
  record: Schema.optional(Schema.String),
  /** Additional arguments for the CLI, verbatim. Those that have an option here or change permissions are refused. */
  extraArgs: Schema.optional(Schema.Array(Schema.String))
})
/** `Output`: the type of the answer, by its schema. */
export type AgentExecuteParams<Output = unknown> = Omit<typeof AgentExecuteParams.Type, "outputSchema"> & {
  readonly outputSchema?: OutputSchema<Output> | undefined
}

export const parseParams = makeParser(AgentExecuteParams, "params")
