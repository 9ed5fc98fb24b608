/** Changes of files → the lines that they add and remove, about as a diff counts them; pure. */
import type { FileEdit } from "../../contract/SessionEvent.ts"
import type { LineChanges } from "./AgentAction.ts"

const linesOf = (text: string | undefined): ReadonlyArray<string> =>
  text === undefined || text === "" ? [] : text.replace(/\n$/, "").split("\n")

/** A line that stands on both sides is unchanged, wherever it stands. */
const countOf = ({ before, after }: FileEdit): LineChanges => {
  const removed = new Map<string, number>()
  for (const line of linesOf(before)) removed.set(line, (removed.get(line) ?? 0) + 1)
  let added = 0
  for (const line of linesOf(after)) {
    const count = removed.get(line) ?? 0
    if (count === 0) added += 1
    else removed.set(line, count - 1)
  }
  return { added, removed: [...removed.values()].reduce((sum, count) => sum + count, 0) }
}

/** Undefined where no line changes, or nothing is known of them. */
export const changesOf = (edits: ReadonlyArray<FileEdit> | undefined): LineChanges | undefined => {
  const { added, removed } = (edits ?? [])
    .map(countOf)
    .reduce((sum, one) => ({ added: sum.added + one.added, removed: sum.removed + one.removed }), {
      added: 0,
      removed: 0
    })
  return added + removed === 0 ? undefined : { added, removed }
}
