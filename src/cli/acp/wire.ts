/**
 * The messages of an agent of the Agent Client Protocol, version 1. Lenient: only the fields in use, any of them may be
 * null, and enumerations are texts, since agents add words of their own.
 */
import { Predicate, Result, Schema } from "effect"
import { decodeLeniently, wireDecoder } from "../wireDecoder.ts"

/** Any field may be missing or null. */
const optional = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))
const text = optional(Schema.String)
const number = optional(Schema.Finite)
const flag = optional(Schema.Boolean)
const anything = Schema.optionalKey(Schema.Unknown)

const decoder = <S extends Schema.ConstraintDecoder<unknown>>(schema: S) => decodeLeniently(wireDecoder(schema))

const PromptCapabilities = Schema.Struct({ image: flag, audio: flag, embeddedContext: flag })
export type PromptCapabilities = typeof PromptCapabilities.Type

const InitializeResult = Schema.Struct({
  protocolVersion: number,
  agentInfo: optional(Schema.Struct({ name: text, version: text })),
  agentCapabilities: optional(
    Schema.Struct({
      loadSession: flag,
      promptCapabilities: optional(PromptCapabilities),
      mcpCapabilities: optional(Schema.Struct({ http: flag })),
      sessionCapabilities: optional(Schema.Struct({ resume: anything, fork: anything }))
    })
  )
})
export type InitializeResult = typeof InitializeResult.Type
export const decodeInitialize = decoder(InitializeResult)

const ConfigOption = Schema.Struct({
  id: Schema.String,
  category: text,
  currentValue: anything,
  /** Values, or groups of values. */
  options: optional(Schema.Array(Schema.Unknown))
})
export type ConfigOption = typeof ConfigOption.Type

const SessionResult = Schema.Struct({
  sessionId: text,
  modes: optional(
    Schema.Struct({ currentModeId: text, availableModes: optional(Schema.Array(Schema.Struct({ id: Schema.String }))) })
  ),
  models: optional(Schema.Struct({ currentModelId: text })),
  configOptions: optional(Schema.Array(ConfigOption))
})
export type SessionResult = typeof SessionResult.Type
export const decodeSession = decoder(SessionResult)

const Notification = Schema.Struct({ sessionId: text, update: Schema.Unknown })
export const decodeNotification = decoder(Notification)

const Chunk = Schema.Struct({
  messageId: text,
  content: Schema.Struct({ type: Schema.Literal("text"), text: Schema.String })
})
export const decodeChunk = decoder(Chunk)

/** A `tool_call`, a `tool_call_update`, and the call of a permission request. */
const ToolCallUpdate = Schema.Struct({
  toolCallId: Schema.String,
  title: text,
  kind: text,
  status: text,
  content: optional(Schema.Array(Schema.Unknown)),
  locations: optional(Schema.Array(Schema.Struct({ path: Schema.String }))),
  rawInput: anything,
  rawOutput: anything,
  _meta: anything
})
export type ToolCallUpdate = typeof ToolCallUpdate.Type
export const decodeToolCall = decoder(ToolCallUpdate)

const Usage = Schema.Struct({
  inputTokens: number,
  outputTokens: number,
  thoughtTokens: number,
  cachedReadTokens: number,
  cachedWriteTokens: number
})

const UsageUpdate = Schema.Struct({ cost: optional(Schema.Struct({ amount: Schema.Finite, currency: text })) })
export const decodeUsageUpdate = decoder(UsageUpdate)

const ModeUpdate = Schema.Struct({ currentModeId: Schema.String })
export const decodeModeUpdate = decoder(ModeUpdate)

const PermissionParams = Schema.Struct({
  sessionId: text,
  toolCall: ToolCallUpdate,
  options: Schema.Array(Schema.Struct({ optionId: Schema.String, kind: text, name: text }))
})
export type PermissionParams = typeof PermissionParams.Type
export const decodePermission = decoder(PermissionParams)

const PromptResult = Schema.Struct({ stopReason: text, usage: optional(Usage), _meta: anything })
export type PromptResult = typeof PromptResult.Type
export const decodePrompt = decoder(PromptResult)

const Diff = Schema.Struct({ type: Schema.Literal("diff"), path: Schema.String, oldText: text, newText: text })
export type Diff = typeof Diff.Type
const decodeDiff = decoder(Diff)

const TextContent = Schema.Struct({
  type: Schema.Literal("content"),
  content: Schema.Struct({ type: Schema.Literal("text"), text: Schema.String })
})
const decodeTextContent = decoder(TextContent)

export const diffsOf = (content: ReadonlyArray<unknown>): ReadonlyArray<Diff> =>
  content.flatMap((item) => {
    const diff = decodeDiff(item)
    return Result.isSuccess(diff) ? [diff.success] : []
  })

export const textsOf = (content: ReadonlyArray<unknown>): ReadonlyArray<string> =>
  content.flatMap((item) => {
    const block = decodeTextContent(item)
    return Result.isSuccess(block) ? [block.success.content.text] : []
  })

/** The values of a select, also where they stand in groups. */
export const valuesOf = (options: ReadonlyArray<unknown>): ReadonlyArray<string> =>
  options.flatMap((option): ReadonlyArray<string> => {
    if (Predicate.hasProperty(option, "value") && typeof option.value === "string") return [option.value]
    return Predicate.hasProperty(option, "options") && Array.isArray(option.options) ? valuesOf(option.options) : []
  })
