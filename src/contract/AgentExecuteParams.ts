/** The Schema of the parameters of a run; their types, with what each of them means, are in `types/AgentExecuteParams.ts`. */
import { Schema } from "effect"
import { Attachments } from "./attachments.ts"
import { AbortSignalSchema, Budget, DurationInput, JsonObject, MaybeSecret, makeParser } from "./checkInput.ts"
import { jsonSchemaProblem } from "./jsonSchema.ts"
import type * as Types from "./types/AgentExecuteParams.ts"

export const PermissionMode = Schema.Literals(["default", "plan", "accept-edits", "bypass"])
export type PermissionMode = Types.PermissionMode

/** Further turns for an answer that does not match its schema. */
export const Retries = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10 }))

const StringRecord = Schema.Record(Schema.String, MaybeSecret)

export const McpServer = Schema.Union([
  Schema.Struct({
    command: Schema.NonEmptyString,
    args: Schema.optionalKey(Schema.Array(Schema.String)),
    env: Schema.optionalKey(StringRecord)
  }),
  Schema.Struct({ url: Schema.NonEmptyString, headers: Schema.optionalKey(StringRecord) })
])
export type McpServer = Types.McpServer

export const Timeouts = Schema.Struct({
  startup: Schema.optional(Budget),
  idle: Schema.optional(Budget),
  tool: Schema.optional(Budget),
  approval: Schema.optional(Budget),
  linger: Schema.optional(DurationInput),
  total: Schema.optional(Budget)
})
export type Timeouts = Types.Timeouts

const Name = Schema.NonEmptyString.check(Schema.isMaxLength(1024))

export const Account = Schema.Struct({ project: Schema.optional(Name), user: Schema.optional(Name) })

export const AgentExecuteParams = Schema.Struct({
  prompt: Schema.String,
  attachments: Schema.optional(Attachments),
  sessionId: Schema.optional(Schema.String),
  forkSession: Schema.optional(Schema.Boolean),
  whenBusy: Schema.optional(Schema.Literals(["wait", "fail", "fork"])),
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
  account: Schema.optional(Account),
  timeouts: Schema.optional(Timeouts),
  record: Schema.optional(Schema.String),
  extraArgs: Schema.optional(Schema.Array(Schema.String))
})
export type AgentExecuteParams<Output = unknown> = Types.AgentExecuteParams<Output>

export const parseParams = makeParser(AgentExecuteParams, "params")

export const parseAccount = makeParser(Schema.Struct({ account: AgentExecuteParams.fields.account }), "options")
