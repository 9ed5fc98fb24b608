/**
 * A running home: performs the turns of its conversations, for every caller. On a PostgreSQL server it is one of many, by
 * Effect Cluster; on a store in a file it is the only one, and resumes open turns when it is started again.
 */
import { createServer } from "node:net"
import { hostname } from "node:os"
import { Clock, Context, Duration, Effect, Fiber, Layer, Option, Schedule, Scope } from "effect"
import { Snowflake } from "effect/cluster"
import { AgentRuntime } from "../agents/AgentRuntime.ts"
import type { MaybeSecret } from "../contract/Redacted.ts"
import type { StoreError } from "../contract/StoreError.ts"
import { plural } from "../contract/text/amounts.ts"
import { untraced } from "../contract/untraced.ts"
import { historyOf } from "../conversations/SessionHistory.ts"
import { factsOf, type Sessions } from "../conversations/Sessions.ts"
import { makeNameLocks } from "../conversations/store/nameLocks.ts"
import type { OpenStore } from "../conversations/store/OpenStore.ts"
import { Store } from "../conversations/store/Store.ts"
import { makeSessions } from "../conversations/turns/makeSessions.ts"
import { isLoopback } from "../system/loopback.ts"
import { HostEnvironment } from "../system/process/HostEnvironment.ts"
import type { Platform } from "../system/process/Platform.ts"
import { packageVersion } from "../system/process/packageFile.ts"
import { type ClusterTimings, durationOf, layerDatabase, layerRunnerEngine, openPeers } from "./ClusterEngine.ts"
import { ClusterError } from "./ClusterError.ts"
import { clusteredSessions } from "./ClusteredSessions.ts"
import { type ConversationQueues, makeConversationQueues } from "./conversationQueues.ts"
import { withElsewhere } from "./elsewhere.ts"
import { removeOldEvents } from "./eventLog.ts"
import { layerConversations } from "./handlers.ts"
import { beat, beatMs, checkHomeName, claimHome, listHomes, setHomeState, storeNow } from "./homes.ts"
import { runMoves } from "./move/runMoves.ts"
import { makeRouting, type Routing } from "./routing.ts"
import type { TlsFiles } from "./wire/tlsFiles.ts"

/** Lifetime of transient data: events for callers, messages of the engine, attachments of old turns. */
const dayMs = 24 * 60 * 60_000

const idAt = (ms: number) => String(BigInt(Math.max(0, ms - Snowflake.constEpochMillis)) << 22n)

const tidy = (store: OpenStore) =>
  Effect.gen(function* () {
    const { sql, transact, keep, kind } = store
    const now = yield* Clock.currentTimeMillis
    yield* removeOldEvents(store)
    if (Number.isFinite(keep.turnsMs))
      yield* transact(sql`delete from blobs where created < ${Math.floor(now - keep.turnsMs)}`)
    if (kind !== "postgres") return
    // As text: the store's numbers are those of JavaScript.
    const before = sql`cast(${idAt(now - dayMs)} as text)::bigint`
    yield* transact(sql`delete from cluster_replies where id < ${before}`)
    yield* transact(sql`delete from cluster_messages where processed and id < ${before}`)
  }).pipe(
    Effect.catch((error) => Effect.logWarning(`what is old of the cluster is still in the store: ${error.message}`))
  )

const cannotListen = (address: string, problem: string) =>
  new ClusterError({
    code: "address",
    problem: `cannot listen at ${address} (${problem.slice(0, 200)})`,
    cure: "name another port with --listen, or end what has it"
  })

/** A free port, which the engine has to know before it listens. Fails if the address cannot be bound. */
const freePort = (host: string, port: number): Effect.Effect<number, ClusterError> =>
  Effect.callback((resume) => {
    const server = createServer()
    server.once("error", (cause) => resume(Effect.fail(cannotListen(`${host}:${port}`, cause.message))))
    server.listen({ host, port }, () => {
      const bound = server.address()
      server.close(() => resume(Effect.succeed(typeof bound === "object" && bound !== null ? bound.port : port)))
    })
  })

/** A scope that the outer scope waits for only so long; the rest then ends with the process. */
export const boundedScope = (most: Duration.Duration) =>
  Effect.acquireRelease(Scope.make(), (scope, exit) =>
    Effect.gen(function* () {
      const closing = yield* Effect.forkDetach(Scope.close(scope, exit), { startImmediately: true })
      // In a fiber of its own, too: an interrupted fiber cannot wait for interruptible effects.
      const waiting = yield* Effect.forkDetach(Effect.timeoutOption(Fiber.await(closing), most))
      if (Option.isSome(yield* Fiber.join(waiting))) return
      yield* Effect.logWarning(
        `the connections of the cluster have not closed within ${Duration.format(most)}, and are cut off`
      )
    })
  )

