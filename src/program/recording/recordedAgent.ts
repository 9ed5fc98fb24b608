/** The agent of a command line, with its budgets, and the recording of its usage in the ledger. */
import { Context, Effect, Fiber, Layer, Option, Result, Scope } from "effect"
import type { Gate } from "../../agents/engine/Gate.ts"
import { gatesLayer } from "../../agents/engine/Gates.ts"
import { observersLayer } from "../../agents/engine/Observer.ts"
import { takeGuardWarning } from "../../agents/engine/sessionGuard.ts"
import { findDefaultFile } from "../../api/config/file.ts"
import type { Cli } from "../../cli/Cli.ts"
import { type FailureReason, StoreUnavailable } from "../../contract/AgentError.ts"
import type { Budget, BudgetState } from "../../contract/Budget.ts"
import type { Configuration } from "../../contract/Configuration.ts"
import type { StoreError } from "../../contract/StoreError.ts"
import { harmless } from "../../contract/text/harmless.ts"
import { untraced } from "../../contract/untraced.ts"
import type { OpenStore } from "../../conversations/store/OpenStore.ts"
import { Store } from "../../conversations/store/Store.ts"
import { openStateDirectory } from "../../system/locks/stateDirectory.ts"
import { budgetsOf } from "../budgetFlags.ts"
import { type Chosen, type ConfiguredFlags, chooseAgent } from "../configured.ts"
import { lateSeams, type Seams } from "./lateSeams.ts"

/** The reason with which a run fails if its store cannot be opened. */
export const failureOf = ({ reason, help }: StoreError): FailureReason => {
  switch (reason._tag) {
    case "StoreUnavailable":
    case "InvalidParams":
    case "SessionBusy":
    case "Aborted":
      return reason
    default:
      return new StoreUnavailable({ problem: `${reason.message}. ${help}` })
  }
}

/**
 * The usage of runs and chats is written to the ledger of the user's store. The store is opened beside the start of the
 * agent; with a budget, a start waits for it.
 */
export interface Recording {
  /** For the agent; the store is opened at its first use. */
  readonly layer: Layer.Layer<never>
  readonly store: Effect.Effect<OpenStore, StoreError>
  /** States of the budgets; empty without budgets or store. */
  readonly standing: Effect.Effect<ReadonlyArray<BudgetState>>
  /** Awaits what is still being written. */
  readonly written: Effect.Effect<void>
}

interface RecordingOptions {
  readonly cli: Cli
  readonly configuration: Configuration
  readonly budgets: ReadonlyArray<Budget>
  /** Whether usage is recorded; always with budgets. */
  readonly isWanted: boolean
}

const patience = "10 seconds"
const none: Recording["standing"] = Effect.succeed([])

/** Warns once for a run or chat, however many turns it has. */
const notRecorded = ({ message }: { readonly message: string }) =>
  Effect.as(Effect.logWarning(`the usage is not recorded: ${harmless(message)}`), undefined)

const late = { message: `the store cannot be opened or written within ${patience}` }

/** Runs at most once, and is not interrupted with its first caller. */
const once = <A, E>(work: Effect.Effect<A, E>, scope: Scope.Scope) =>
  Effect.map(Effect.cached(Effect.forkIn(work, scope)), (started) => Effect.flatMap(started, Fiber.join))

const openedStore = (configuration: Configuration, scope: Scope.Scope) =>
  Effect.gen(function* () {
    const { configuredStore } = yield* Effect.promise(() => import("../store.ts"))
    return Context.get(yield* Layer.buildWithScope(configuredStore(configuration), scope), Store)
  })

/** A start waits for the store, and fails without it. */
const waitingSeams = Effect.fn(...untraced("RecordedAgent.waitingSeams"))(function* (
  opened: Effect.Effect<Seams, FailureReason>
) {
  const late = yield* lateSeams(Effect.orElseSucceed(opened, () => undefined))
  const gate: Gate = {
    name: late.gate.name,
    admit: (start) =>
      Effect.gen(function* () {
        const seams = yield* opened
        late.connect(start, seams.observer)
        return yield* seams.gate.admit(start)
      })
  }
  return { gate, observer: late.observer, written: Effect.void }
})

