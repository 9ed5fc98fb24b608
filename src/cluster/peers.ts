/** The other machines, as mutual TLS knows them: homes of the list, by their names and addresses. */
import { Clock, Effect, type Scope } from "effect"
import type { StoreError } from "../contract/StoreError.ts"
import type { OpenStore } from "../conversations/store/OpenStore.ts"
import { ClusterError } from "./ClusterError.ts"
import type { Peers } from "./engine.ts"
import { listHomes } from "./homes.ts"
import { readTlsFiles, type TlsFiles } from "./wire/tlsFiles.ts"

/** Between looks at the list. */
const every = "5 seconds"

/** Undefined without files. `name`: the home that the certificate is of. */
export const openPeers = Effect.fnUntraced(function* (
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
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(every), Effect.ignore(look))))
  const homeAt = (address: string) =>
    Effect.suspend(() => {
      const known = byAddress.get(address)
      return known === undefined ? Effect.map(Effect.ignore(look), () => byAddress.get(address)) : Effect.succeed(known)
    })
  return { tls, isKnown: (home) => names.has(home), homeAt }
})
