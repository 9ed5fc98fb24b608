/**
 * The output of `codex app-server`, the parts in use (0.169.0): a schema for the params of each method, and for its answers.
 * Lenient: any field but those that identify a thread, turn or item may be missing, null or of another type.
 */
import { Result, Schema } from "effect"
import type { RpcId } from "../../jsonRpc.ts"
import { anything, decodeLeniently, flag, number, optional, text, typed, wireDecoder } from "../../wireDecoder.ts"

/** Returns undefined for params of another form. */
const reader = <S extends Schema.ConstraintDecoder<unknown>>(schema: S) => {
  const decode = decodeLeniently(wireDecoder(schema))
  return (json: unknown): S["Type"] | undefined => Result.getOrUndefined(decode(json))
}

/** A name of `app-server` in the form of `exec`. */
export const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** A request of `app-server` to its client. */
export interface Request {
  readonly id: RpcId
  readonly method: string
  readonly params: unknown
}

const ofThread = { threadId: Schema.String }
const ofTurn = { threadId: Schema.String, turnId: Schema.String }
const ofItem = { ...ofTurn, itemId: Schema.String }
const TurnError = Schema.Struct({
  message: text,
  codexErrorInfo: anything,
  additionalDetails: text,
  resetsInSeconds: number,
  resetsAt: number
})
export type TurnError = typeof TurnError.Type

const Item = Schema.StructWithRest(Schema.Struct({ id: Schema.String, type: Schema.String }), [
  Schema.Record(Schema.String, Schema.Unknown)
])
export type Item = typeof Item.Type

const Tokens = Schema.Struct({
  inputTokens: number,
  cachedInputTokens: number,
  cacheWriteInputTokens: number,
  outputTokens: number
})
export type Tokens = typeof Tokens.Type

const Thread = Schema.Struct({
  thread: Schema.Struct({ id: Schema.String, cliVersion: text }),
  model: text,
  cwd: text,
  approvalPolicy: anything,
  sandbox: optional(Schema.Struct({ type: text }))
})
export type Thread = typeof Thread.Type

const Settings = Schema.Struct({
  model: text,
  cwd: text,
  approvalPolicy: anything,
  sandboxPolicy: optional(Schema.Struct({ type: text }))
})
export type Settings = typeof Settings.Type
export const readThread = reader(Thread)
export const readTurn = reader(Schema.Struct({ turn: Schema.Struct({ id: Schema.String }) }))
/** The commands that are still running. */
export const readTerminals = reader(Schema.Struct({ data: Schema.Array(Schema.Struct({ itemId: Schema.String })) }))
/** The thread of a notification or request. */
export const readThreadId = reader(Schema.Struct(ofThread))

const turn = Schema.Struct({ id: Schema.String, status: text, error: optional(TurnError) })
export const readTurnEvent = reader(Schema.Struct({ ...ofThread, turn }))
export type TurnEvent = NonNullable<ReturnType<typeof readTurnEvent>>
export const readItemEvent = reader(Schema.Struct({ ...ofTurn, item: Item }))
export type ItemEvent = NonNullable<ReturnType<typeof readItemEvent>>
const Delta = Schema.Struct({ ...ofItem, delta: Schema.String, summaryIndex: number })
export type Delta = typeof Delta.Type
export const readDelta = reader(Delta)
export const readUsage = reader(Schema.Struct({ ...ofTurn, tokenUsage: Schema.Struct({ last: Tokens }) }))
export const readError = reader(Schema.Struct({ error: TurnError, willRetry: flag, turnId: text }))
export const readWarning = reader(Schema.Struct({ message: Schema.String }))
export const readRerouted = reader(Schema.Struct({ fromModel: text, toModel: text }))
export const readServer = reader(Schema.Struct({ name: text, status: text, error: text }))
export const readSettings = reader(Schema.Struct({ ...ofThread, threadSettings: Settings }))
export const readResolved = reader(Schema.Struct({ requestId: Schema.Union([Schema.String, Schema.Finite]) }))
export const readPlan = reader(
  Schema.Struct({ turnId: Schema.String, plan: Schema.Array(Schema.Struct({ step: text, status: text })) })
)

export const rawMethod = "rawResponseItem/completed"
/** A call as the model wrote it. */
export const readRawCall = reader(
  Schema.Struct({
    item: typed("function_call", { call_id: Schema.String, arguments: Schema.String })
  })
)

export const readCommandAsk = reader(
  Schema.Struct({
    ...ofItem,
    approvalId: text,
    command: text,
    cwd: text,
    reason: text,
    kind: text,
    networkApprovalContext: anything,
    additionalPermissions: anything,
    proposedExecpolicyAmendment: optional(Schema.Array(Schema.String))
  })
)
export type CommandAsk = NonNullable<ReturnType<typeof readCommandAsk>>
export const readFileAsk = reader(Schema.Struct({ ...ofItem, reason: text, grantRoot: text }))
export const readElicitation = reader(
  Schema.Struct({
    ...ofThread,
    turnId: text,
    serverName: text,
    message: text,
    _meta: optional(Schema.Struct({ codex_approval_kind: text, tool_name: text, tool_params: anything }))
  })
)
const WireQuestion = Schema.Struct({
  id: Schema.String,
  question: text,
  header: text,
  isOther: flag,
  options: optional(Schema.Array(Schema.Struct({ label: text, description: text })))
})
export const readQuestions = reader(Schema.Struct({ ...ofItem, questions: Schema.Array(WireQuestion) }))
export type WireQuestion = typeof WireQuestion.Type
export const readToolCall = reader(
  Schema.Struct({ ...ofTurn, callId: Schema.String, namespace: text, tool: text, arguments: anything })
)

/** Codex is asked not to send these: they carry nothing, or repetitions. */
export const unwanted: ReadonlyArray<string> = [
  "account/rateLimits/updated",
  "configWarning",
  "remoteControl/status/changed",
  "thread/readState/changed",
  "thread/started",
  "turn/diff/updated"
]

/** Known methods of a thread, beside those of the transcript. */
export const ofThreads: ReadonlySet<string> = new Set([
  "item/completed",
  "item/started",
  "serverRequest/resolved",
  "thread/closed",
  "thread/settings/updated",
  "turn/completed",
  "turn/started"
])

/** Known methods without events; they show that the agent is at work. */
export const noise: ReadonlySet<string> = new Set([
  ...unwanted,
  "account/updated",
  "deprecationNotice",
  "hook/completed",
  "hook/started",
  "item/autoApprovalReview/completed",
  "item/autoApprovalReview/started",
  "item/commandExecution/outputDelta",
  "item/commandExecution/terminalInteraction",
  "item/fileChange/outputDelta",
  "item/fileChange/patchUpdated",
  "item/mcpToolCall/progress",
  "item/plan/delta",
  "item/reasoning/summaryPartAdded",
  "item/reasoning/textDelta",
  "model/safetyBuffering/updated",
  "model/verification",
  "rawResponse/completed",
  rawMethod,
  "skills/changed",
  "thread/compacted",
  "thread/environment/connected",
  "thread/environment/disconnected",
  "thread/goal/cleared",
  "thread/goal/updated",
  "thread/name/updated",
  "thread/prediction/updated",
  "thread/queue/changed",
  "thread/status/changed",
  "turn/moderationMetadata"
])
