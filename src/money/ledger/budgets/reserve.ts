/** Reserves for a run or a turn in each budget that counts it: a part of the transaction in which it begins. */
import { Effect } from "effect"
import type { OpenStore } from "../../../conversations/store/OpenStore.ts"
import type { OpenRun } from "../rows.ts"
import { toStored } from "./amounts.ts"
import type { Definition } from "./definition.ts"
import { readExpected } from "./expected.ts"
import { exceeded, type Held } from "./held.ts"
import { insertReservation, openWindow, type Sums } from "./windowRows.ts"
import type { Window } from "./windows.ts"

export interface Asking {
  readonly store: OpenStore
  readonly run: OpenRun
  /** Of the caller. */
  readonly maxBudgetUsd: number | undefined
  readonly now: number
}

/** What the caller has said, or what such runs needed. The run of a budget per run has no others beside it. */
const askedFor = Effect.fnUntraced(function* (asking: Asking, definition: Definition, { spent }: Sums) {
  const { store, run, maxBudgetUsd } = asking
  const { unit, limit, per } = definition
  const left = per === "run" && spent < limit ? limit - spent : Number.POSITIVE_INFINITY
  const named = unit === "usd" && maxBudgetUsd !== undefined ? toStored(unit, maxBudgetUsd) : undefined
  const asked = definition.reserve ?? named
  if (asked !== undefined) return Math.min(asked, left)
  return Math.min(yield* readExpected(store, unit, run.cli, run.model), limit, left)
})

/** Fails with `BudgetExceeded` where there is no room. */
export const reserveIn = Effect.fnUntraced(function* (asking: Asking, window: Window) {
  const { store, run, now } = asking
  const sums = yield* openWindow(store, window, now)
  const asked = yield* askedFor(asking, window.definition, sums)
  if (sums.spent + sums.reserved + asked > window.definition.limit) return yield* exceeded(window, sums, 0, asked)
  yield* insertReservation(store, run.id, window, asked, now)
  const held: Held = { window, step: asked, amount: asked, spent: sums.spent }
  return { held, room: window.definition.limit - sums.spent - sums.reserved }
})
