/** Homes of two machines, by mutual TLS: a message of one reaches the other, and none reaches one of another authority. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { layerClusteredSessions } from "../../src/cluster/ClusteredSessions.ts"
import { Sessions } from "../../src/conversations/Sessions.ts"
import { Store } from "../../src/conversations/store/Store.ts"
import { testAgent } from "../conversations/kit.ts"
import { hasPostgres, makeDatabase } from "../kit/postgres.ts"
import { fast, startHome } from "./kit/homes.ts"
import { authority, directory } from "./wire/authority.ts"

const slow = { ...fast, poll: "1 hour" } as const

describe.skipIf(!hasPostgres)("homes with TLS", () => {
  it.live(
    "are told at once by a caller with a certificate, and refuse a certificate of another home for their own",
    () =>
      Effect.gen(function* () {
        const { sign } = authority(directory(), "ca")
        const { url } = yield* makeDatabase
        const [a, b] = [sign("a", "DNS:a"), sign("b", "DNS:b")]
        yield* startHome(url, "b", testAgent([{}]), { tls: b, timings: slow, agents: {} })
        // Nothing but the message tells it that there is something to do.
        yield* startHome(url, "a", testAgent([{ text: "told" }]), { tls: a, timings: slow })
        const layer = layerClusteredSessions({ database: url, cli: "claude", tls: { ...b, home: "b" }, timings: fast })
        const context = yield* Layer.build(Layer.provide(layer, Store.layerPostgres({ url })))
        const running = Context.get(context, Sessions).run({ conversation: "c", prompt: "p" })
        // A message that takes too long on a busy machine is not sent again: that is left to the poll.
        const { text } = yield* Effect.retry(Effect.timeout(running, "15 seconds"), { times: 2 })
        assert.strictEqual(text, "told")
        const wrong = yield* Effect.flip(Effect.scoped(startHome(url, "c", undefined, { tls: b })))
        assert.include(wrong.message, `--tls-cert: ${b.cert} is not of the home c`)
      }).pipe(Effect.scoped),
    60_000
  )
})
