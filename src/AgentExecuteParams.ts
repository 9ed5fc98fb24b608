/**
 * What a caller asks of one run. Every field but the prompt is optional; what a CLI cannot do is refused by name
 * (`UnsupportedOption`) before anything is started, never dropped.
 */
import { Schema } from "effect"
import { DurationInput, MaybeSecret, makeParser } from "./input.ts"

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
  startup: Schema.optionalKey(DurationInput.annotate({ description: "Until the first line; 60 s" })),
  idle: Schema.optionalKey(
    DurationInput.annotate({
      description: "Since the last line while the model is to speak; 5 min or as the CLI needs"
    })
  ),
  tool: Schema.optionalKey(DurationInput.annotate({ description: "Since the last line while a tool runs; 1 h" })),
  approval: Schema.optionalKey(DurationInput.annotate({ description: "While a person is asked; none" })),
  linger: Schema.optionalKey(DurationInput.annotate({ description: "For the process to leave after `done`; 10 s" })),
  total: Schema.optionalKey(DurationInput.annotate({ description: "For the whole run; none" }))
})
export type Timeouts = typeof Timeouts.Type

const optional = <S extends Schema.Constraint>(schema: S) => Schema.optional(schema)

export const AgentExecuteParams = Schema.Struct({
  prompt: Schema.String,
  sessionId: optional(Schema.String.annotate({ description: "Resume this session" })),
  forkSession: optional(Schema.Boolean.annotate({ description: "Resume into a new session; the old one stays" })),
  newSessionId: optional(
    Schema.String.annotate({ description: "Name the new session instead of letting the CLI do it" })
  ),
  mcpServers: optional(Schema.Record(Schema.String, McpServer)),
  strictMcpServers: optional(Schema.Boolean.annotate({ description: "Only mcpServers, none the CLI knows by itself" })),
  abortSignal: optional(Schema.instanceOf(AbortSignal)),
  workingDirectory: optional(Schema.String.annotate({ description: "Default: the host's" })),
  additionalDirectories: optional(Schema.Array(Schema.String)),
  trustWorkspace: optional(
    Schema.Boolean.annotate({
      description: "Default true. False: settings, hooks, MCP of the directory are not obeyed"
    })
  ),
  settingSources: optional(Schema.Array(Schema.Literals(["user", "project", "local"]))),
  env: optional(
    Schema.Record(Schema.String, Schema.UndefinedOr(MaybeSecret)).annotate({ description: "undefined removes a name" })
  ),
  model: optional(Schema.String),
  fallbackModel: optional(Schema.String.annotate({ description: "Taken when the model is overloaded or gone" })),
  effort: optional(Schema.String.annotate({ description: "How much the model thinks, in the words of the CLI" })),
  systemPrompt: optional(Schema.String.annotate({ description: "Replaces the CLI's own" })),
  appendSystemPrompt: optional(Schema.String),
  permissionMode: optional(PermissionMode),
  allowedTools: optional(Schema.Array(Schema.String).annotate({ description: "Need no permission" })),
  disallowedTools: optional(Schema.Array(Schema.String)),
  maxTurns: optional(Schema.Int.check(Schema.isGreaterThan(0))),
  maxBudgetUsd: optional(Schema.Finite.check(Schema.isGreaterThan(0))),
  outputSchema: optional(
    Schema.Record(Schema.String, Schema.Unknown).annotate({ description: "JSON Schema; fills structuredOutput" })
  ),
  slashCommands: optional(
    Schema.Boolean.annotate({
      description: "Default false: a prompt that begins with / is text. True: the CLI runs it"
    })
  ),
  timeouts: optional(Timeouts),
  record: optional(Schema.String.annotate({ description: "File for the wire lines as printed, secrets taken out" })),
  extraArgs: optional(Schema.Array(Schema.String).annotate({ description: "Further arguments for the CLI, verbatim" }))
})
export type AgentExecuteParams = typeof AgentExecuteParams.Type

export const parseParams = makeParser(AgentExecuteParams, "params")
