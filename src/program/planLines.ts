/** The lines of a transcript for a to-do list: the whole list if its steps have changed, else one line of progress; pure. */
import type { PlanEntry, PlanStatus } from "../contract/ToolEvent.ts"
import { plural } from "../contract/text/amounts.ts"
import { clip, oneLine } from "./format.ts"
import { marks, paint, roomOf, type Style, type Surface } from "./style.ts"

const shownEntries = 12
const shownWidth = 60

const statusMarks: { readonly [Status in PlanStatus]: readonly [mark: string, style: Style | undefined] } = {
  pending: [marks.open, undefined],
  in_progress: [marks.group, "bold"],
  completed: [marks.ok, "dim"],
  cancelled: [marks.denied, "dim"],
  blocked: [marks.warning, "yellow"]
}

export const planProgress = (entries: ReadonlyArray<PlanEntry>): string => {
  if (entries.length === 0) return "plan: empty"
  const done = entries.filter(({ status }) => status === "completed").length
  const current = entries.find(({ status }) => status === "in_progress")
  const now = current === undefined ? "" : `, now ${clip(oneLine(current.text), shownWidth)}`
  return `plan: ${done} of ${entries.length} done${now}`
}

const entryLine = (surface: Surface, { text, status = "pending" }: PlanEntry): string => {
  const [mark, style] = statusMarks[status]
  const line = `${mark} ${clip(oneLine(text), roomOf(surface) - 4)}`
  return `  ${style === undefined ? line : paint(surface, style, line)}`
}

/** Equal for lists with the same steps. */
export const stepsOf = (entries: ReadonlyArray<PlanEntry>): string => JSON.stringify(entries.map(({ text }) => text))

export const planLines = (surface: Surface, entries: ReadonlyArray<PlanEntry>, isKnown: boolean) => {
  const head = paint(surface, "dim", `${marks.plan} ${planProgress(entries)}`)
  if (isKnown) return [head]
  const more = entries.length - shownEntries
  const visible = more > 1 ? entries.slice(0, shownEntries) : entries
  const rest = more > 1 ? [paint(surface, "dim", `  … ${plural(more, "more step")}`)] : []
  return [head, ...visible.map((entry) => entryLine(surface, entry)), ...rest]
}
