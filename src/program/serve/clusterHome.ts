/** The home of a cluster beside the channels of this host. */
import { Context, Effect, Layer } from "effect"
import { storeOptions } from "../../api/config/secrets.ts"
import { ClusterHome } from "../../cluster/ClusterHome.ts"
import type { Configuration } from "../../contract/Configuration.ts"
import { untraced } from "../../contract/untraced.ts"
import { Store } from "../../conversations/store/Store.ts"
import { HostEnvironment } from "../../system/process/HostEnvironment.ts"
import type { ServedAgents } from "./agents.ts"
import type { ClusterPlan } from "./clusterPlan.ts"
import { Problem, problemOf } from "./problems.ts"

export const openHome = Effect.fn(...untraced("ClusterHome.openHome"))(function* (
  plan: ClusterPlan,
  configuration: Configuration,
  store: Store["Service"],
  { layers }: Pick<ServedAgents, "layers">,
  directories: ReadonlyArray<string>,
  host: Readonly<Record<string, string | undefined>> // the environment of agents
) {
  const options = yield* Effect.mapError(storeOptions(configuration), ({ message }) => new Problem({ message }))
  const layer = ClusterHome.layer({
    ...plan,
    database: "postgres" in options ? options.postgres : undefined,
    agents: layers,
    limits: configuration.limits,
    directories
  })
  const built = yield* Layer.build(Layer.provide(layer, Layer.succeed(Store, store))).pipe(
    Effect.provideService(HostEnvironment, host),
    Effect.mapError(problemOf)
  )
  return Context.get(built, ClusterHome)
})
