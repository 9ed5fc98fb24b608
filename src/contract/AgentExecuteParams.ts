/**
 * What a caller asks of one run. Every field but the prompt is optional; what a CLI cannot do is refused by name
 * (`UnsupportedOption`) before anything is started, never dropped.
 */
import { Schema } from "effect"
import { AbortSignalSchema, Budget, DurationInput, JsonObject, MaybeSecret, makeParser } from "./input.ts"
import { jsonSchemaProblem } from "./jsonSchema.ts"

/** One vocabulary for all CLIs; the README says what each word means for each of them. */
export const PermissionMode = Schema.Literals(["default", "plan", "accept-edits", "bypass"])
export type PermissionMode = typeof PermissionMode.Type

const StringRecord = Schema.Record(Schema.String, MaybeSecret)

/** A server the CLI starts itself (`command`) or one it connects to over HTTP (`url`). */
export const McpServer = Schema.Union([
  Schema.Struct({
    command: Schema.NonEmptyString,
    args: Schema.optionalKey(Schema.Array(Schema.String)),
    env: Schema.optionalKey(StringRecord)
  }),
  Schema.Struct({ url: Schema.NonEmptyString, headers: Schema.optionalKey(StringRecord) })
])
export type McpServer = typeof McpServer.Type

/** Budgets of the watchdog. A number is milliseconds; `"Infinity"` switches a budget off. */
export const Timeouts = Schema.Struct({
  /** Until the first line. Default: 60 s; OpenCode 10 min. */
  startup: Schema.optional(Budget),
  /** Since the last line, while the model is to speak. Default: Claude Code 400 s, Gemini 10 min, Codex 15 min, OpenCode 1 h. */
  idle: Schema.optional(Budget),
  /** Since the last line, while a tool call, sub-agent or background task is open. Default: 1 h. */
  tool: Schema.optional(Budget),
  /** Since the last line, while a person is asked (live sessions). Default: none. */
  approval: Schema.optional(Budget),
  /** For the process to leave by itself after its result. Default: 10 s. */
  linger: Schema.optional(DurationInput),
  /** For the whole run. Default: none. */
  total: Schema.optional(Budget)
})
export type Timeouts = typeof Timeouts.Type

/** What one run is asked for. Only `prompt` is needed; what a CLI cannot do is refused by name. */
export const AgentExecuteParams = Schema.Struct({
  /** A text. A leading `/` is no command unless `slashCommands` is true. */
  prompt: Schema.String,
  /** Resumes this session of the CLI. Default: a new one. */
  sessionId: Schema.optional(Schema.String),
  /** Resumes into a new session; the old one stays as it was. Needs `sessionId`. */
  forkSession: Schema.optional(Schema.Boolean),
  /** Names the new session, instead of letting the CLI do it. Claude Code takes a UUID. */
  newSessionId: Schema.optional(Schema.String),
  /** MCP servers by name, beside those the CLI knows by itself. */
  mcpServers: Schema.optional(Schema.Record(Schema.String, McpServer)),
  /** Only `mcpServers`, none that the CLI knows by itself. Default: false. */
  strictMcpServers: Schema.optional(Schema.Boolean),
  /** Ends the run as `aborted`, also when it was given for a time-out: for that there is `timeouts.total`. */
  abortSignal: Schema.optional(AbortSignalSchema),
  /** Where the agent works. Default: the host's working directory. */
  workingDirectory: Schema.optional(Schema.NonEmptyString),
  /** Further directories that the agent may use. */
  additionalDirectories: Schema.optional(Schema.Array(Schema.String)),
  /** False: settings, hooks and MCP servers of the directory are not obeyed. Default: true, as the CLI does. */
  trustWorkspace: Schema.optional(Schema.Boolean),
  /** Which settings Claude Code obeys. Default: all; `user` alone where the workspace is not trusted. */
  settingSources: Schema.optional(Schema.Array(Schema.Literals(["user", "project", "local"]))),
  /** Variables of this run. They win over all others; `undefined` removes one. `Redacted` values are shown nowhere. */
  env: Schema.optional(Schema.Record(Schema.String, Schema.UndefinedOr(MaybeSecret))),
  /** In the words of the CLI. Default: the CLI's. */
  model: Schema.optional(Schema.String),
  /** Taken when the model is overloaded or gone. */
  fallbackModel: Schema.optional(Schema.String),
  /**
   * How much the model thinks, in the words of the CLI: Claude Code `low`, `medium`, `high`, `xhigh`, `max`; Codex also
   * `none`, `minimal` and `ultra`; OpenCode the variants of the model, which its configuration names.
   */
  effort: Schema.optional(Schema.String),
  /** Replaces the CLI's own system prompt. */
  systemPrompt: Schema.optional(Schema.String),
  /** Added to the CLI's own system prompt. */
  appendSystemPrompt: Schema.optional(Schema.String),
  /** What the agent may do unasked. Default: what the CLI does when it is told nothing. */
  permissionMode: Schema.optional(PermissionMode),
  /** Tools that need no permission, in the words of the CLI. */
  allowedTools: Schema.optional(Schema.Array(Schema.String)),
  /** Tools that may not be used. */
  disallowedTools: Schema.optional(Schema.Array(Schema.String)),
  /** Turns of the model at most. */
  maxTurns: Schema.optional(Schema.Int.check(Schema.isGreaterThan(0))),
  /** Cost at most, in US dollars by the CLI's own count. */
  maxBudgetUsd: Schema.optional(Schema.Finite.check(Schema.isGreaterThan(0))),
  /** JSON Schema of the answer; what meets it is `structuredOutput` of the result. */
  outputSchema: Schema.optional(JsonObject.check(Schema.makeFilter(jsonSchemaProblem))),
  /** True: a prompt that begins with `/` is a command of the CLI. Default: false, it is text. */
  slashCommands: Schema.optional(Schema.Boolean),
  /** Budgets of the watchdog; they win over the agent's. */
  timeouts: Schema.optional(Timeouts),
  /**
   * Keeps the CLI's wire lines in this file, secrets taken out; `reins replay` reads it. When each of them came is in
   * another beside it, `<file>.times`: one number a line, whole milliseconds since the recording began. Both are for
   * their owner only, and replace older ones.
   */
  record: Schema.optional(Schema.String),
  /** Further arguments for the CLI, verbatim. What has an option here is refused, and so is what changes permissions. */
  extraArgs: Schema.optional(Schema.Array(Schema.String))
})
export type AgentExecuteParams = typeof AgentExecuteParams.Type

export const parseParams = makeParser(AgentExecuteParams, "params")
