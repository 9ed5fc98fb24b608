/** Events of a run ⇄ its actions, whole. Both ways keep ids, kinds, titles and outcomes. */
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { AgentAction } from "./AgentAction.ts"
import { eventStep, nothingOpen } from "./events.ts"
import { actionStep, noActionsYet } from "./step.ts"

const folded = <State, In, Out>(
  all: Iterable<In>,
  initial: State,
  step: (state: State, one: In) => readonly [State, ReadonlyArray<Out>]
): ReadonlyArray<Out> => {
  const given: Array<Out> = []
  let state = initial
  for (const one of all) {
    const [next, some] = step(state, one)
    state = next
    given.push(...some)
  }
  return given
}

/** The actions of a run or live session, by all of its events in order. */
export const actionsOf = (events: Iterable<AgentEvent>): ReadonlyArray<AgentAction> =>
  folded(events, noActionsYet, (state, event) => actionStep(state, event))

/** Events that have these actions. What actions do not have is missing: thoughts, whole inputs and outputs. */
export const eventsOfActions = (actions: Iterable<AgentAction>): ReadonlyArray<AgentEvent> =>
  folded(actions, nothingOpen, eventStep)
