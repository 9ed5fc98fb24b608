/** All that `reins doctor` says of a bot of Discord. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { DiscordOptions } from "../../../src/channels/discord/DiscordOptions.ts"
import type { DiscordServerOptions } from "../../../src/testing/discord/world.ts"
import { bot, room, start } from "./kit.ts"

const findings = (
  server: DiscordServerOptions = {},
  options: Partial<DiscordOptions> = {},
  before: (discord: Effect.Success<ReturnType<typeof start>>["discord"]) => void = () => undefined
) =>
  Effect.gen(function* () {
    const { discord, channel } = yield* start(server, options)
    before(discord)
    return (yield* channel.check).map(({ level, message, help }) => ({ level, text: `${message} ${help ?? ""}` }))
  }).pipe(Effect.scoped)

describe("a check of Discord", () => {
  it.live("names the bot, and the address with which it is added to a server", () =>
    Effect.gen(function* () {
      const [first, ...more] = yield* findings()
      assert.strictEqual(first?.level, "ok")
      assert.include(first?.text ?? "", `client_id=${bot}&scope=bot+applications.commands&permissions=309237746688`)
      assert.isEmpty(more)
    })
  )

  it.live("finds a message content intent that is off", () =>
    Effect.gen(function* () {
      const found = yield* findings({ content: false })
      assert.deepStrictEqual(
        found.map(({ level }) => level),
        ["ok", "failure"]
      )
      assert.include(found[1]?.text ?? "", "Message Content Intent")
      assert.lengthOf(yield* findings({ content: false }, { content: false }), 1)
      const open = yield* findings(
        { content: false },
        { content: false, groups: { [room]: { mention: false } } },
        (discord) => discord.open(room)
      )
      assert.strictEqual(open[1]?.level, "warning")
    })
  )

  it.live("finds channels that the bot does not see, and where it may not write; * is not looked for", () =>
    Effect.gen(function* () {
      const [silent, hidden] = ["400000000000000002", "400000000000000003"]
      const groups = { "*": {}, [room]: {}, [silent]: {}, [hidden]: {}, "400000000000000009": {} }
      const found = yield* findings({}, { groups }, (discord) => {
        discord.open(room)
        discord.open(silent, { access: "silent" })
        discord.open(hidden, { access: "hidden" })
      })
      const warnings = found.filter(({ level }) => level === "warning").map(({ text }) => text)
      assert.lengthOf(warnings, 3)
      assert.include(warnings[0] ?? "", `may not write in ${silent}`)
      assert.include(warnings[1] ?? "", hidden)
      assert.include(warnings[2] ?? "", "400000000000000009")
    })
  )

  it.live("finds a token that is refused, and an address that is not reached", () =>
    Effect.gen(function* () {
      const [refused] = yield* findings({}, {}, (discord) => discord.revoke())
      assert.include(refused?.text ?? "", "refuses the token")
      const [away] = yield* findings({}, {}, (discord) => discord.fail("getMe", "cutBefore"))
      assert.deepStrictEqual([away?.level, away?.text.includes("not reached")], ["failure", true])
      const [other] = yield* findings({}, {}, (discord) => discord.fail("getMe", "invalidJson"))
      assert.strictEqual(other?.level, "failure")
    })
  )
})
