/**
 * The ledger's part in the engine: a gate and the observer that goes with it. It reserves money and notes the run before it
 * is started, counts what it uses, and writes its entries before its end is given. A store that fails stops nothing but a
 * start that needs a budget.
 */
import { Clock, Effect, Option, type Scope } from "effect"
import type { FailureReason } from "../contract/AgentError.ts"
import type { StoreError } from "../contract/StoreError.ts"
import type { Gate, Permit } from "../engine/Gate.ts"
import type { Pricing } from "../prices/pricing.ts"
import type { NameLocks } from "../store/nameLocks.ts"
import type { OpenStore } from "../store/OpenStore.ts"
import { storeFailure } from "../store/storeFailure.ts"
import type { Observer } from "../types/Observer.ts"
import type { End, GateStart, Start } from "../types/Start.ts"
import type { AccountParams } from "../types/Usage.ts"
import { closeReservations } from "./budgets/sums.ts"
import { boundedText, type EndedUsage, entriesOf, sumsOf } from "./entries.ts"
import { closeLost } from "./lost.ts"
import { type Money, noBudgets, type Reservation } from "./money.ts"
import { priced } from "./priced.ts"
import { addTurn, noTurns, restOf, type SessionSums } from "./rest.ts"
import { deleteOpen, insertOpen, nameSession, type OpenRun, type Sums, updateOpen } from "./rows.ts"
import { postOrSpill } from "./spill.ts"

export interface LedgerGateOptions {
  readonly store: OpenStore
  readonly locks: NameLocks
  readonly money: Money
  readonly pricing: Pricing
  /** Of runs that name none. */
  readonly account: AccountParams
}

/** A process, while it lasts. */
interface Known {
  sessionId: string | undefined
  model: string | undefined
  authSource: string | undefined
  /** Of its turns so far. */
  readonly turns: SessionSums
}

const name = "ledger"

/** Less than anybody waits for a start, where no budget needs the store. */
const patience = "800 millis"

const processOf = (start: Start) => (start.type === "turn" ? start.session : start)

/** A key, an account, or not known: as the CLI names the source of its credentials. */
const billingOf = (authSource: string | undefined): OpenRun["billing"] => {
  if (authSource === undefined || authSource === "none") return "unknown"
  return /api.?key/i.test(authSource) ? "api" : "subscription"
}

/** Nothing was started. */
const unstarted: ReadonlySet<string> = new Set<FailureReason["_tag"]>(["NotInstalled", "SpawnFailed"])

