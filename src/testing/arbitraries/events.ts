/** Generates every event, each on its own: only those of a run fit together. */
import { Arbitrary, Schema } from "effect"
import { errorEvent } from "../../agents/engine/result.ts"
import { mediaLimits } from "../../cli/media.ts"
import {
  type AgentEvent,
  NoticeEvent,
  NoticeKind,
  PermissionDecisionEvent,
  PermissionRequestEvent,
  QuestionAnswerEvent,
  QuestionEvent,
  SessionEvent,
  TextEvent,
  ThinkingEvent,
  UnknownEvent,
  UsageEvent
} from "../../contract/AgentEvent.ts"
import { ImageType, PlanEntry, PlanEvent, ToolResultEvent, ToolUseEvent } from "../../contract/ToolEvent.ts"
import { ending } from "./ending.ts"
import { failure } from "./failures.ts"
import { Cost, Count, SessionId, Text, Usage, Word } from "./values.ts"

type Of<Type extends AgentEvent["type"]> = Arbitrary.Arbitrary<Extract<AgentEvent, { readonly type: Type }>>

/** A session of the main agent or of a sub-agent. */
export const session: Of<"session"> = Arbitrary.schema(Schema.Struct({ ...SessionEvent.fields, sessionId: SessionId }))
/** Words of the answer, or of a sub-agent; also none. */
export const text: Of<"text"> = Arbitrary.schema(Schema.Struct({ ...TextEvent.fields, text: Text }))
/** A thought. */
export const thinking: Of<"thinking"> = Arbitrary.schema(Schema.Struct({ ...ThinkingEvent.fields, text: Text }))

/** A tool call. */
export const toolUse: Of<"tool_use"> = Arbitrary.schema(
  Schema.Struct({ ...ToolUseEvent.fields, toolName: Word, toolId: Word, input: Schema.Json })
)

/** A whole image of one pixel, or one that was too large for an event. */
const Image = Schema.Union([
  Schema.Struct({
    mediaType: Schema.Literal("image/gif"),
    bytes: Schema.Literal(42),
    data: Schema.Literal("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7")
  }),
  Schema.Struct({
    mediaType: ImageType,
    bytes: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000_000 }))
  })
])

/** The result of a tool call. */
export const toolResult: Of<"tool_result"> = Arbitrary.schema(
  Schema.Struct({
    ...ToolResultEvent.fields,
    toolId: Word,
    output: Text,
    raw: Schema.optionalKey(Schema.Json),
    media: Schema.optionalKey(Schema.NonEmptyArray(Image).check(Schema.isMaxLength(mediaLimits.count)))
  })
)

/** The plan of the agent: a list, also an empty one, or prose. */
export const plan: Of<"plan"> = Arbitrary.schema(
  Schema.Union([
    Schema.Struct({ ...PlanEvent.fields, entries: Schema.Array(PlanEntry), text: Schema.optionalKey(Schema.Never) }),
    Schema.Struct({ ...PlanEvent.fields, entries: Schema.optionalKey(Schema.Never), text: Text })
  ])
)

const otherKinds = NoticeKind.literals.filter((kind) => kind !== "text_voided")

/** A notice of any kind; of `text_voided` with its characters. */
export const notice: Of<"notice"> = Arbitrary.schema(
  Schema.Union([
    Schema.Struct({
      ...NoticeEvent.fields,
      kind: Schema.Literals(otherKinds),
      data: Schema.optionalKey(Schema.Record(Word, Schema.Json))
    }),
    Schema.Struct({
      ...NoticeEvent.fields,
      kind: Schema.Literal("text_voided"),
      data: Schema.Struct({ characters: Count })
    })
  ])
)

/** The usage of the run so far. */
export const usage: Of<"usage"> = Arbitrary.schema(
  Schema.Struct({ ...UsageEvent.fields, usage: Usage, totalCostUsd: Schema.optionalKey(Cost) })
)

/** Unknown output of the CLI, as any JSON. */
export const unknown: Of<"unknown"> = Arbitrary.schema(Schema.Struct({ ...UnknownEvent.fields, raw: Schema.Json }))
/** The failure of a run that had started: told by the CLI, or by a budget, an abort, the exit of its process. */
export const error: Of<"error"> = Arbitrary.map(failure, ({ reason }) => errorEvent(reason))

/** The end of a run, successful or not, with fitting parts. */
export const done: Of<"done"> = Arbitrary.map(
  Arbitrary.all([ending, Arbitrary.schema(Text), Arbitrary.schema(Schema.UndefinedOr(Word))]),
  ([{ done }, text, sessionId]) => done(text, sessionId)
)

/** A request for permission in a live session. */
export const permissionRequest: Of<"permission_request"> = Arbitrary.schema(
  Schema.Struct({ ...PermissionRequestEvent.fields, requestId: Word, toolName: Word, toolId: Word, input: Schema.Json })
)

/** The decision on a request. */
export const permissionDecision: Of<"permission_decision"> = Arbitrary.schema(
  Schema.Struct({ ...PermissionDecisionEvent.fields, requestId: Word, input: Schema.optionalKey(Schema.Json) })
)

/** A question of the agent in a live session. */
export const question: Of<"question"> = Arbitrary.schema(Schema.Struct({ ...QuestionEvent.fields, requestId: Word }))

/** The answer to a question. */
export const questionAnswer: Of<"question_answer"> = Arbitrary.schema(
  Schema.Struct({
    ...QuestionAnswerEvent.fields,
    requestId: Word,
    answers: Schema.optionalKey(Schema.Record(Word, Schema.Array(Text)))
  })
)

/** The end of a turn of a live session, with what a run's end has. */
export const turnDone: Of<"turn_done"> = Arbitrary.map(done, ({ result }) => ({ type: "turn_done", result }))

const byType: { readonly [Type in AgentEvent["type"]]: Of<Type> } = {
  session,
  text,
  thinking,
  tool_use: toolUse,
  tool_result: toolResult,
  plan,
  notice,
  usage,
  unknown,
  error,
  permission_request: permissionRequest,
  permission_decision: permissionDecision,
  question,
  question_answer: questionAnswer,
  turn_done: turnDone,
  done
}

const types = Object.keys(byType) as ReadonlyArray<AgentEvent["type"]> // its own keys

/** Any event. */
export const event: Arbitrary.Arbitrary<AgentEvent> = Arbitrary.flatMap(
  Arbitrary.schema(Schema.Literals(types)),
  (type): Arbitrary.Arbitrary<AgentEvent> => byType[type]
)
