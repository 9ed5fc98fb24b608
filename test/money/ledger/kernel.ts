/**
 * Hosts with a ledger in one process, whose runs follow a script instead of a CLI, and which can be killed: nothing of one
 * that is dead is released, settled or written any more, and its locks are free.
 */
import { Effect, Exit, Scope } from "effect"
import { type Admission, admit } from "../../../src/agents/engine/admission.ts"
import { scopedFork } from "../../../src/agents/engine/setUp.ts"
import { StoreUnavailable } from "../../../src/contract/AgentError.ts"
import type { AgentRunResult } from "../../../src/contract/AgentRunResult.ts"
import type { End, Start } from "../../../src/contract/Start.ts"
import { StoreError } from "../../../src/contract/StoreError.ts"
import type { NameLocks } from "../../../src/conversations/store/nameLocks.ts"
import type { OpenStore } from "../../../src/conversations/store/OpenStore.ts"
import { makeLedgerGate } from "../../../src/money/ledger/ledgerGate.ts"
import { closeLost } from "../../../src/money/ledger/lost.ts"
import { type Money, noBudgets } from "../../../src/money/ledger/money.ts"
import { noPrices, type Pricing } from "../../../src/money/prices/makePricing.ts"
import { makeHeldNames } from "../../kit/heldNames.ts"

export const endOf = (result: Partial<AgentRunResult>, failure?: End["failure"]): End => {
  const outcome = result.outcome ?? (failure === undefined ? "completed" : "failed")
  const facts = { text: "", sessionId: undefined, durationMs: 1, usage: undefined, aborted: outcome === "aborted" }
  return { result: { ...facts, outcome, reason: "completed", ...result }, failure, hadOutput: true }
}

/** A run, a session or a turn that was let in. */
export interface Course {
  readonly admission: Admission
  /** In good order. */
  readonly end: (end: End) => Effect.Effect<void>
}

/** The locks of all hosts, as a kernel has them: they fall with their holder. */
export const makeKernel = (store: OpenStore, pricing: Pricing = noPrices, money: Money = noBudgets) => {
  const { makeHolder } = makeHeldNames()

  const makeHost = Effect.gen(function* () {
    const { drop, ...names } = makeHolder()
    const scope = yield* Effect.scope
    let isDead = false
    let isStoreGone = false
    const gone = Effect.fail(new StoreError({ reason: new StoreUnavailable({ problem: "it is gone" }) }))
    const locks: NameLocks = { areShared: true, ...names }
    const own: OpenStore = {
      ...store,
      transact: (work) => Effect.suspend(() => (isDead || isStoreGone ? gone : store.transact(work))),
      read: (work) => Effect.suspend(() => (isDead || isStoreGone ? gone : store.read(work)))
    }
    const { gate, observer } = makeLedgerGate({
      store: own,
      locks,
      money,
      pricing,
      account: {},
      paysByApiKey: () => undefined
    })
    const background = yield* scopedFork
    const begin = Effect.fnUntraced(function* (start: Start, sessionId?: string) {
      const own = yield* Scope.fork(scope)
      const known = observer.begin(start, (text) => text)
      const admission = yield* Scope.provide(
        admit([gate], start, () => {}, background),
        own
      )
      yield* admission.starting ?? Effect.void
      if (sessionId !== undefined) yield* admission.opened?.(sessionId) ?? Effect.void
      const course: Course = {
        admission,
        end: (end) =>
          Effect.suspend(() => {
            if (isDead) return Effect.void
            known?.end?.(end)
            return Effect.andThen(admission.settle?.(end) ?? Effect.void, Scope.close(own, Exit.void))
          })
      }
      return course
    })
    return {
      begin,
      kill: () => {
        isDead = true
        drop()
      },
      loseStore: () => {
        isStoreGone = true
      },
      findStore: () => {
        isStoreGone = false
      },
      isDead: () => isDead,
      closeLost: closeLost(own, locks, pricing)
    }
  })
  return { makeHost }
}
