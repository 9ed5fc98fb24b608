/** Homes of a cluster in one process, on one database: each has a name, an id and agents of its own. */
import { Context, Effect, Layer, type Redacted } from "effect"
import { AgentRuntime } from "../../../src/agents/AgentRuntime.ts"
import type { ClusterTimings } from "../../../src/cluster/ClusterEngine.ts"
import { layerClusteredSessions } from "../../../src/cluster/ClusteredSessions.ts"
import { ClusterHome, type HomeOptions } from "../../../src/cluster/ClusterHome.ts"
import { Sessions } from "../../../src/conversations/Sessions.ts"
import { Store } from "../../../src/conversations/store/Store.ts"
import { nodePlatform } from "../../../src/system/process/Platform.ts"
import { type TestAgent, testAgent } from "../../conversations/kit.ts"

export const fast: ClusterTimings = {
  lock: "4 seconds",
  refresh: "500 millis",
  health: "2 seconds",
  poll: "100 millis",
  drain: "5 seconds"
}

export const runtimeOf = (agent: TestAgent): Layer.Layer<AgentRuntime> =>
  Layer.succeed(AgentRuntime, { ...agent, models: () => Effect.die("no models") })

const storeAs = (url: Redacted.Redacted, home: string | undefined) =>
  Layer.effect(
    Store,
    Effect.map(Layer.build(Store.layerPostgres({ url })), (context) => {
      const store = Context.get(context, Store)
      return home === undefined ? store : { ...store, home }
    })
  )

/** Serves until the scope closes. */
export const startHome = (
  url: Redacted.Redacted,
  home: string,
  agent: TestAgent = testAgent([{}]),
  options: Partial<HomeOptions> = {},
  id = `id-of-${home}`
) =>
  Effect.gen(function* () {
    const layer = ClusterHome.layer({
      home,
      database: url,
      agents: { claude: runtimeOf(agent) },
      directories: ["/"],
      timings: fast,
      ...options
    }).pipe(Layer.provideMerge(storeAs(url, id)), Layer.provide(nodePlatform))
    const context = yield* Layer.build(Layer.fresh(layer))
    return { home: Context.get(context, ClusterHome), store: Context.get(context, Store), agent }
  })

export const startClient = (url: Redacted.Redacted, cli = "claude") =>
  Effect.gen(function* () {
    const layer = layerClusteredSessions({ database: url, cli, timings: fast }).pipe(
      Layer.provideMerge(storeAs(url, "id-of-client"))
    )
    const context = yield* Layer.build(Layer.fresh(layer))
    return { sessions: Context.get(context, Sessions), store: Context.get(context, Store) }
  })
