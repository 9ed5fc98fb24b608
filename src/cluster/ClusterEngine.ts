/**
 * Effect Cluster with our settings: a home is a group with one shard, so that one machine at a time serves it. Runners
 * listen for each other by mutual TLS, or on loopback; a client does not listen, and runners find its changes in the
 * database.
 */
import { NodeClusterSocket } from "@effect/platform-node"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { PgClient } from "@effect/sql-pg"
import { Clock, type Duration, Effect, Layer, Option, Redacted, Result, type Scope } from "effect"
import {
  RunnerAddress,
  RunnerHealth,
  Runners,
  type Sharding,
  ShardingConfig,
  SocketRunner,
  SqlMessageStorage,
  SqlRunnerStorage
} from "effect/cluster"
import { Reactivity } from "effect/reactivity"
import { RpcSerialization } from "effect/rpc"
import type { SocketServer } from "effect/socket"
import { SqlClient } from "effect/sql"
import type { DurationInput } from "../contract/Input.ts"
import { type MaybeSecret, reveal } from "../contract/Redacted.ts"
import { StoreError } from "../contract/StoreError.ts"
import { untraced } from "../contract/untraced.ts"
import type { OpenStore } from "../conversations/store/OpenStore.ts"
import { addressOf, makeSockets } from "../conversations/store/postgresServer.ts"
import { connectionSettings } from "../conversations/store/postgresStore.ts"
import { patiently } from "../conversations/store/transact.ts"
import { ClusterError } from "./ClusterError.ts"
import { groupOf, groups } from "./conversationEntity.ts"
import { listHomes } from "./homes.ts"
import { layerLoopbackClient, layerTlsClient } from "./wire/clients.ts"
import { readTlsFiles, type TlsFiles } from "./wire/tlsFiles.ts"
import { layerTlsServer } from "./wire/tlsServer.ts"

/** Longest message between machines: params and events of turns are in the store. */
const mostFrame = 4 * 1024 * 1024

const prefix = "cluster"

/** Intervals and time limits of a cluster. */
export interface ClusterTimings {
  /** A silent machine loses the lock of its home after it. Default: 15 s. */
  readonly lock?: DurationInput | undefined
  /** Between refreshes of the list of machines. Default: 5 s. */
  readonly refresh?: DurationInput | undefined
  /** Between health checks of other machines. Default: 10 s. */
  readonly health?: DurationInput | undefined
  /** Poll interval for changes in the database that no message announced. Default: 1 s. */
  readonly poll?: DurationInput | undefined
  /** For running turns to end when the machine stops. Default: 120 s. */
  readonly drain?: DurationInput | undefined
}

const defaultTimings = {
  lock: "15 seconds",
  refresh: "5 seconds",
  health: "10 seconds",
  poll: "1 second",
  drain: "120 seconds"
} as const satisfies Required<ClusterTimings>

export const durationOf = (timings: ClusterTimings, name: keyof ClusterTimings): Duration.Input =>
  (timings[name] as Duration.Input | undefined) ?? defaultTimings[name] // it has all of `DurationInput`

/** The other machines, as mutual TLS knows them: homes of the list, by their names and addresses. */
interface Peers {
  readonly tls: TlsFiles
  /** The homes of this cluster, as certificates name them. */
  readonly isKnown: (home: string) => boolean
  readonly homeAt: (address: string) => Effect.Effect<string | undefined>
}

/** Between refreshes of the list of peers. */
const refreshTime = "5 seconds"

/** Returns undefined without files. `name`: the home of the certificate. */
export const openPeers = Effect.fn(...untraced("ClusterEngine.openPeers"))(function* (
  store: OpenStore,
  name: string,
  files: TlsFiles | undefined
): Effect.fn.Return<Peers | undefined, ClusterError | StoreError, Scope.Scope> {
  if (files === undefined) return undefined
  const tls = yield* Effect.mapError(
    readTlsFiles(files, name, yield* Clock.currentTimeMillis),
    ({ flag, file, problem, cure }) =>
      new ClusterError({ code: "address", problem: `${flag}: ${file} ${problem}`, cure })
  )
  let names: ReadonlySet<string> = new Set([name])
  let byAddress: ReadonlyMap<string, string> = new Map()
  const look = Effect.map(listHomes(store), (homes) => {
    const present = homes.filter(({ state }) => state !== "removed")
    names = new Set([name, ...present.map((home) => home.name)])
    byAddress = new Map(present.flatMap((home) => (home.address === undefined ? [] : [[home.address, home.name]])))
  })
  yield* look
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(refreshTime), Effect.ignore(look))))
  const homeAt = (address: string) =>
    Effect.suspend(() => {
      const known = byAddress.get(address)
      return known === undefined ? Effect.map(Effect.ignore(look), () => byAddress.get(address)) : Effect.succeed(known)
    })
  return { tls, isKnown: (home) => names.has(home), homeAt }
})

