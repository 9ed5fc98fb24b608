/**
 * Ten chats at work while Telegram puts them off again and again: nothing goes in a time that it forbids, no budget is
 * broken, and each answer is there soon after it may be. Time is virtual; no call is under way while it moves.
 */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Context, Effect, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import { ChannelBridge } from "../../../src/bridge/ChannelBridge.ts"
import type { AgentEvent } from "../../../src/contract/AgentEvent.ts"
import { Store } from "../../../src/conversations/store/Store.ts"
import { nodePlatform } from "../../../src/system/process/Platform.ts"
import * as TestRuntime from "../../../src/testing/TestRuntime.ts"
import { start } from "./kit.ts"

const minutes = Number(process.env["MINUTES"] ?? 3)
const people = [1001, 1002, 1003, 1004, 1005]
const groups = [-1_000_000_000_001, -1_000_000_000_002, -1_000_000_000_003, -1_000_000_000_004, -1_000_000_000_005]
const stepMs = 50

const text = (input: string): AgentEvent => ({ type: "text", text: input })

describe("a flood in Telegram", () => {
  it.effect(
    "is waited out: no call in a forbidden time, no budget broken, answers soon afterwards",
    () =>
      Effect.gen(function* () {
        const { tg, channel } = yield* start({ pace: {}, privacyMode: false })
        const ended = new Map<string, number>()
        /** Shows its steps for half a minute. */
        const works: Parameters<typeof TestRuntime.layer>[0] = ({ prompt }) =>
          Stream.concat(
            Stream.range(1, 15).pipe(
              Stream.mapEffect((step) => Effect.as(Effect.sleep("2 seconds"), text(`step ${step} of ${prompt}\n\n`)))
            ),
            Stream.fromEffect(
              Effect.map(Clock.currentTimeMillis, (at) => {
                ended.set(prompt, at)
                // In a direct chat, six messages at once.
                return text(`the end of ${prompt}\n\n${prompt.includes("@-") ? "" : "word ".repeat(4_000)}`)
              })
            )
          )
        const layer = ChannelBridge.layer({
          agents: { test: TestRuntime.layer(works) },
          access: {
            owners: people.map(String),
            groups: Object.fromEntries(groups.map((id) => [String(id), { mention: false }]))
          }
        }).pipe(Layer.provide([Store.layerMemory(), nodePlatform]))
        const { serve } = Context.get(yield* Layer.build(layer), ChannelBridge)
        yield* Effect.forkScoped(Effect.orDie(serve(channel)))

        let seed = 5
        const random = (most: number) => {
          seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
          return Math.floor((seed / 2 ** 32) * most)
        }
        const isQuiet = () => tg.calls().every(({ outcome, method }) => outcome !== "open" || method === "getUpdates")
        /** All that is due at a time is done before time goes on. */
        const settle = Effect.promise(async () => {
          for (let quiet = 0; quiet < 6; quiet = isQuiet() ? quiet + 1 : 0)
            await new Promise<void>((resolve) => setImmediate(resolve))
        })
        let set = 0
        // The last held piece gets its time, too.
        for (let at = 0; at < (minutes + 1.5) * 60_000; at += stepMs) {
          if (at % 45_000 === 0 && at < minutes * 60_000 - 45_000)
            for (const chat of [...people, ...groups])
              tg.say(`${at / 45_000}@${chat}`, { from: chat > 0 ? chat : 1001, chat })
          // One at a time: ten at once would be a flood of all chats.
          const met = tg.calls().filter(({ status }) => status === 429).length
          if (at < minutes * 60_000 && at % 1_000 === 0 && set <= met) {
            const method = ["editMessageText", "sendMessage", "*"][random(3)] ?? "*"
            tg.fail(method, { retryAfter: 1 + random(random(10) === 0 ? 60 : 8) })
            set = met + 1
          }
          yield* settle
          yield* TestClock.adjust(stepMs)
        }
        yield* settle

        const refusals = tg
          .calls()
          .filter(({ status }) => status === 429)
          .map(({ params, at, method, description = "" }) => {
            const retryMs = 1_000 * Number(/\d+$/.exec(description)?.[0] ?? 0)
            return { chat: Number(params["chat_id"]), at, until: at + retryMs, method }
          })
        // A call that crosses the refusal of another one on its way knows nothing of it.
        const known = refusals.filter(({ chat, at }) =>
          refusals.some((before) => before.chat === chat && before.at < at - stepMs && at < before.until)
        )
        assert.deepStrictEqual(known, [])
        assert.deepStrictEqual(
          tg.violations().filter(({ rule }) => rule !== "forbidden"),
          []
        )
        assert.isAbove(refusals.length, 10)
        assert.isAbove(ended.size, 20)
        const heldUntil = (of: number, until: number) =>
          refusals.flatMap((refusal) => (refusal.chat === of && refusal.at <= until ? [refusal.until] : []))
        const late: Array<string> = []
        for (const [prompt, endedAt] of ended) {
          const chat = Number(prompt.split("@").at(-1))
          const answers = tg
            .chat(chat)
            .filter(
              (visible) =>
                visible.isOurs && visible.text.includes(`the end of ${prompt}`) && !/^[⏳✓■]/u.test(visible.text)
            )
          assert.strictEqual(answers.length, 1, `${prompt}: ${answers.length} answers`)
          const at = answers[0]?.at ?? 0
          const allowed = Math.max(endedAt, ...heldUntil(chat, at))
          // A burst that is used up, by long answers or refusals of this one, is waited for as well.
          const again = refusals.filter((each) => each.chat === chat && each.at >= endedAt && each.at <= at).length
          const burstMs = chat > 0 || again > 1 ? 5_000 : 0
          if (at > allowed + 2_000 + burstMs) late.push(`${prompt}: ${at - allowed} ms, ${again} refused`)
        }
        assert.deepStrictEqual(late, [])
      }).pipe(Effect.scoped),
    300_000
  )
})
