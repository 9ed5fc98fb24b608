/** The check of a number in `reins doctor`. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import type { Finding } from "../../../src/bridge/messages/Channel.ts"
import { WhatsApp } from "../../../src/channels/whatsapp/WhatsApp.ts"
import { WhatsAppServer } from "../../../src/testing/Scoped.ts"
import { listenTo, openFor, optionsFor, start } from "./kit.ts"

const words = (findings: ReadonlyArray<Finding>) => findings.map(({ level, message }) => `${level}: ${message}`)
const fine = "ok: The number is 15550783881 (Test Number)."

describe("a look at a number", () => {
  it.live("finds nothing wrong, and changes nothing", () =>
    Effect.gen(function* () {
      const wa = yield* WhatsAppServer.make()
      const { channel } = yield* openFor(wa, { waba: wa.waba })
      assert.deepStrictEqual(words(yield* channel.check), [fine])
      assert.deepStrictEqual(
        wa.calls().map(({ method }) => method),
        ["phone", "phone", "debug_token", "subscribed_apps"]
      )
    }).pipe(Effect.scoped)
  )

  it.live("finds a token that expires or lacks a right", () =>
    Effect.gen(function* () {
      const { wa, channel } = yield* start()
      wa.credentials({
        expiresAt: Math.floor(Date.now() / 1_000) + 90_000,
        scopes: ["whatsapp_business_messaging"]
      })
      assert.deepStrictEqual(words(yield* channel.check), [
        fine,
        "failure: The token lacks whatsapp_business_management.",
        "warning: The token expires in 1 day."
      ])
    }).pipe(Effect.scoped)
  )

  it.live("finds an account without a webhook, and one that is not the token's", () =>
    Effect.gen(function* () {
      const wa = yield* WhatsAppServer.make()
      wa.unsubscribe()
      const { channel } = yield* WhatsApp.make({ ...optionsFor(wa), waba: wa.waba })
      assert.include(words(yield* channel.check)[1], "failure: The business account sends its messages to no webhook")
      const { channel: other } = yield* WhatsApp.make({ ...optionsFor(wa), waba: "999999" })
      assert.include(words(yield* other.check)[1], "warning: The business account 999999 cannot be asked")
    }).pipe(Effect.scoped)
  )

  it.live("asks the public address for the challenge", () =>
    Effect.gen(function* () {
      const wa = yield* WhatsAppServer.make()
      const { webhook, channel: listening } = yield* openFor(wa)
      const checked = (url: string) =>
        Effect.flatMap(WhatsApp.make({ ...optionsFor(wa), url }), ({ channel }) => Effect.map(channel.check, words))
      assert.deepStrictEqual(yield* checked(webhook), [fine])
      const host = `127.0.0.1:${listening.port}`
      assert.deepStrictEqual(yield* checked(`http://${host}/elsewhere`), [
        fine,
        `warning: What answers at ${host} is not this webhook: status 404.`
      ])
      assert.deepStrictEqual(yield* checked("http://127.0.0.1:1/whatsapp"), [
        fine,
        "warning: Nothing answers at 127.0.0.1:1."
      ])
    }).pipe(Effect.scoped)
  )

  it.live("finds that the token is refused, the number is another, or the address is unreachable", () =>
    Effect.gen(function* () {
      const { wa, channel } = yield* start()
      const { channel: other } = yield* WhatsApp.make({ ...optionsFor(wa), phone: "111111111" })
      assert.include(words(yield* other.check)[0], "failure: WhatsApp does not give the number: Unsupported request")
      yield* Effect.promise(wa.down)
      assert.include(words(yield* channel.check)[0], "failure: WhatsApp does not give the number: it was not reached")
      yield* Effect.promise(wa.up)
      wa.revoke()
      assert.include(words(yield* channel.check)[0], "failure: WhatsApp refuses the token")
    }).pipe(Effect.scoped)
  )

  it.effect("says when WhatsApp has posted nothing for a day", () =>
    Effect.gen(function* () {
      const { wa, channel } = yield* start()
      const { until } = yield* listenTo(channel)
      wa.say("hello")
      yield* until(1)
      assert.deepStrictEqual(words(yield* channel.check), [fine])
      yield* TestClock.adjust("49 hours")
      assert.deepStrictEqual(words(yield* channel.check), [fine, "warning: WhatsApp posted last 2 days ago."])
    }).pipe(Effect.scoped)
  )

  it.live("is not possible with options of the wrong form, which are told without secrets", () =>
    Effect.gen(function* () {
      const wa = yield* WhatsAppServer.make()
      const options = optionsFor(wa)
      const wrong: ReadonlyArray<readonly [object, string]> = [
        [{ phone: "+1 555" }, "option phone"],
        [{ token: "short secret" }, "token does not have the form of one"],
        [{ appSecret: "secret" }, "appSecret does not have the form of one"],
        [{ verifyToken: "a secret with spaces" }, "verifyToken does not have the form of one"],
        [{ apiRoot: "nowhere" }, "option apiRoot"],
        [{ url: "ftp://x" }, "option url"],
        [{ port: 70_000 }, "option port"],
        [{ path: "no-slash" }, "option path"],
        [{ other: 1 }, "other is not a known field"]
      ]
      for (const [more, problem] of wrong) {
        const error = yield* Effect.flip(WhatsApp.listen({ ...options, port: 0, ...more }))
        assert.include(error.message, problem)
        assert.notInclude(`${error.message} ${"help" in error ? error.help : ""}`, "secret with")
      }
      assert.strictEqual(wa.calls().length, 0)
    }).pipe(Effect.scoped)
  )

  it.live("ends the channel when the token is refused, at its start and later", () =>
    Effect.gen(function* () {
      const { wa, channel } = yield* start()
      const listening = yield* Effect.forkChild(Effect.flip(Stream.runDrain(channel.incoming(undefined))))
      wa.open()
      wa.revoke()
      const [piece] = channel.render({ text: "x" })
      if (piece === undefined) return assert.fail("no piece")
      const to = { channel: "whatsapp", accountId: wa.phone, chatId: "US.1001" }
      assert.strictEqual((yield* Effect.flip(channel.send(to, piece, "k"))).reason._tag, "Unreachable")
      const ended = yield* Fiber.join(listening)
      assert.include(ended.message, "refuses the token")
      assert.include(ended.help, "System users")
      const again = yield* Effect.flip(WhatsApp.make(optionsFor(wa)))
      assert.include(again.message, "refuses the token")
    }).pipe(Effect.scoped)
  )
})
