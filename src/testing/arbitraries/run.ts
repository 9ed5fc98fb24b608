/** Whole runs, generated: a plan, then its events: session first, results behind calls, one fitting `done`. */
import { Arbitrary, Schema } from "effect"
import { type AgentEvent, NoticeKind, SessionEvent } from "../../contract/AgentEvent.ts"
import { PlanEntry, ToolKind } from "../../contract/ToolEvent.ts"
import { type Ending, ending } from "./ending.ts"
import { Text, Word } from "./values.ts"

const Call = Schema.Struct({
  toolName: Word,
  input: Schema.Json,
  kind: Schema.optionalKey(ToolKind),
  title: Schema.optionalKey(Word),
  output: Text,
  isError: Schema.Boolean,
  raw: Schema.optionalKey(Schema.Json)
})
type Call = typeof Call.Type
const Spoken = Schema.Struct({ type: Schema.Literals(["text", "text", "thinking"]), text: Text })

const Happening = Schema.Union([
  Spoken,
  Spoken,
  /** Calls that run at the same time, their results in the same or the other order. */
  Schema.Struct({ type: Schema.Literal("tools"), calls: Schema.NonEmptyArray(Call), isReversed: Schema.Boolean }),
  /** A sub-agent, whose words are not part of the answer. */
  Schema.Struct({
    type: Schema.Literal("subagent"),
    call: Call,
    inner: Schema.Array(Spoken),
    innerCalls: Schema.Array(Call)
  }),
  /** Withdraws the last texts. */
  Schema.Struct({ type: Schema.Literal("voided"), texts: Schema.Natural }),
  Schema.Struct({
    type: Schema.Literal("notice"),
    kind: NoticeKind.pick(["retry", "rate_limit", "mcp_failed", "malformed_line", "stalled", "progress", "warning"]),
    message: Text,
    data: Schema.optionalKey(Schema.Struct({ facts: Schema.Json }))
  }),
  Schema.Struct({ type: Schema.Literal("plan"), entries: Schema.Array(PlanEntry) }),
  Schema.Struct({ type: Schema.Literal("unknown"), raw: Schema.Json })
])
type Happening = typeof Happening.Type
const { parentToolId: _, ...sessionFields } = SessionEvent.fields

interface Plan {
  readonly session: SessionEvent
  readonly happenings: ReadonlyArray<Happening>
  /** Where the run does not complete, its last call can be left open. */
  readonly openCall: Call | null
  readonly ending: Ending
}

const plan: Arbitrary.Arbitrary<Plan> = Arbitrary.all({
  session: Arbitrary.schema(Schema.Struct(sessionFields)),
  happenings: Arbitrary.schema(Schema.Array(Happening)),
  openCall: Arbitrary.schema(Schema.NullOr(Call)),
  ending
})

const eventsOf = ({ session, happenings, openCall, ending }: Plan): ReadonlyArray<AgentEvent> => {
  let calls = 0
  let standing: ReadonlyArray<string> = []
  const useAndResult = ({ output, isError, raw, ...use }: Call, parent: { readonly parentToolId?: string } = {}) => {
    const toolId = `tool_${++calls}`
    const outcome = { toolId, output, isError, ...(raw === undefined ? {} : { raw }) }
    return [
      { type: "tool_use", toolId, ...use, ...parent },
      { type: "tool_result", ...outcome, ...parent }
    ] as const
  }

  const voided = (count: number): ReadonlyArray<AgentEvent> => {
    const length = Math.max(0, standing.length - count)
    const characters = standing.slice(length).join("").length
    standing = standing.slice(0, length)
    const data = { characters }
    return characters === 0 ? [] : [{ type: "notice", kind: "text_voided", message: "An answer was withdrawn", data }]
  }

  const reported = (happening: Happening): ReadonlyArray<AgentEvent> => {
    switch (happening.type) {
      case "text":
        standing = [...standing, happening.text]
        return [happening]
      case "tools": {
        const both = happening.calls.map((call) => useAndResult(call))
        const results = both.map(([, result]) => result)
        return [...both.map(([use]) => use), ...(happening.isReversed ? results.toReversed() : results)]
      }
      case "subagent": {
        const [use, result] = useAndResult({ ...happening.call, kind: "subagent" })
        const parent = { parentToolId: use.toolId }
        const inner = happening.inner.map((event) => ({ ...event, ...parent }))
        return [use, ...inner, ...happening.innerCalls.flatMap((call) => useAndResult(call, parent)), result]
      }
      case "voided":
        return voided(happening.texts)
      default:
        return [happening]
    }
  }
  const middle = happenings.flatMap(reported)
  const open = ending.isFailure && openCall !== null ? useAndResult(openCall).slice(0, 1) : []
  return [session, ...middle, ...open, ...ending.events(standing.join(""), session.sessionId)]
}

/** Events of a whole run, from the session to a fitting `done`: parallel tools, sub-agents, voided text, every end. */
export const run: Arbitrary.Arbitrary<ReadonlyArray<AgentEvent>> = Arbitrary.map(plan, eventsOf)
