/**
 * A host that serves one account of the channel outside, until its stdin ends. A line of stdin says before or after which
 * change of its store it kills itself, counted from then on.
 */
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { NodeServices } from "@effect/platform-node"
import { Effect, Layer } from "effect"
import { Claude, Store } from "reins"
import { ChannelBridge, Discord, Slack, Telegram, WhatsApp } from "reins/bridge"
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
  /** Secrets and other options of the channel of a service. */
  readonly options: Readonly<Record<string, string | number>>
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
  const { url: apiRoot, accountId, kind, options } = job
  const text = (name: string) => String(options[name])
  switch (kind.service) {
    case "telegram":
      return Telegram.channel({ token: text("token"), apiRoot })
    case "slack":
      return Slack.channel({ botToken: text("botToken"), appToken: text("appToken"), apiRoot })
    case "discord":
      return Discord.channel({ token: text("token"), apiRoot })
    case "whatsapp": {
      const secrets = { token: text("token"), appSecret: text("appSecret"), verifyToken: text("verifyToken") }
      const listen = WhatsApp.listen({ ...secrets, phone: text("phone"), port: Number(options["port"]), apiRoot })
      return Effect.catchTags(listen, { PortTaken: Effect.die, ListenRefused: Effect.die })
    }
    default:
      return Effect.succeed(hostChannel(apiRoot, ScriptedChannel.make(channelOptions(accountId, kind)).channel))
  }
})

const serving = Effect.gen(function* () {
  const { serve } = yield* ChannelBridge
  const served = yield* channel
  process.stdout.write(`${usual.serving}\n`)
  return yield* serve(served)
})

await Effect.runPromise(Effect.scoped(Effect.raceFirst(serving, over)).pipe(Effect.provide(bridge)))
