/**
 * The ledger's part in the engine. A run, a live session or a turn holds its lock, reserves and gets its row before it is
 * started; what it uses is noted while it lasts; its entries are written before its end is given. A store that fails stops
 * nothing but a start that needs a budget.
 */
import { Clock, Deferred, Effect } from "effect"
import type { Gate, Permit } from "../../agents/engine/Gate.ts"
import type { FailureReason } from "../../contract/AgentError.ts"
import type { Observer } from "../../contract/Observer.ts"
import type { End, GateStart, Start } from "../../contract/Start.ts"
import type { AccountParams } from "../../contract/Usage.ts"
import { boundedText, type EndedUsage, entriesOf, soFar, sumsOf } from "./entries.ts"
import type { Reservation } from "./money.ts"
import { closeRow, type OpeningOptions, openRow } from "./openRow.ts"
import { priced } from "./priced.ts"
import { type Known, makeProcesses, type PaysByApiKey, processOf } from "./processes.ts"
import { addTurn, restOf } from "./rest.ts"
import { nameSession, type OpenRun, type Sums, updateOpen } from "./rows.ts"
import { postOrSpill } from "./spill.ts"

export interface LedgerGateOptions extends OpeningOptions {
  /** Of runs that name none. */
  readonly account: AccountParams
  readonly paysByApiKey: PaysByApiKey
}

/** Nothing was started. */
const unstarted: ReadonlySet<string> = new Set<FailureReason["_tag"]>(["NotInstalled", "SpawnFailed"])

const patience = "800 millis"

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

  const admit = Effect.fnUntraced(function* (start: GateStart) {
    const started = yield* Clock.currentTimeMillis
    const known = knownOf(start)
    if (start.type !== "turn") {
      yield* Effect.addFinalizer(() => Effect.sync(() => forget(start.id)))
      yield* locks.take(start.id)
    }
    const run = runOf(start, known, started)
    const written = Deferred.makeUnsafe<void>()
    let state: "admitted" | "started" | "ended" = "admitted"
    let last: Sums | undefined
    let reservation: Reservation | undefined
    const closed = Effect.suspend(() => reservation?.closed ?? Effect.void)

    const write = Effect.fnUntraced(function* ({ result, failure }: Pick<EndedUsage, "result" | "failure">) {
      const at = yield* Clock.currentTimeMillis
      const assumed = reservation?.assumed ?? 0
      const { entries, isFinal } = entriesOf({ result, failure, run: runOf(start, known, started), last, at, assumed })
      const all = yield* Effect.forEach(entries, (entry) => priced(entry, pricing, isFinal))
      if (yield* postOrSpill(store, { id: run.id, entries: all })) yield* closed
    })

    // Its lock is held until its entries are written, also where nobody waits for them any longer.
    yield* Effect.addFinalizer(() => {
      if (state === "ended") return Deferred.await(written)
      if (state === "admitted" || start.type === "session") return Effect.andThen(closeRow(store, run.id), closed)
      // Without an end: something has failed that nobody expected.
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
      }).pipe(Effect.ensuring(Deferred.succeed(written, undefined)))

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
        const { entries } = entriesOf({ run, result, failure: undefined, last, at: now, assumed: 0 })
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
