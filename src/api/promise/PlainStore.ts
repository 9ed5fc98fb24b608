/** The store of the plain door: opened once, for any number of agents. Its code is loaded when it is opened. */
import { Context, Effect, Layer, ManagedRuntime, Predicate, Stream } from "effect"
import { StoreUnavailable } from "../../contract/AgentError.ts"
import type { Budget } from "../../contract/Budget.ts"
import { rejectingAtCall } from "../../contract/errors/callSite.ts"
import type { OpenStoreOptions, PlainSessions, PlainStore, PlainWorktrees } from "../../contract/PlainStore.ts"
import { StoreError } from "../../contract/StoreError.ts"
import type { UsageFilter, UsageQuery } from "../../contract/Usage.ts"
import type { WorktreeError } from "../../contract/WorktreeError.ts"
import type { History } from "../../conversations/history/History.ts"
import { historyOf } from "../../conversations/SessionHistory.ts"
import type { OpenStore } from "../../conversations/store/OpenStore.ts"
import { Store } from "../../conversations/store/Store.ts"
import { Worktrees } from "../../conversations/Worktrees.ts"
import type { WorktreeOperations } from "../../conversations/worktrees/WorktreeOperations.ts"
import { nodePlatform } from "../../system/process/Platform.ts"
import { warnings } from "./Errors.ts"
import { iterable } from "./iterable.ts"
import { valueOrThrow } from "./plainAgent.ts"
import { storeLayerOf } from "./storeLayer.ts"

/** Open stores of this copy of the package. */
const openStores = new WeakMap<object, OpenStore>()

export const openStoreOf = (input: unknown): OpenStore | undefined =>
  Predicate.isObject(input) ? openStores.get(input) : undefined

type Opening = Effect.Effect<OpenStore, StoreError>
type OpeningWorktrees = Effect.Effect<WorktreeOperations, StoreError>
type Run = <A>(effect: Effect.Effect<A, StoreError | WorktreeError>) => Promise<A>

const iterableOf = <Service, A>(
  service: Effect.Effect<Service, StoreError>,
  method: (service: Service) => Stream.Stream<A, StoreError>
) => iterable(Stream.orDie(Stream.unwrap(Effect.map(service, method))))

/** The sessions of a store as promises and AsyncIterables; their code is loaded with the first call. */
const plainSessions = (store: Opening, worktrees: OpeningWorktrees, run: Run): PlainSessions => {
  const history = Effect.flatMap(Effect.all([store, worktrees]), ([opened, trees]) => historyOf(opened, trees))
  const call = <Args extends ReadonlyArray<unknown>, A>(
    method: (history: History, ...input: Args) => Effect.Effect<A, StoreError>
  ) => rejectingAtCall((...input: Args) => run(Effect.flatMap(history, (each) => method(each, ...input))))
  return {
    list: (filter) => iterableOf(history, ({ list }) => list(filter)),
    get: call(({ get }, session) => get(session)),
    rename: call(({ rename }, session, title) => rename(session, title)),
    forget: call(({ forget }, session) => forget(session)),
    archive: call(({ archive }, session) => archive(session)),
    fork: call(({ fork }, session, options) => fork(session, options)),
    adopt: call(({ adopt }, session, options) => adopt(session, options)),
    clear: call(({ clear }, conversation, cli) => clear(conversation, cli)),
    events: (session, options) => iterableOf(history, ({ events }) => events(session, options)),
    export: (session, format) => iterableOf(history, (each) => each.export(session, format))
  }
}

/** Worktrees as promises; their code is loaded with the first call. */
const plainWorktrees = (worktrees: OpeningWorktrees, run: Run): PlainWorktrees => {
  const call = <Args extends ReadonlyArray<unknown>, A>(
    method: (worktrees: WorktreeOperations, ...input: Args) => Effect.Effect<A, WorktreeError>
  ) => rejectingAtCall((...input: Args) => run(Effect.flatMap(worktrees, (each) => method(each, ...input))))
  return {
    list: call(({ list }) => list),
    changes: call(({ changes }, worktree, options) => changes(worktree, options)),
    apply: call(({ apply }, worktree, options) => apply(worktree, options)),
    commit: call(({ commit }, worktree, options) => commit(worktree, options)),
    discard: call(({ discard }, worktree, options) => discard(worktree, options)),
    remove: call(({ remove }, worktree, options) => remove(worktree, options)),
    leftovers: call(({ leftovers }) => leftovers),
    clean: call(({ clean }) => clean)
  }
}

/** The ledger of a store as promises and AsyncIterables; its code is loaded with the first call. */
const plainUsage = (store: Opening, run: Run): Pick<PlainStore, "usage" | "entries" | "budgets"> => {
  const reports = Effect.flatMap(store, (opened) =>
    Effect.map(
      Effect.promise(() => import("../../money/ledger/makeLedger.ts")),
      ({ makeReports }) => makeReports(opened)
    )
  )
  return {
    usage: rejectingAtCall((query?: UsageQuery) => run(Effect.flatMap(reports, ({ usage }) => usage(query)))),
    budgets: rejectingAtCall((input: ReadonlyArray<Budget>, options?: { readonly zone?: string | undefined }) =>
      run(Effect.flatMap(reports, ({ budgets }) => budgets(input, options)))
    ),
    entries: (filter?: UsageFilter) => iterableOf(reports, ({ entries }) => entries(filter))
  }
}

const closed = () => new StoreError({ reason: new StoreUnavailable({ problem: "it is closed" }) })

const opening = async (options: OpenStoreOptions = {}): Promise<PlainStore> => {
  const layer = Layer.provideMerge(Worktrees.layer, storeLayerOf(options))
  const runtime = ManagedRuntime.make(Layer.provide(layer, [warnings, nodePlatform]))
  const opened = Context.get(valueOrThrow(await Effect.runPromiseExit(runtime.contextEffect)), Store)
  let closing: Promise<void> | undefined
  const close = () => {
    closing ??= Effect.runPromise(runtime.disposeEffect)
    return closing
  }
  const open = Effect.suspend(() => (closing === undefined ? Effect.succeed(opened) : Effect.fail(closed())))
  const run = <A>(effect: Effect.Effect<A, StoreError | WorktreeError>) =>
    closing ? Promise.reject(closed()) : runtime.runPromise(effect)
  const worktrees = Effect.flatMap(open, () => runtime.contextEffect).pipe(
    Effect.map((context) => Context.get(context, Worktrees))
  )
  const store: PlainStore = {
    kind: opened.kind,
    place: opened.place,
    sessions: plainSessions(open, worktrees, run),
    worktrees: plainWorktrees(worktrees, run),
    ...plainUsage(open, run),
    close,
    [Symbol.asyncDispose]: close
  }
  openStores.set(store, opened)
  return store
}

/** Opens the store, or creates it. Rejects with `StoreError`. */
export const openStore: (options?: OpenStoreOptions) => Promise<PlainStore> = rejectingAtCall(opening)