export const makeRecording = Effect.fn(...untraced("RecordedAgent.makeRecording"))(function* (
  options: RecordingOptions
): Effect.fn.Return<Recording, never, Scope.Scope> {
  const { cli, configuration, budgets, isWanted } = options
  const scope = yield* Effect.scope
  const store = yield* once(openedStore(configuration, scope), scope)
  const needsStore = budgets.length > 0
  if (!isWanted && !needsStore) return { layer: Layer.empty, store, standing: none, written: Effect.void }
  const { zone, prices } = configuration
  const opening = Effect.gen(function* () {
    const open = yield* store
    const { makeLedger } = yield* Effect.promise(() => import("../../money/ledger/makeLedger.ts"))
    return yield* makeLedger(open, { budgets, zone, prices }, (_, source) => cli.paysByApiKey(source))
  }).pipe((work) => Effect.provideService(work, Scope.Scope, scope))
  const opened = yield* once(opening, scope)
  const seams = yield* needsStore
    ? waitingSeams(Effect.mapError(opened, failureOf))
    : lateSeams(yield* once(Effect.matchEffect(opened, { onSuccess: Effect.succeed, onFailure: notRecorded }), scope))
  const states = Effect.flatMap(opened, ({ budgets: read }) => read)
  return {
    layer: Layer.mergeAll(gatesLayer([seams.gate]), observersLayer([seams.observer])),
    store,
    standing: needsStore ? Effect.orElseSucceed(states, () => []) : none,
    written: Effect.timeoutOrElse(seams.written, { duration: patience, orElse: () => notRecorded(late) })
  }
})

export interface Recorded extends Chosen {
  readonly recording: Recording
  /** Whether the store can be opened, as far as its place tells. */
  readonly canKeep: boolean
}

/** Returns whether the store can be opened. One warning says all that does not work without a state directory. */
const checkPlace = Effect.fn(...untraced("RecordedAgent.checkPlace"))(function* ({ store, file }: Configuration) {
  const isElsewhere = store?.directory !== undefined || store?.database !== undefined
  const opened = yield* Effect.result(openStateDirectory())
  if (Result.isSuccess(opened)) return true
  if (!takeGuardWarning()) return isElsewhere
  const isConfigurable = file !== undefined || (yield* findDefaultFile) !== undefined
  const lost = [
    ...(isConfigurable ? [] : ["nothing is configured"]),
    ...(isElsewhere ? [] : ["no session and no usage is kept"]),
    "other processes can use a session that is in use here"
  ]
  yield* Effect.logWarning(`${harmless(opened.failure.problem)}. Until then ${lost.join(", and ")}`)
  return isElsewhere
})

/** The demo agent costs nothing; it is recorded if a budget is tried with it. */
export const recordedAgent = Effect.fn(...untraced("Program.recordedAgent"))(function* (
  flags: ConfiguredFlags & { readonly budget: ReadonlyArray<Budget> }
) {
  const { agent, budget, isKept } = flags
  const all = yield* chooseAgent({ ...flags, isKept: isKept || budget.length > 0 })
  const budgets = budgetsOf(budget, all.configuration.budgets)
  const problem = all.problem ?? Option.getOrUndefined(Result.getFailure(budgets))
  const isDemo = Option.contains(agent, "demo")
  const isUnkept = problem !== undefined || (isDemo && !isKept)
  const canKeep = isUnkept || (yield* checkPlace(all.configuration))
  const recording = yield* makeRecording({
    cli: all.chosen.cli,
    configuration: all.configuration,
    budgets: problem === undefined && !(isDemo && budget.length === 0) ? Result.getOrElse(budgets, () => []) : [],
    isWanted: problem === undefined && !isDemo && canKeep && all.configuration.usage !== false
  })
  return { ...all, problem, recording, canKeep } satisfies Recorded
})
