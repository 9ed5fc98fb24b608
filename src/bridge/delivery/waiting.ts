/**
 * Calls that wait for their turn → the one that may go next, or when to look again; pure. Kinds go in their order, but a
 * call that has waited for ten seconds goes like a fresh one of the kind above: nothing starves.
 */
import { type Budgets, type Call, callKinds, minute } from "./budgets.ts"

export interface Waiting {
  readonly call: Call
  /** Since when. */
  readonly at: number
}

export type Next<W extends Waiting> = { readonly go: W } | { readonly lookAt: number }

const stepMs = 10_000

const rankOf = ({ call: { kind }, at }: Waiting) =>
  kind === "acknowledgement" ? Number.NEGATIVE_INFINITY : at + callKinds.indexOf(kind) * stepMs

/** Of equal ones, the first to come. */
export const nextOf = <W extends Waiting>(waiting: Iterable<W>, { freeAt }: Budgets, now: number): Next<W> => {
  let go: W | undefined
  let lookAt = Number.POSITIVE_INFINITY
  for (const one of waiting) {
    const free = freeAt(one.call, now - one.at, now)
    if (free <= now) {
      if (go === undefined || rankOf(one) < rankOf(go)) go = one
      continue
    }
    lookAt = Math.min(lookAt, free, one.at + minute > now ? one.at + minute : free)
  }
  return go === undefined ? { lookAt } : { go }
}
