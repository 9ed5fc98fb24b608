/** The actions of a run that are remembered: as many as a run of days needs, and no more; pure. */
import type { Action } from "./AgentAction.ts"

/** Far more than run at once. */
export const mostOpen = 200

/** Sub-agents among them: what they do can come after they ended. */
const mostEnded = 500

type Known = ReadonlyMap<string, Action>

export interface KnownActions {
  /** In the order of their start. */
  readonly open: Known
  /** Least recently used is evicted first. */
  readonly ended: Known
}

export const noActions: KnownActions = { open: new Map(), ended: new Map() }

const without = (known: Known, id: string): Known => {
  if (!known.has(id)) return known
  const next = new Map(known)
  next.delete(id)
  return next
}

/** As the last one. */
const withLast = (known: Known, action: Action): Map<string, Action> => {
  const next = new Map(known)
  next.delete(action.id)
  return next.set(action.id, action)
}

const dropFirst = (known: Map<string, Action>, most: number): Action | undefined => {
  const [first] = known.values()
  if (known.size <= most || first === undefined) return undefined
  known.delete(first.id)
  return first
}

const addEnded = (ended: Known, action: Action): Known => {
  // File reads and writes are shown once, on completion.
  const { detail: _, ...rest } = action
  const next = withLast(ended, rest)
  dropFirst(next, mostEnded)
  return next
}

export const findAction = ({ open, ended }: KnownActions, id: string): Action | undefined =>
  open.get(id) ?? ended.get(id)

/** A new one, or news of one that is open. */
export const opened = ({ open, ended }: KnownActions, action: Action): KnownActions => {
  const next = new Map(open).set(action.id, action)
  const evicted = dropFirst(next, mostOpen)
  const rest = without(ended, action.id)
  return { open: next, ended: evicted === undefined ? rest : addEnded(rest, evicted) }
}

export const closed = ({ open, ended }: KnownActions, action: Action): KnownActions => ({
  open: without(open, action.id),
  ended: addEnded(ended, action)
})

/** An action that others belong to is remembered longer. */
export const used = (known: KnownActions, id: string | undefined): KnownActions => {
  const action = id === undefined ? undefined : known.ended.get(id)
  return action === undefined ? known : { ...known, ended: withLast(known.ended, action) }
}
