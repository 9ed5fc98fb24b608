/**
 * Effect Cluster with our settings: a home is a group with one shard, so that one machine at a time serves it. Runners
 * listen for each other behind mutual TLS, or on loopback; a client does not listen, and changes that it cannot
 * announce to a runner are found in the database.
 */
import { NodeClusterSocket } from "@effect/platform-node"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { type Duration, type Effect, Layer, Option } from "effect"
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
import { RpcSerialization } from "effect/rpc"
import type { SocketServer } from "effect/socket"
import type { SqlClient } from "effect/sql"
import type { DurationInput } from "../contract/Input.ts"
import { type ClusterTimings, defaultTimings } from "./ClusterTimings.ts"
import { groupOf, groups } from "./conversationEntity.ts"
import { layerLoopbackClient } from "./wire/loopbackClient.ts"
import { layerTlsClient } from "./wire/tlsClient.ts"
import type { TlsFiles } from "./wire/tlsFiles.ts"
import { layerTlsServer } from "./wire/tlsServer.ts"

/** Longest message between machines: params and events of turns are in the store. */
const mostFrame = 4 * 1024 * 1024

/** Prefix of the engine's tables. */
const prefix = "cluster"

export interface Peers {
  readonly tls: TlsFiles
  /** The homes of this cluster, as certificates name them. */
  readonly isKnown: (home: string) => boolean
  readonly homeAt: (address: string) => Effect.Effect<string | undefined>
}

export interface EngineOptions {
  readonly timings: ClusterTimings
  /** Undefined between processes of this machine, without TLS. */
  readonly peers: Peers | undefined
}

export interface RunnerOptions extends EngineOptions {
  readonly slot: number
  readonly listen: Address
  /** Where others reach it. */
  readonly reached: Address
}

interface Address {
  readonly host: string
  readonly port: number
}

const input = (value: DurationInput | undefined, usual: Duration.Input): Duration.Input =>
  (value as Duration.Input | undefined) ?? usual // ours are some of its

const configOf = (timings: ClusterTimings, own: Partial<ShardingConfig.ShardingConfig["Service"]>) =>
  ShardingConfig.layer({
    availableShardGroups: groups,
    shardsPerGroup: 1,
    shardLockExpiration: input(timings.lock, defaultTimings.lock),
    shardLockRefreshInterval: input(timings.refresh, defaultTimings.refresh),
    refreshAssignmentsInterval: input(timings.refresh, defaultTimings.refresh),
    runnerHealthCheckInterval: input(timings.health, defaultTimings.health),
    entityMessagePollInterval: input(timings.poll, defaultTimings.poll),
    entityTerminationTimeout: input(timings.drain, defaultTimings.drain),
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