export interface HomeOptions {
  /** Its name: 1 to 32 of `a`–`z`, `0`–`9` and `-`. */
  readonly home: string
  /** The URL of the database of the store. Undefined: the store is in a file, and this home is alone. */
  readonly database?: MaybeSecret | undefined
  /** Address for other machines; loopback only without `tls`. Port 0: any free one. */
  readonly listen?: { readonly host: string; readonly port: number } | undefined
  /** Address at which other machines reach it. Default: `listen`, with the machine's name in place of a wildcard address. */
  readonly advertise?: { readonly host: string; readonly port: number } | undefined
  /** Paths of PEM files that their owner alone can read: this home's certificate and key, and the cluster's authority. */
  readonly tls?: TlsFiles | undefined
  /** Layers of `AgentRuntime` of the installed CLIs, by their ids. */
  readonly agents: { readonly [cli: string]: Layer.Layer<AgentRuntime, never, Platform | Store> }
  /** Absolute paths in which agents may work, and below. Default: the working directory of the process. */
  readonly directories?: ReadonlyArray<string> | undefined
  /**
   * `total`: conversations that may have an agent open here at once, live sessions between their turns included; further
   * turns wait, with a notice to their callers. Default: 10.
   */
  readonly limits?: { readonly total?: number | undefined } | undefined
  readonly timings?: ClusterTimings | undefined
}

/** The home of this process. */
export class ClusterHome extends Context.Service<
  ClusterHome,
  {
    readonly name: string
    /** Number of running turns. */
    readonly running: () => number
    /** Accepts no turns, and waits for running ones. Returns false if the timeout cut some off. */
    readonly drain: Effect.Effect<boolean>
    /** Sessions of a CLI, of which conversations with another home run there. */
    readonly withElsewhere: (cli: string, near: Sessions["Service"]) => Sessions["Service"]
  }
>()("reins/cluster/ClusterHome") {
  /** Serves until its scope closes, which waits for running turns. */
  static readonly layer = (
    options: HomeOptions
  ): Layer.Layer<ClusterHome, ClusterError | StoreError, Platform | Store> =>
    Layer.effect(ClusterHome, serveHome(options))
}

/** The most that the clocks of a machine and of the database may differ: budgets and reservations count by both. */
const mostSkewMs = 30_000

const clockProblem = Effect.fn(...untraced("ClusterHome.clockProblem"))(function* (store: Store["Service"]) {
  const before = yield* Clock.currentTimeMillis
  const there = yield* storeNow(store)
  const after = yield* Clock.currentTimeMillis
  const off = there < before ? before - there : there > after ? there - after : 0
  if (off <= mostSkewMs) return
  const seconds = Math.round(off / 1000)
  return yield* new ClusterError({
    code: "clock",
    problem: `the clock of this machine is ${seconds} s ${there < before ? "ahead of" : "behind"} that of the database`,
    cure: "set it (by NTP): budgets and the order of turns count by both"
  })
})

const alreadyServed = (name: string, present: string) =>
  new ClusterError({
    code: "home_served",
    problem: `another process of this machine serves the home ${present}`,
    cure:
      present === name
        ? "end it first: reins serve --status, with the same --database, shows it"
        : "end it first, or give this one a state directory of its own (XDG_STATE_HOME): each is one home"
  })

const notLoopback = (host: string) =>
  new ClusterError({
    code: "address",
    problem: `--listen ${host} lets other machines in`,
    cure: "name --tls-cert, --tls-key and --tls-ca, or listen at 127.0.0.1"
  })

const noServer = new ClusterError({
  code: "database",
  problem: "several homes need a store on a PostgreSQL server",
  cure: "name --database, or leave --listen out: a home is alone on a store in a file"
})

const mostAtOnce = ({ limits: { total = 10 } = {} }: HomeOptions) =>
  Number.isSafeInteger(total) && total > 0
    ? Effect.succeed(total)
    : Effect.fail(
        new ClusterError({
          code: "limits",
          problem: `limits.total is ${JSON.stringify(total)}`,
          cure: "name a whole number of 1 or more, or leave it out: then it is 10"
        })
      )

/** The sessions of each agent, made with its first turn. */
const agentsOf = Effect.fn(...untraced("ClusterHome.agentsOf"))(function* (agents: HomeOptions["agents"]) {
  const store = yield* Store
  const context = yield* Effect.context<Platform | Store | Scope.Scope>()
  const made = yield* Effect.forEach(Object.entries(agents), ([cli, layer]) => {
    const sessions = Effect.gen(function* () {
      const agent = Context.get(yield* Layer.build(layer), AgentRuntime)
      const methods = yield* makeSessions({ agent, facts: factsOf(agent.cli), store, areTurnsOfOthers: true })
      return { ...(yield* historyOf(store)), ...methods } satisfies Sessions["Service"]
    })
    return Effect.map(Effect.cached(Effect.provideContext(sessions, context)), (cached) => [cli, cached] as const)
  })
  const byCli = new Map(made)
  return (cli: string) => byCli.get(cli)
})

