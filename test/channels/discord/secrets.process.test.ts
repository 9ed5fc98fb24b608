/** The token is in no error, log, or printed form of the channel, whatever goes wrong. */
import { join } from "node:path"
import { inspect } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Redacted, Stream } from "effect"
import { Discord } from "../../../src/channels/discord/Discord.ts"
import { DiscordServer } from "../../../src/testing/Scoped.ts"
import type { DiscordFault } from "../../../src/testing.ts"
import { makeDirectory } from "../../kit/temporary.ts"
import { ann, overheard, pieceOf, placeOf } from "./kit.ts"

const faults: ReadonlyArray<DiscordFault | "down"> = [
  "cutBefore",
  "cutAfter",
  "badGateway",
  "invalidJson",
  "banned",
  { retryAfter: 0.01 },
  { code: 50_035, description: "TOKEN" },
  { status: 403, code: 50_013, description: "TOKEN" },
  { status: 500, code: 0, description: "TOKEN" },
  "down",
  "unauthorized"
]

describe("the token of a bot", () => {
  it.live(
    "is nowhere, whatever fails",
    () => {
      const lines: Array<string> = []
      return Effect.gen(function* () {
        const discord = yield* DiscordServer.make({ pace: false })
        const folder = yield* makeDirectory
        const place = placeOf(discord.direct())
        const options = { token: Redacted.make(discord.token), apiRoot: discord.url, menu: false }
        const visible: Array<string> = [inspect(options, { depth: 9, showHidden: true })]
        const keep = (input: unknown) => {
          visible.push(inspect(input, { depth: 9, showHidden: true }), String(input), JSON.stringify(input) ?? "")
          if (input instanceof Error) visible.push(input.stack ?? "", input.message)
        }
        for (const fault of faults) {
          const own =
            typeof fault === "object" && "code" in fault
              ? { ...fault, description: fault.description.replace("TOKEN", discord.token) }
              : fault
          const set = (method: string) => (own === "down" ? undefined : discord.fail(method, own))
          const channel = yield* Discord.channel(options)
          const ref = { conversation: place, messageId: "200000000000000009" }
          const piece = pieceOf(channel, "x")
          const press = {
            _tag: "Pressed",
            conversation: place,
            updateId: "u",
            chat: "direct",
            sender: { id: ann, isBot: false },
            data: "d",
            press: { id: "1", token: "t" }
          } as const
          const works: ReadonlyArray<readonly [string, Effect.Effect<unknown, unknown>]> = [
            ["createMessage", channel.send(place, piece, "k")],
            [
              "createMessage",
              channel.send(place, { text: "", body: { content: "" }, file: import.meta.filename }, "k2")
            ],
            ["startThread", channel.send({ ...place, threadId: "400000000000000404" }, piece, "k3")],
            ["getMessages", channel.find?.(place, piece, "k", undefined) ?? Effect.void],
            ["editMessage", channel.edit?.(ref, piece) ?? Effect.void],
            ["deleteMessage", channel.remove?.(ref) ?? Effect.void],
            ["answerInteraction", channel.acknowledge(press, "x")],
            ["typing", channel.working?.(place) ?? Effect.void],
            ["getMessage", channel.download?.("1/2/3", join(folder, "f")) ?? Effect.void],
            ["getApplication", channel.check],
            ["gateway", Effect.timeoutOption(Stream.runDrain(channel.incoming(undefined)), "300 millis")],
            ["getGateway", Effect.timeoutOption(Stream.runDrain(channel.incoming(undefined)), "300 millis")]
          ]
          if (own === "down") yield* Effect.promise(discord.down)
          for (const [method, work] of works) {
            set(method)
            const exit = yield* Effect.exit(work)
            keep(exit)
            if (Exit.isFailure(exit)) {
              keep(Cause.squash(exit.cause))
              visible.push(Cause.pretty(exit.cause))
            }
          }
          keep(channel)
          set("getMe")
          keep(yield* Effect.exit(Effect.scoped(Discord.channel(options))))
          if (own === "down") yield* Effect.promise(discord.up)
        }
        const [, , secret = "?"] = discord.token.split(".")
        assert.isAbove(visible.length, 300)
        assert.isNotEmpty(lines)
        for (const text of [...visible, ...lines]) assert.notInclude(text, secret)
      }).pipe(Effect.scoped, Effect.provide(overheard(lines)))
    },
    90_000
  )

  it.live("has a form, which is checked before it is used", () =>
    Effect.gen(function* () {
      for (const token of ["", "x", "123456:AAAA", "a.b.c", `${"x".repeat(24)}.abcdef.${"y".repeat(27)}`]) {
        const failure = yield* Effect.flip(Discord.channel({ token, apiRoot: "http://127.0.0.1:1" }))
        assert.include(failure.problem, "does not have the form")
        if (token !== "" && token !== "x") assert.notInclude(JSON.stringify(failure), token)
      }
      const failure = yield* Effect.flip(Discord.channel({ token: "x", apiRoot: "ftp://x" }))
      assert.include(failure.problem, "apiRoot")
    }).pipe(Effect.scoped)
  )
})
