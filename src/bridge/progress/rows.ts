/**
 * The actions that a progress message can show: one row for each of the main agent, with the newest of its sub-agent under
 * it. Few are remembered, running ones first; pure.
 */
import type { Action } from "../actions/AgentAction.ts"
import { findAction, type KnownActions } from "../actions/known.ts"

export interface Row {
  readonly action: Action
  /** The newest action of the sub-agent, at any depth. */
  readonly inner: Action | undefined
}

export type Rows = ReadonlyArray<Row>

/** More than are shown: those that end make room for those that run. */
const mostRows = 20

const isOpen = ({ action }: Row) => action.phase !== "completed"

/** The action of the main agent that it belongs to; itself, where that is not known. */
const topOf = (known: KnownActions, action: Action): Action => {
  const seen = new Set<string>([action.id])
  let top = action
  for (;;) {
    const parent = top.parentId === undefined ? undefined : findAction(known, top.parentId)
    if (parent === undefined || seen.has(parent.id)) return top
    seen.add(parent.id)
    top = parent
  }
}

const bounded = (rows: Rows): Rows => {
  if (rows.length <= mostRows) return rows
  const first = rows.findIndex((row) => !isOpen(row))
  return rows.toSpliced(Math.max(0, first), 1)
}

/** News of an older action of a sub-agent does not hide a newer one. */
const innerOf = ({ inner }: Row, action: Action) =>
  inner === undefined || action.phase === "started" || inner.id === action.id ? action : inner

export const withAction = (rows: Rows, known: KnownActions, action: Action): Rows => {
  const top = topOf(known, action)
  const at = rows.findLastIndex((row) => row.action.id === top.id)
  const before = rows[at]
  const isNew = before === undefined || (top === action && action.phase === "started" && !isOpen(before))
  if (isNew) return bounded([...rows, { action: top, inner: top === action ? undefined : action }])
  const row = top === action ? { ...before, action } : { ...before, inner: innerOf(before, action) }
  return rows.with(at, row)
}

/** The newest, in order; those that run are preferred. */
export const newest = (rows: Rows, count: number): Rows => {
  const chosen = new Set([...rows.filter((row) => !isOpen(row)), ...rows.filter(isOpen)].slice(-count))
  return rows.filter((row) => chosen.has(row))
}
