/** The journal stores access of an account: paired people, and new ids of groups. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { makeAccess } from "../../../src/bridge/access/makeAccess.ts"
import { makePairing } from "../../../src/bridge/access/pairing.ts"
import { Journal } from "../../../src/bridge/journal/Journal.ts"
import { Store } from "../../../src/conversations/store/Store.ts"
import { account, chat, content, person } from "../incomingUpdates.ts"

const serve = Effect.gen(function* () {
  const memory = yield* (yield* Journal).own(account.id, account.accountId)
  const pairing = yield* makePairing()
  const options = { groups: { "-1": {} } }
  return { pairing, ...(yield* makeAccess({ options, channel: account, memory, pairing })) }
})

const ann = person("11")
const direct = (text: string) => ({ _tag: "Message", message: content(text, ann) }) as const
const inGroup = (chatId: string) =>
  ({ _tag: "Message", message: content("hi", ann, { conversation: chat(chatId), chat: "group" }) }) as const
const move = { _tag: "Moved", conversation: chat("-1"), updateId: "u", chatId: "-100" } as const

it.effect("keeps paired people and moved groups for the next server", () =>
  Effect.gen(function* () {
    yield* Effect.scoped(
      Effect.gen(function* () {
        const { enter, moved, pairing } = yield* serve
        assert.strictEqual((yield* enter(direct(pairing.code)))._tag, "Paired")
        assert.isTrue(yield* moved(move))
      })
    )
    const { enter } = yield* serve
    assert.deepStrictEqual(yield* enter(direct("hi")), { _tag: "Allowed", role: "owner" })
    assert.strictEqual((yield* enter(inGroup("-100")))._tag, "Allowed")
    assert.strictEqual((yield* enter(inGroup("-1")))._tag, "Refused")
  }).pipe(Effect.scoped, Effect.provide(Journal.layer.pipe(Layer.provide(Store.layerMemory()))))
)
