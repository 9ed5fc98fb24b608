/** The check of a bot in `reins doctor`. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { Finding } from "../../../src/bridge/messages/Channel.ts"
import { Telegram } from "../../../src/channels/telegram/Telegram.ts"
import { TelegramServer } from "../../../src/testing/Scoped.ts"
import { start } from "./kit.ts"

const words = (findings: ReadonlyArray<Finding>) => findings.map(({ level, message }) => `${level}: ${message}`)

describe("a look at a bot", () => {
  it.live("finds nothing wrong, and changes nothing", () =>
    Effect.gen(function* () {
      const { tg, channel } = yield* start()
      tg.say("one")
      assert.deepStrictEqual(words(yield* channel.check), ["ok: The token is that of @test_bot."])
      assert.strictEqual(tg.pending().length, 1)
    }).pipe(Effect.scoped)
  )

  it.live("finds a webhook, another reader, groups out of reach, and a privacy mode that hides what is wanted", () =>
    Effect.gen(function* () {
      const groups = {
        "-1000000000001": { mention: false, users: ["7"] },
        "-1000000000002": {},
        "*": { mention: false }
      }
      const { tg, channel } = yield* start({}, { groups })
      tg.open(-1_000_000_000_001)
      tg.fail("getUpdates", "conflict")
      const found = words(yield* channel.check)
      assert.strictEqual(found.length, 4)
      assert.include(found[1], "failure: Another program reads")
      assert.include(found[2], "warning: In -1000000000001, any group it shall hear")
      assert.include(found[3], "warning: The group -1000000000002 cannot be reached: Bad Request: chat not found")
      yield* Effect.promise(() =>
        fetch(`${tg.url}/bot${tg.token}/setWebhook?url=https://hook.example/a`).then((answer) => answer.text())
      )
      const hooked = words(yield* channel.check)
      assert.include(hooked[1], "failure: A webhook at hook.example")
      assert.isFalse(hooked.some((line) => line.includes("Another program")))
    }).pipe(Effect.scoped)
  )

  it.live("finds that the token is refused, or that the address is unreachable", () =>
    Effect.gen(function* () {
      const { tg, channel } = yield* start()
      tg.revoke()
      assert.include(words(yield* channel.check)[0], "failure: Telegram refuses the token")
      yield* Effect.promise(tg.down)
      assert.include(words(yield* channel.check)[0], "failure: Telegram does not say who the bot is")
    }).pipe(Effect.scoped)
  )

  it.effect("finds that the clock is off", () =>
    Effect.gen(function* () {
      const { channel } = yield* start({ now: Date.now })
      yield* TestClock.setTime(Date.now() - 7_200_000)
      assert.isTrue(words(yield* channel.check).some((line) => /clock of this machine is 7[12]\d\d s off/.test(line)))
    }).pipe(Effect.scoped)
  )

  it.live("is not possible without a token of the right form, which is told without it", () =>
    Effect.gen(function* () {
      const tg = yield* TelegramServer.make()
      for (const token of ["", "abc", `${tg.token}\n${tg.token}`, "123456:short"]) {
        const error = yield* Effect.flip(Telegram.channel({ token, apiRoot: tg.url }))
        assert.include(error.message, "form of a bot's token")
        if (token !== "") assert.notInclude(`${error.message} ${error.help}`, token)
      }
      const error = yield* Effect.flip(Telegram.channel({ token: tg.token, apiRoot: "nowhere" }))
      assert.include(error.message, "apiRoot")
      assert.strictEqual(tg.calls().length, 0)
    }).pipe(Effect.scoped)
  )
})
