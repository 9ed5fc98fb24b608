/**
 * Background work: it is listed, its end is notified, and each end may make the CLI start a turn. The notification comes before
 * the work leaves the list, or after it (2.1.236 and others).
 */
import type * as Wire from "../wire.ts"

type Id = string | null | undefined

export interface Background {
  readonly tasks: ReadonlyArray<Wire.BackgroundTask>
  /** Work that was listed, until it has left the list and its end was notified. */
  readonly seen: ReadonlySet<Id>
  /** Ids whose end was reported. */
  readonly notified: ReadonlySet<Id>
  /** Ends not yet reported to the model: each may start a turn. */
  readonly unreported: number
}

export const noBackground: Background = { tasks: [], seen: new Set(), notified: new Set(), unreported: 0 }

export const listed = (before: Background, tasks: ReadonlyArray<Wire.BackgroundTask>): Background => {
  const now = new Set<Id>(tasks.map(({ task_id }) => task_id))
  const isOpen = (id: Id) => now.has(id) || !before.notified.has(id)
  const ids = new Set([...before.seen, ...now].filter(isOpen))
  return { ...before, tasks, seen: ids, notified: new Set([...before.notified].filter((id) => now.has(id))) }
}

/** Work that was never listed ran in the foreground; a repeated notification counts once. */
export const ended = (before: Background, id: Id, status: string | null | undefined): Background => {
  if (!before.seen.has(id) || before.notified.has(id)) return before
  const unreported = before.unreported + (status === "stopped" ? 0 : 1)
  const isListed = before.tasks.some(({ task_id }) => task_id === id)
  if (isListed) return { ...before, unreported, notified: new Set([...before.notified, id]) }
  return { ...before, unreported, seen: new Set([...before.seen].filter((other) => other !== id)) }
}

/** A turn has started: one end was reported to the model. */
export const turnBegan = (before: Background): Background =>
  before.unreported === 0 ? before : { ...before, unreported: before.unreported - 1 }

/** All ends were reported to the model. */
export const allReported = (before: Background): Background =>
  before.unreported === 0 ? before : { ...before, unreported: 0 }

/** Nothing in the background can start a turn any more. */
export const isQuiet = ({ seen: ids, notified, unreported }: Background) =>
  unreported === 0 && [...ids].every((id) => notified.has(id))
