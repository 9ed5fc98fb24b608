/** Events → actions → events keep what the three-event view promises: ids, kinds, titles and outcomes. */
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { actionsOf, eventsOfActions } from "../../../src/bridge/actions/Actions.ts"
import { Action, AgentAction } from "../../../src/bridge/actions/AgentAction.ts"
import { actionStep, noActionsYet } from "../../../src/bridge/actions/step.ts"
import { AgentEvent } from "../../../src/contract/AgentEvent.ts"
import { Arbitraries } from "../../../src/testingEffect.ts"
import { runs } from "../../kit/runs.ts"

const often = runs(300)

/** Values that must survive. */
const stored = (actions: ReadonlyArray<AgentAction>) =>
  actions.map((action) => {
    if (action.type !== "action") return action
    const { detail: _, changes: __, ...rest } = action
    return rest
  })

const toolEvents = (events: ReadonlyArray<AgentEvent>) =>
  events.flatMap((event) => {
    if (event.type === "tool_use") return [["use", event.toolId, event.parentToolId]]
    return event.type === "tool_result" ? [["result", event.toolId, event.isError, event.parentToolId]] : []
  })

describe("a run", () => {
  it.prop(
    "has the same actions after both ways",
    [Arbitraries.run],
    ([events]) => {
      const actions = actionsOf(events)
      assert.deepStrictEqual(stored(actionsOf(eventsOfActions(actions))), stored(actions))
    },
    often
  )

  it.prop(
    "has the same calls and outcomes after both ways, and ends as it ended",
    [Arbitraries.run],
    ([events]) => {
      const back = eventsOfActions(actionsOf(events))
      assert.deepStrictEqual(toolEvents(back), toolEvents(events))
      assert.deepStrictEqual(back.at(-1), events.at(-1))
    },
    often
  )

  it.prop(
    "has actions of the Schema; those that run at its end are completed without an outcome",
    [Arbitraries.run],
    ([events]) => {
      const actions = actionsOf(events)
      for (const action of actions) assert.doesNotThrow(() => Schema.encodeSync(AgentAction)(action))
      const phases = (phase: string) => actions.filter((one) => one.type === "action" && one.phase === phase).length
      assert.strictEqual(phases("completed"), phases("started"))
    },
    often
  )
})

describe("any events", () => {
  it.prop(
    "in any order are followed without a failure, also both ways",
    [Arbitrary.array(Arbitraries.event, { maxLength: 20 })],
    ([events]) => {
      for (const event of eventsOfActions(actionsOf(events)))
        assert.doesNotThrow(() => Schema.encodeSync(AgentEvent)(event))
    },
    often
  )
})

describe("any action", () => {
  const line = Schema.Literals(["npm test", "src/a.ts", "a | b", "naïve"])
  const some = Arbitrary.schema(
    Schema.Array(Schema.Struct({ ...Action.fields, id: Schema.Literals(["a", "b", "c"]), title: line, toolName: line }))
  )
  it.prop(
    "that is completed keeps id, kind, title and outcome, also where its start was not seen",
    [some],
    ([actions]) => {
      const ends = (all: ReadonlyArray<AgentAction>) =>
        all.flatMap((one) =>
          one.type === "action" && one.ok !== undefined && one.phase === "completed" ? [[one.id, one.ok]] : []
        )
      assert.deepStrictEqual(ends(actionsOf(eventsOfActions(actions))), ends(actions))
      const [first] = actions.filter(({ phase }) => phase === "completed")
      if (first?.ok === undefined) return
      const [, last] = actionsOf(eventsOfActions([first]))
      assert.deepInclude(last, { id: first.id, kind: first.kind, title: first.title, ok: first.ok })
    },
    often
  )
})

describe("a run of days", () => {
  it("is remembered in part alone", () => {
    let state = noActionsYet
    for (let at = 0; at < 3_000; at++) {
      const [next] = actionStep(state, { type: "tool_use", toolId: `t${at}`, toolName: "Bash", input: {} })
      state = next
    }
    assert.strictEqual(state.open.size, 200)
    assert.strictEqual(state.ended.size, 500)
  })

  it("knows a sub-agent that still works, however much others did", () => {
    const call = (toolId: string, parentToolId?: string) =>
      [
        { type: "tool_use", toolId, toolName: "Task", input: {}, ...(parentToolId && { parentToolId }) },
        { type: "tool_result", toolId, output: "", isError: false }
      ] as ReadonlyArray<AgentEvent>
    let state = noActionsYet
    const push = (events: ReadonlyArray<AgentEvent>) => {
      for (const event of events) [state] = actionStep(state, event)
    }
    push(call("agent"))
    for (let at = 0; at < 1_000; at++) push([...call(`t${at}`), ...(at % 400 === 0 ? call(`n${at}`, "agent") : [])])
    assert.isTrue(state.ended.has("agent"))
    assert.isFalse(state.ended.has("t0"))
  })
})
