/**
 * The ledger's part in the engine: a run, session or turn takes its lock, reserves and gets its row before it starts;
 * its entries are written before its end is emitted. A failing store stops only starts that need a budget.
 */
import { Clock, Deferred, Effect, Option, type Scope } from "effect"
import type { Gate, Permit } from "../../agents/engine/Gate.ts"
import type { FailureReason } from "../../contract/AgentError.ts"
import type { Observer } from "../../contract/Observer.ts"
import type { End, GateStart, Start } from "../../contract/Start.ts"
import type { StoreError } from "../../contract/StoreError.ts"
import type { AccountParams } from "../../contract/Usage.ts"
import { untraced } from "../../contract/untraced.ts"
import type { NameLocks } from "../../conversations/store/nameLocks.ts"
import type { OpenStore } from "../../conversations/store/OpenStore.ts"
import { storeFailure } from "../../conversations/store/problems.ts"
import type { Pricing } from "../prices/makePricing.ts"
import { boundedText, type EndedUsage, entriesOf, soFar, sumsOf } from "./entries.ts"
import { closeLost, priced } from "./lost.ts"
import { type Money, noBudgets, type Reservation } from "./money.ts"
import { postOrSpill } from "./post.ts"
import { type Known, makeProcesses, type PaysByApiKey, processOf } from "./processes.ts"
import { addTurn, restOf } from "./rest.ts"
import { insertOpen, nameSession, type OpenRun, type Sums, updateOpen } from "./rows.ts"

interface OpeningOptions {
  readonly store: OpenStore
  readonly locks: NameLocks
  readonly money: Money
  readonly pricing: Pricing
}

/** Less than anybody waits for a start that needs nothing of the store. */
const patience = "800 millis"

const asReason = (error: FailureReason | StoreError): FailureReason =>
  error._tag === "StoreError" ? storeFailure(error) : error

/** Returns undefined if the store cannot take it now, and no budget needs it. */
const openRow = (
  { store, locks, money, pricing }: OpeningOptions,
  run: OpenRun,
  start: GateStart
): Effect.Effect<Reservation | undefined, FailureReason, Scope.Scope> => {
  // A live session spends with its turns.
  const reserving = run.kind === "session" ? noBudgets : money
  const attempt = store.transact(
    Effect.gen(function* () {
      const reservation = yield* reserving.reserve(run, processOf(start).params.maxBudgetUsd, start.notice)
      yield* insertOpen(store, run, reservation.assumed)
      return reservation
    })
  )
  if (money.isNeeded) {
    // Reservations of dead hosts are free.
    const again = (reason: FailureReason) =>
      Effect.flatMap(closeLost(store, locks, pricing), (closed) =>
        closed > 0 ? Effect.mapError(attempt, asReason) : Effect.fail(reason)
      )
    return Effect.catch(Effect.mapError(attempt, asReason), again)
  }
  return Effect.timeoutOption(Effect.mapError(attempt, asReason), patience).pipe(
    Effect.map(Option.getOrUndefined),
    Effect.catch((error) =>
      Effect.as(Effect.logWarning(`a run is written to the ledger with its end alone: ${error.message}`), undefined)
    )
  )
}

/** Nothing was started, or nothing is left to be written: it leaves no entry. What the store cannot do now is done later. */
const closeRow = (store: OpenStore, id: string): Effect.Effect<void> =>
  Effect.asVoid(postOrSpill(store, { id, entries: [] }))

export interface LedgerGateOptions extends OpeningOptions {
  /** Default for runs that name none. */
  readonly account: AccountParams
  readonly paysByApiKey: PaysByApiKey
}

const unstarted: ReadonlySet<string> = new Set<FailureReason["_tag"]>(["NotInstalled", "SpawnFailed"])