interface EngineOptions {
  readonly timings: ClusterTimings
  /** Undefined between processes of this machine, without TLS. */
  readonly peers: Peers | undefined
}

interface RunnerOptions extends EngineOptions {
  readonly slot: number
  readonly listen: Address
  readonly reached: Address
}

interface Address {
  readonly host: string
  readonly port: number
}

const configOf = (timings: ClusterTimings, own: Partial<ShardingConfig.ShardingConfig["Service"]>) =>
  ShardingConfig.layer({
    availableShardGroups: groups,
    shardsPerGroup: 1,
    shardLockExpiration: durationOf(timings, "lock"),
    shardLockRefreshInterval: durationOf(timings, "refresh"),
    refreshAssignmentsInterval: durationOf(timings, "refresh"),
    runnerHealthCheckInterval: durationOf(timings, "health"),
    entityMessagePollInterval: durationOf(timings, "poll"),
    entityTerminationTimeout: durationOf(timings, "drain"),
    simulateRemoteSerialization: false,
    ...own
  })

const clients = (peers: Peers | undefined) =>
  peers === undefined
    ? layerLoopbackClient
    : layerTlsClient({ tls: peers.tls, homeAt: ({ host, port }) => peers.homeAt(`${host}:${port}`) })

const storage = Layer.merge(
  SqlMessageStorage.layerWith({ prefix }).pipe(Layer.provide(NodeCrypto.layerDigest)),
  Layer.orDie(SqlRunnerStorage.layerWith({ prefix }))
)

const serialization = RpcSerialization.layerSchemaBinary({ maxFrameSize: mostFrame })

type Engine<E = never> = Layer.Layer<Sharding.Sharding, E, SqlClient.SqlClient>

export const layerRunnerEngine = ({
  timings,
  peers,
  slot,
  listen,
  reached
}: RunnerOptions): Engine<SocketServer.SocketServerError> => {
  const server: Layer.Layer<SocketServer.SocketServer, SocketServer.SocketServerError, ShardingConfig.ShardingConfig> =
    peers === undefined
      ? NodeClusterSocket.layerSocketServer
      : layerTlsServer({ tls: peers.tls, isKnown: peers.isKnown, ...listen })
  const health = RunnerHealth.layerPing.pipe(Layer.provide(Runners.layerRpc))
  return SocketRunner.layer.pipe(
    Layer.provide(health),
    Layer.provide(server),
    Layer.provide(clients(peers)),
    Layer.provide(storage),
    Layer.provide(
      configOf(timings, {
        assignedShardGroups: [groupOf(slot)],
        runnerAddress: Option.some(RunnerAddress.make(reached.host, reached.port)),
        runnerListenAddress: Option.some(RunnerAddress.make(listen.host, listen.port))
      })
    ),
    Layer.provide(serialization)
  )
}

export const layerClientEngine = ({ timings, peers }: EngineOptions): Engine =>
  SocketRunner.layerClientOnly.pipe(
    Layer.provide(clients(peers)),
    Layer.provide(storage),
    Layer.provide(configOf(timings, { assignedShardGroups: [], runnerAddress: Option.none() })),
    Layer.provide(serialization)
  )

const pollTimeout = "10 seconds"

/**
 * The engine's own connections to the database of the store: numbers of 64 bits are whole, as its ids need. They are closed
 * if the server does not answer for half a minute, so that pending queries fail and are retried.
 */
export const layerDatabase = (input: MaybeSecret): Layer.Layer<SqlClient.SqlClient, StoreError> =>
  Layer.effect(
    SqlClient.SqlClient,
    Effect.gen(function* () {
      const url = reveal(input)
      const address = addressOf(url)
      if (Result.isFailure(address)) return yield* new StoreError({ reason: address.failure })
      const { open, answered } = makeSockets(address.success)
      const client = yield* patiently(
        PgClient.make({
          stream: open,
          url: Redacted.make(url),
          applicationName: "reins cluster",
          startupParameters: connectionSettings
        })
      )
      const look = Effect.ignore(answered(client`select 1`))
      yield* Effect.forkScoped(Effect.forever(Effect.andThen(look, Effect.sleep(pollTimeout))))
      return client
    })
  ).pipe(Layer.provide(Reactivity.layer))
