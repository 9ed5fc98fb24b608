/** The messages of an agent of the Agent Client Protocol, version 1; lenient, and enumerations are texts. */
import { Result, Schema } from "effect"
import { at, listAt } from "../jsonFields.ts"
import { anything, decodeLeniently, flag, number, optional, text, typed, wireDecoder } from "../wireDecoder.ts"

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
export const decodeNotification = decoder(Schema.Struct({ sessionId: text, update: Schema.Unknown }))
const TextBlock = typed("text", { text: Schema.String })
const decodeChunk = decoder(Schema.Struct({ messageId: text, content: TextBlock }))

/** The text of a piece of an answer or a thought; undefined for an unknown form. */
export const chunkText = (update: unknown): string | undefined =>
  Result.getOrUndefined(decodeChunk(update))?.content.text

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
export const decodeModeUpdate = decoder(Schema.Struct({ currentModeId: Schema.String }))

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
const Diff = typed("diff", { path: Schema.String, oldText: text, newText: text })
export type Diff = typeof Diff.Type
const decodeDiff = decoder(Diff)
const decodeTextContent = decoder(typed("content", { content: TextBlock }))

export const diffsOf = (content: ReadonlyArray<unknown>): ReadonlyArray<Diff> =>
  content.flatMap((item) => Result.getOrElse(decodeDiff(item), () => []))

export const textsOf = (content: ReadonlyArray<unknown>): ReadonlyArray<string> =>
  content.flatMap((item) => Result.getOrUndefined(decodeTextContent(item))?.content.text ?? [])

/** The values of a select, also in groups. */
export const valuesOf = (options: ReadonlyArray<unknown>): ReadonlyArray<string> =>
  options.flatMap((option): string | ReadonlyArray<string> => {
    const value = at(option, "value")
    return typeof value === "string" ? value : valuesOf(listAt(option, "options"))
  })