export const makeLedgerGate = (options: LedgerGateOptions): { readonly gate: Gate; readonly observer: Observer } => {
  const { store, locks, money, pricing, account } = options
  const { observer, knownOf, forget } = makeProcesses(options.paysByApiKey)

  const runOf = (start: Start, known: Known, started: number): OpenRun => {
    const { id: runId, workingDirectory, params } = processOf(start)
    const { project = workingDirectory, user } = { ...account, ...params.account }
    const resumed = params.forkSession === true ? undefined : params.sessionId
    return {
      id: start.id,
      kind: start.type,
      runId,
      cli: start.cli,
      home: store.home,
      started,
      sessionId: known.sessionId ?? resumed,
      model: known.model ?? params.model,
      project: boundedText(project) ?? undefined,
      user: boundedText(user) ?? undefined,
      billing: known.billing
    }
  }

  const admit = Effect.fn(...untraced("LedgerGate.admit"))(function* (start: GateStart) {
    const started = yield* Clock.currentTimeMillis
    const known = knownOf(start)
    if (start.type !== "turn") {
      yield* Effect.addFinalizer(() => Effect.sync(() => forget(start.id)))
      yield* locks.take(start.id)
    }
    const run = runOf(start, known, started)
    const posted = Deferred.makeUnsafe<void>()
    let state: "admitted" | "started" | "ended" = "admitted"
    let last: Sums | undefined
    let reservation: Reservation | undefined
    const closed = Effect.suspend(() => reservation?.closed ?? Effect.void)

    const write = Effect.fn(...untraced("LedgerGate.write"))(function* ({
      result,
      failure
    }: Pick<EndedUsage, "result" | "failure">) {
      const at = yield* Clock.currentTimeMillis
      const assumed = reservation?.assumed ?? 0
      const { entries, isFinal } = entriesOf({ result, failure, run: runOf(start, known, started), last, at, assumed })
      const all = yield* Effect.forEach(entries, (entry) => priced(entry, pricing, isFinal))
      if (yield* postOrSpill(store, { id: run.id, entries: all })) yield* closed
    })

    // Its lock is held until its entries are written, also when no caller waits any longer.
    yield* Effect.addFinalizer(() => {
      if (state === "ended") return Deferred.await(posted)
      if (state === "admitted" || start.type === "session") return Effect.andThen(closeRow(store, run.id), closed)
      // Without an end there was an unexpected failure.
      return write({ result: { outcome: "aborted", usage: undefined }, failure: undefined })
    })
    // After that: a caller who leaves meanwhile leaves no row behind.
    reservation = yield* openRow(options, run, start)

    const settle = ({ result, failure }: End) =>
      Effect.suspend(() => {
        const isStarted = state === "started"
        state = "ended"
        if (start.type === "turn") addTurn(known.turns, result)
        if (!isStarted || (failure !== undefined && unstarted.has(failure._tag))) return closeRow(store, run.id)
        if (start.type !== "session") return write({ result, failure })
        const rest = restOf(result, known.turns)
        return rest === undefined ? closeRow(store, run.id) : write({ result: rest, failure: undefined })
      }).pipe(Effect.ensuring(Deferred.succeed(posted, undefined)))

    const opened = (sessionId: string) =>
      Effect.gen(function* () {
        known.sessionId = sessionId
        yield* Effect.ignore(Effect.timeoutOption(store.transact(nameSession(store, start.id, sessionId)), patience))
        yield* reservation?.opened(sessionId) ?? Effect.void
      })

    const onUsage: Permit["onUsage"] = ({ usage, totalCostUsd, model }) =>
      Effect.gen(function* () {
        last = soFar(last, sumsOf(usage, totalCostUsd, model ?? known.model))
        const now = yield* Clock.currentTimeMillis
        yield* Effect.ignore(store.transact(updateOpen(store, run.id, last, now)))
        if (reservation === undefined || !money.isNeeded) return
        const result = { outcome: "aborted", usage: undefined } as const
        const present = runOf(start, known, started)
        const { entries } = entriesOf({ run: present, result, failure: undefined, last, at: now, assumed: 0 })
        const all = yield* Effect.forEach(entries, (entry) => priced(entry, pricing, false))
        yield* reservation.raise({ micros: all[0]?.micros ?? undefined, usage, turns: undefined })
      })

    const permit: Permit = {
      starting: Effect.sync(() => {
        state = "started"
      }),
      settle
    }
    const maxBudgetUsd = reservation?.maxBudgetUsd
    return {
      ...permit,
      ...(start.type === "turn" ? {} : { opened }),
      ...(start.type === "session" ? {} : { onUsage }),
      ...(start.type === "turn" || maxBudgetUsd === undefined ? {} : { amend: { maxBudgetUsd } })
    }
  })

  return { gate: { name: "ledger", admit }, observer }
}