export const makeLedgerGate = (options: LedgerGateOptions): { readonly gate: Gate; readonly observer: Observer } => {
  const { store, locks, money, pricing } = options
  const processes = new Map<string, Known>()

  const knownOf = (start: Start): Known => {
    const { id } = processOf(start)
    const known = processes.get(id) ?? {
      sessionId: undefined,
      model: undefined,
      authSource: undefined,
      turns: noTurns()
    }
    processes.set(id, known)
    return known
  }

  const runOf = (start: Start, known: Known, started: number): OpenRun => {
    const { id: runId, workingDirectory, params } = processOf(start)
    const account = { ...options.account, ...params.account }
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
      project: boundedText(account.project ?? workingDirectory) ?? undefined,
      user: boundedText(account.user) ?? undefined,
      billing: billingOf(known.authSource)
    }
  }

  /** Its row, and what it reserves, in one transaction. */
  const opening = (run: OpenRun, start: GateStart) => {
    const { maxBudgetUsd } = processOf(start).params
    const reserving = run.kind === "session" ? noBudgets : money
    return store.transact(
      Effect.gen(function* () {
        const reservation = yield* reserving.reserve(run, maxBudgetUsd, start.notice)
        yield* insertOpen(store, run, reservation.assumed)
        return reservation
      })
    )
  }

  /** Undefined: the store cannot take it now, and no budget asks for it. */
  const open = (run: OpenRun, start: GateStart): Effect.Effect<Reservation | undefined, FailureReason, Scope.Scope> => {
    const attempt = opening(run, start)
    const asReason = (error: FailureReason | StoreError) => (error._tag === "StoreError" ? storeFailure(error) : error)
    if (money.isNeeded) {
      // What the dead have reserved is free.
      const again = (reason: FailureReason) =>
        Effect.flatMap(closeLost(store, locks, pricing), (closed) =>
          closed > 0 ? Effect.mapError(attempt, asReason) : Effect.fail(reason)
        )
      return Effect.catch(Effect.mapError(attempt, asReason), again)
    }
    return Effect.timeoutOption(attempt, patience).pipe(
      Effect.map(Option.getOrUndefined),
      Effect.catch((error) =>
        Effect.as(Effect.logWarning(`a run is written to the ledger with its end alone: ${error.message}`), undefined)
      )
    )
  }

  /** Nothing was started, or nothing is known of its end. */
  const forget = (id: string) =>
    Effect.ignore(store.transact(Effect.andThen(deleteOpen(store, id), closeReservations(store, id))))

  const admit = Effect.fnUntraced(function* (start: GateStart) {
    const started = yield* Clock.currentTimeMillis
    const known = knownOf(start)
    if (start.type !== "turn") {
      yield* Effect.addFinalizer(() => Effect.sync(() => processes.delete(start.id)))
      yield* locks.take(start.id)
    }
    const run = runOf(start, known, started)
    let isOver = false
    let isStarted = false
    let last: Sums | undefined
    const reservation = yield* open(run, start)
    const closed = reservation?.closed ?? Effect.void
    yield* Effect.addFinalizer(() => (isOver ? Effect.void : Effect.andThen(forget(run.id), closed)))

    const write = Effect.fnUntraced(function* (ended: Omit<EndedUsage, "run" | "last" | "at" | "assumed">) {
      const at = yield* Clock.currentTimeMillis
      const all: EndedUsage = {
        ...ended,
        run: runOf(start, known, started),
        last,
        at,
        assumed: reservation?.assumed ?? 0
      }
      const drafts = entriesOf(all)
      const entries = yield* Effect.forEach(drafts, (entry) => priced(entry, pricing, entry.source !== "estimate"))
      yield* postOrSpill(store, { id: run.id, isOpen: reservation !== undefined, entries })
      yield* closed
    })

    const settle = ({ result, failure }: End) =>
      Effect.gen(function* () {
        isOver = true
        if (!isStarted || (failure !== undefined && unstarted.has(failure._tag))) return yield* forget(run.id)
        if (start.type === "turn") addTurn(known.turns, result)
        if (start.type !== "session") return yield* write({ result, failure })
        const rest = restOf(result, known.turns)
        return rest === undefined ? yield* forget(run.id) : yield* write({ result: rest, failure: undefined })
      })

    const opened = (sessionId: string) =>
      Effect.gen(function* () {
        known.sessionId = sessionId
        yield* Effect.ignore(Effect.timeoutOption(store.transact(nameSession(store, start.id, sessionId)), patience))
        yield* reservation?.opened(sessionId) ?? Effect.void
      })

    const permit: Permit = {
      starting: Effect.sync(() => {
        isStarted = true
      }),
      settle
    }
    if (start.type === "session") return { ...permit, opened }

    const onUsage: Permit["onUsage"] = ({ usage, totalCostUsd, model }) =>
      Effect.gen(function* () {
        const sums = sumsOf(usage, totalCostUsd, model ?? known.model)
        last = sums
        const now = yield* Clock.currentTimeMillis
        yield* Effect.ignore(store.transact(updateOpen(store, run.id, sums, now)))
        if (reservation === undefined || !money.isNeeded) return
        const micros = sums.micros ?? (yield* pricedSoFar(run, sums, now))
        yield* reservation.raise({ micros, usage, turns: undefined })
      })

    const pricedSoFar = (of: OpenRun, sums: Sums, now: number) => {
      const [entry] = entriesOf({
        run: of,
        result: { outcome: "aborted", usage: undefined },
        failure: undefined,
        last: sums,
        at: now,
        assumed: 0
      })
      return entry === undefined
        ? Effect.succeed(undefined)
        : Effect.map(priced(entry, pricing, false), ({ micros }) => micros ?? undefined)
    }

    const maxBudgetUsd = reservation?.maxBudgetUsd
    return {
      ...permit,
      onUsage,
      ...(start.type === "run" ? { opened } : {}),
      ...(maxBudgetUsd === undefined ? {} : { amend: { maxBudgetUsd } })
    }
  })

  const observer: Observer = {
    name,
    begin: (start) => {
      if (start.type === "turn") return undefined
      const known = knownOf(start)
      return {
        events: ({ events }) => {
          for (const event of events) {
            if (event.type !== "session" || event.parentToolId !== undefined) continue
            known.model = event.model ?? known.model
            known.authSource = event.authSource ?? known.authSource
          }
        },
        end: () => void processes.delete(start.id)
      }
    }
  }
  return { gate: { name, admit }, observer }
}