const drainOf = (store: Store["Service"], queues: ConversationQueues, within: Duration.Input) =>
  Effect.gen(function* () {
    yield* Effect.ignore(setHomeState(store, "leaving"))
    const count = queues.running().length
    if (count > 0) yield* Effect.logInfo(`the home ends: ${plural(count, "turn")} of the cluster may go on for a while`)
    const isDone = Option.isSome(yield* Effect.timeoutOption(queues.leave, within))
    if (isDone) return true
    yield* Effect.logWarning(`time is up for ${plural(queues.running().length, "turn")} of the cluster: cut off`)
    yield* queues.cut
    yield* Effect.timeoutOption(queues.leave, "20 seconds")
    return false
  })

/** Addresses that others cannot use. */
const wildcards: ReadonlySet<string> = new Set(["0.0.0.0", "::"])
/** For the engine to close, once the home has waited for its turns. */
const mostClose = Duration.seconds(5)

const serveHome = Effect.fn(...untraced("ClusterHome.serveHome"))(function* (
  options: HomeOptions
): Effect.fn.Return<ClusterHome["Service"], ClusterError | StoreError, Platform | Store | Scope.Scope> {
  const store = yield* Store
  const { database, listen, timings = {}, agents } = options
  const name = yield* checkHomeName(options.home)
  const most = yield* mostAtOnce(options)
  if (database === undefined && listen !== undefined) return yield* noServer
  if (listen !== undefined && options.tls === undefined && !isLoopback(listen.host))
    return yield* notLoopback(listen.host)
  yield* clockProblem(store)
  const locks = yield* makeNameLocks(store, "home")
  if (!(yield* locks.take(store.home))) {
    const present = (yield* listHomes(store)).find(({ id }) => id === store.home)
    return yield* alreadyServed(name, present?.name ?? name)
  }
  const peers = yield* openPeers(store, name, options.tls)
  const { host, port } = listen ?? { host: "127.0.0.1", port: 0 }
  const bound = { host, port: database === undefined ? port : yield* freePort(host, port) }
  const reached = options.advertise ?? { ...bound, host: wildcards.has(host) ? hostname() : host }
  const directories = options.directories ?? [process.cwd()]
  const facts = {
    name,
    address: database === undefined ? undefined : `${reached.host}:${reached.port}`,
    version: packageVersion(),
    clis: Object.keys(agents),
    directories
  }
  const slot = yield* claimHome(store, facts)
  yield* Effect.addFinalizer(() => Effect.ignore(setHomeState(store, "stopped")))
  const turns = yield* makeNameLocks(store, "turn")
  // Closes after the drain below: later finalizers of the home's own scope run before it.
  const work = yield* Effect.acquireRelease(Scope.make(), (scope, exit) => Scope.close(scope, exit))
  const sessionsOf = yield* Scope.provide(agentsOf(agents), work)
  const queues = yield* Scope.provide(makeConversationQueues({ store, turns, sessionsOf, directories, most }), work)
  let routing: Routing | undefined
  if (database !== undefined) {
    const engine = layerRunnerEngine({ timings, peers, slot, listen: bound, reached })
    const built = yield* layerConversations(store, queues).pipe(
      Layer.provideMerge(engine),
      Layer.provide(layerDatabase(database)),
      Layer.buildWithScope(yield* boundedScope(mostClose)),
      Effect.catchTag("SocketServerError", ({ message }) => Effect.fail(cannotListen(facts.address ?? "", message)))
    )
    routing = yield* Effect.provideContext(makeRouting, built)
  }
  const every = (effect: Effect.Effect<unknown, StoreError>, wait: Duration.Input) =>
    Effect.forkScoped(Effect.repeat(Effect.ignore(effect), Schedule.spaced(wait)))
  yield* every(beat(store), beatMs)
  yield* every(queues.look, durationOf(timings, "poll"))
  yield* Effect.forkScoped(Effect.repeat(tidy(store), Schedule.spaced("1 hour")))
  if (database !== undefined) yield* Effect.forkScoped(runMoves({ store, env: yield* HostEnvironment }))
  const drain = yield* Effect.cached(drainOf(store, queues, durationOf(timings, "drain")))
  yield* Effect.addFinalizer(() => drain)
  const others = (yield* listHomes(store)).filter((home) => home.name !== name)
  yield* Effect.logInfo(`The home ${name} serves the cluster, beside ${plural(others.length, "other home")}`)
  const withOthers = (cli: string, near: Sessions["Service"]) =>
    routing === undefined ? near : withElsewhere(store, cli, near, clusteredSessions({ store, cli, routing }))
  return { name, running: () => queues.running().length, drain, withElsewhere: withOthers }
})
