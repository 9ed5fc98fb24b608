/** A to-do list, as an agent writes it in the input of a tool or in a message of its own → the `plan` event. */
import type { PlanEntry, PlanEvent, PlanStatus } from "../contract/ToolEvent.ts"
import { textIn } from "./fileTools.ts"

/** The words of all CLIs. */
const statuses = new Map<string | undefined, PlanStatus>([
  ["pending", "pending"],
  ["in_progress", "in_progress"],
  ["inProgress", "in_progress"],
  ["completed", "completed"],
  ["cancelled", "cancelled"],
  ["blocked", "blocked"]
])

const entryOf = (item: unknown, name: string): PlanEntry | undefined => {
  const text = textIn(item, name)
  const status = statuses.get(textIn(item, "status"))
  return text === undefined ? undefined : { text, ...(status === undefined ? {} : { status }) }
}

/** `name`: the field with the text of an item. No events if this is not a list, or one of its items has no text. */
export const planOf = (
  items: unknown,
  name: string,
  call: Pick<PlanEvent, "toolId" | "parentToolId"> = {}
): ReadonlyArray<PlanEvent> => {
  if (!Array.isArray(items)) return []
  const entries = items.map((item: unknown) => entryOf(item, name)).filter((entry) => entry !== undefined)
  return entries.length === items.length ? [{ type: "plan", entries, ...call }] : []
}
