/**
 * A host that serves one account of the channel outside, until its stdin ends. A line of stdin says before or after which
 * change of its store it kills itself, counted from then on.
 */
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { NodeServices } from "@effect/platform-node"
import { Effect, Layer } from "effect"
import { Claude, Store } from "reins"
import { ChannelBridge, Telegram } from "reins/bridge"
import { ScriptedChannel } from "../../../src/testing/ScriptedChannel.ts"
import type { StorePlace } from "../storeHost.ts"
import { channelOptions } from "./calls.ts"
import { hostChannel } from "./hostChannel.ts"
import type { Death, LaneKind } from "./plan.ts"

export interface Job {
  readonly store: StorePlace
  readonly url: string
  readonly accountId: string
  readonly kind: LaneKind
  /** Token of a Telegram bot. */
  readonly token?: string
  readonly people: ReadonlyArray<string>
  /** Folder of its CLIs. */
  readonly log: string
}

export const usual = { serving: "serving", armed: "armed" } as const

const job: Job = JSON.parse(process.argv[2] ?? "")
const cli = fileURLToPath(new URL("../../../fixtures/programs/live/claude.mjs", import.meta.url))

let death: Extract<Death, { _tag: "Step" }> | undefined
let changes = 0

const die = () => process.kill(process.pid, "SIGKILL")

/** URL of the store that all parts of the bridge have. */
const mortal = Layer.effect(
  Store,
  Effect.map(Store, (store) => ({
    ...store,
    transact: ((work: Parameters<typeof store.transact>[0]) =>
      Effect.suspend(() => {
        const number = ++changes
        const isAt = (side: "before" | "after") => death?.side === side && death.number === number
        if (isAt("before")) die()
        return Effect.tap(store.transact(work), () => Effect.sync(() => isAt("after") && die()))
      })) as typeof store.transact
  }))
).pipe(Layer.provide("url" in job.store ? Store.layerPostgres({ url: job.store.url }) : Store.layerFile(job.store)))

const bridge = ChannelBridge.layer({
  agents: { claude: Claude.layer({ command: process.execPath, baseArgs: [cli, `--log=${job.log}`], killGrace: 200 }) },
  access: { owners: job.people },
  progress: job.kind.progress
}).pipe(Layer.provide([mortal, NodeServices.layer]))

const stdin = createInterface({ input: process.stdin })
stdin.on("line", (line) => {
  death = JSON.parse(line)
  changes = 0
  process.stdout.write(`${usual.armed}\n`)
})
const over = Effect.callback<void>((resume) => {
  stdin.once("close", () => resume(Effect.void))
})

const channel = Effect.suspend(() => {
  const { url, accountId, kind, token } = job
  if (token !== undefined) return Telegram.channel({ token, apiRoot: url })
  return Effect.succeed(hostChannel(url, ScriptedChannel.make(channelOptions(accountId, kind)).channel))
})

const serving = Effect.gen(function* () {
  const { serve } = yield* ChannelBridge
  process.stdout.write(`${usual.serving}\n`)
  return yield* serve(yield* channel)
})

await Effect.runPromise(Effect.scoped(Effect.raceFirst(serving, over)).pipe(Effect.provide(bridge)))
