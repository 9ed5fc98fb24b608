/** The token is in no error, log, or printed form of the channel, whatever goes wrong. */

import { join } from "node:path"
import { inspect } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Redacted, Stream } from "effect"
import { Telegram } from "../../../src/channels/telegram/Telegram.ts"
import { TelegramServer } from "../../../src/testing/Scoped.ts"
import type { TelegramFault } from "../../../src/testing.ts"
import { makeDirectory } from "../../kit/temporary.ts"
import { ann, asTimePasses, overheard, pieceOf, place } from "./kit.ts"

const faults: ReadonlyArray<TelegramFault | "down"> = [
  "cutBefore",
  "cutAfter",
  "hang",
  "badGateway",
  "invalidJson",
  "conflict",
  { retryAfter: 5 },
  { code: 400, description: "Bad Request: TOKEN" },
  { code: 403, description: "Forbidden: TOKEN" },
  { code: 500, description: "TOKEN" },
  "down",
  "unauthorized"
]

describe("the token of a bot", () => {
  it.effect("is nowhere, whatever fails", () => {
    const lines: Array<string> = []
    return Effect.gen(function* () {
      const tg = yield* TelegramServer.make({ pace: false })
      const folder = yield* makeDirectory
      const options = { token: Redacted.make(tg.token), apiRoot: tg.url }
      const visible: Array<string> = [inspect(options, { depth: 9, showHidden: true })]
      const keep = (input: unknown) => {
        visible.push(inspect(input, { depth: 9, showHidden: true }), String(input), JSON.stringify(input) ?? "")
        if (input instanceof Error) visible.push(input.stack ?? "", input.message)
      }
      for (const fault of faults) {
        const own =
          typeof fault === "object" && "code" in fault
            ? { ...fault, description: fault.description.replace("TOKEN", tg.token) }
            : fault
        const set = (method: string) => (own === "down" ? undefined : tg.fail(method, own))
        const channel = yield* Telegram.channel(options)
        const ref = { conversation: place, messageId: "1" }
        const piece = pieceOf(channel, "x")
        const press = {
          _tag: "Pressed",
          conversation: place,
          updateId: "u",
          chat: "direct",
          sender: { id: "1", isBot: false },
          data: "d",
          press: { id: "q" }
        } as const
        const works: ReadonlyArray<readonly [string, Effect.Effect<unknown, unknown>]> = [
          ["sendMessage", channel.send(place, piece, "k")],
          [
            "sendDocument",
            channel.send(place, { text: "", body: { text: "", file: "document" }, file: import.meta.filename }, "k")
          ],
          ["editMessageText", channel.edit?.(ref, piece) ?? Effect.void],
          ["deleteMessage", channel.remove?.(ref) ?? Effect.void],
          ["answerCallbackQuery", channel.acknowledge(press, "x")],
          ["sendChatAction", channel.working?.(place) ?? Effect.void],
          ["getFile", channel.download?.("f", join(folder, "f")) ?? Effect.void],
          ["getMe", channel.check],
          ["getUpdates", Effect.timeoutOption(Stream.runDrain(channel.incoming(undefined)), "10 minutes")]
        ]
        if (own === "down") yield* Effect.promise(tg.down)
        for (const [method, work] of works) {
          set(method)
          const exit = yield* asTimePasses(Effect.exit(work), 10_000)
          keep(exit)
          if (Exit.isFailure(exit)) {
            keep(Cause.squash(exit.cause))
            visible.push(Cause.pretty(exit.cause))
          }
        }
        keep(channel)
        set("getMe")
        keep(yield* asTimePasses(Effect.exit(Effect.scoped(Telegram.channel(options))), 10_000))
        if (own === "down") yield* Effect.promise(tg.up)
      }
      tg.say("", { chat: ann, document: { content: "x" } })
      const channel = yield* Telegram.channel(options)
      for (const fault of ["cutBefore", "hang", { code: 404, description: "" }] as const) {
        tg.fail("download", fault)
        const attempt = channel.download?.("file-1", join(folder, "g")) ?? Effect.void
        keep(yield* asTimePasses(Effect.exit(Effect.timeout(attempt, "1 minute")), 10_000))
      }
      const secret = tg.token.split(":")[1] ?? ""
      assert.isAbove(visible.length, 300)
      for (const text of [...visible, ...lines]) assert.notInclude(text, secret)
    }).pipe(Effect.scoped, Effect.provide(overheard(lines)))
  })
})
