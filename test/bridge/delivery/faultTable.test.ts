/**
 * For every answer of the channel and every place where the host is killed: no message is lost, none is repeated unasked, and they come
 * in order; possibly missing messages are asked about, and shown whole on demand. Judged by what the chat shows.
 */
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import { showMissing } from "../../../src/bridge/delivery/asking.ts"
import { Journal } from "../../../src/bridge/journal/Journal.ts"
import { Store } from "../../../src/conversations/store/Store.ts"
import { chatOf, type Fault, type Kill, makeWorld, runHost, textPiece, type WorldOptions } from "./scripted.ts"

let accounts = 0

/** Kills hosts one after the other, lets the last one run, presses each *Show* of a text that is not there, and judges. */
const judge = Effect.fnUntraced(function* (
  options: Omit<WorldOptions, "accountId">,
  kills: ReadonlyArray<Kill>,
  { pieces = 2, onUnknown = "ask" as const } = {}
) {
  accounts += 1
  const accountId = `bot${accounts}`
  const world = makeWorld({ ...options, accountId })
  const [one, other] = [chatOf(accountId, "1"), chatOf(accountId, "2")]
  const journal = yield* (yield* Journal).own("test", accountId)
  const keys = Array.from({ length: pieces }, (_, at) => `${accountId}/${at}`)
  const requested = [...keys.map((key) => textPiece(key, one)), textPiece(`${accountId}/o`, other)]
  yield* journal.outbox.put(requested)
  let hostKills = 0
  for (const kill of kills) if (yield* runHost(journal, world, { kill, onUnknown, forMs: 150_000 })) hostKills += 1
  yield* runHost(journal, world, { onUnknown, forMs: 400_000 })
  const counts = yield* journal.outbox.counts
  assert.strictEqual((counts.get("ready") ?? 0) + (counts.get("sending") ?? 0), 0, "something is still on its way")

  const textOf = (key: string) => `text of ${key}`
  const copies = (key: string) => world.chat.filter(({ text }) => text === textOf(key)).length
  const isRefused = (key: string) => world.chat.some((message) => message.key.startsWith(`${key}/refused`))
  for (const { key } of requested) assert.isAtMost(copies(key), 1, `repeated: ${key}`)
  const order = world.chat
    .filter(({ to, isLate }) => to.chatId === "1" && !isLate)
    .map(({ text }) => keys.findIndex((key) => textOf(key) === text))
  const content = order.filter((at) => at >= 0)
  assert.deepStrictEqual(
    content,
    content.toSorted((a, b) => a - b),
    "out of order"
  )
  const questions = world.chat.filter(({ data }) => data.length > 0)
  for (const { to, data } of questions) {
    for (const press of [data[0], data[0]]) yield* showMissing(journal, to, press)
  }
  const missing = requested.filter(({ key }) => copies(key) === 0)
  yield* TestClock.adjust(0)
  yield* runHost(journal, { ...world, channel: makeWorldOf(world) }, { forMs: 400_000 })
  for (const { key } of missing) if (!isRefused(key)) assert.strictEqual(copies(key), 1, `lost: ${key}`)
  for (const { key } of requested) assert.isAtMost(copies(key), 2, `shown twice: ${key}`)
  const faults = world.calls.filter((_, call) => (options.fault?.(call, "", one) ?? "ok") !== "ok").length
  assert.isAtMost(questions.length, faults + hostKills, "asked more often than something went wrong")
  return { questions: questions.length, hostKills, world }
}, Effect.scoped)

/** From now on, the channel is well. */
const makeWorldOf = ({ channel, chat }: ReturnType<typeof makeWorld>) => ({
  ...channel,
  send: (to: Parameters<typeof channel.send>[0], piece: Parameters<typeof channel.send>[1], key: string) =>
    Effect.sync(() => {
      chat.push({ to, key, text: piece.text, data: [], at: 0, isLate: false })
      return { conversation: to, messageId: `m${chat.length}` }
    })
})

const faults: Readonly<Record<string, Fault>> = {
  ok: "ok",
  "TooFast (chat)": { _tag: "TooFast", retryAfterMs: 3_000, scope: "chat" },
  "TooFast (account)": { _tag: "TooFast", retryAfterMs: 70_000, scope: "account" },
  Unreachable: { _tag: "Unreachable" },
  cutBefore: "cutBefore",
  cutAfter: "cutAfter",
  late: "late",
  hangs: "hangs",
  Refused: { _tag: "Refused", description: "no" }
}

const memory = Journal.layer.pipe(Layer.provide(Store.layerMemory()))

layer(memory)("the outbox, with a host that is killed", (it) => {
  for (const canFind of [false, true])
    for (const [name, fault] of Object.entries(faults))
      it.effect(`${canFind ? "with" : "without"} find, ${name}: before and after each step`, () =>
        Effect.gen(function* () {
          const options = { canFind, fault: (call: number) => (call === 0 ? fault : "ok") }
          let kills = 0
          for (let atStep = 1; atStep <= 10; atStep += 1)
            for (const when of ["before", "after"] as const)
              kills += (yield* judge(options, [{ atStep, when }])).hostKills
          assert.isAbove(kills, 8)
          const { questions } = yield* judge(options, [])
          const isAsked = !canFind && ["cutBefore", "cutAfter", "late", "hangs"].includes(name)
          assert.strictEqual(questions, isAsked ? 1 : 0)
        })
      )
})

const FaultName = Schema.Literals(["ok", "ok", "TooFast (chat)", "Unreachable", "cutBefore", "cutAfter", "late"])
const AnyKill = Schema.Struct({
  atStep: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 12 })),
  when: Schema.Literals(["before", "after"])
})

layer(memory)("random faults and kills", (it) => {
  describe.each([true, false])("find: %s", (canFind) => {
    it.effect.prop(
      "nothing is lost, nothing is repeated unasked",
      [Schema.Array(FaultName), Schema.Array(AnyKill)],
      ([names, kills]) =>
        judge({ canFind, fault: (call) => faults[names[call] ?? "ok"] ?? "ok" }, kills.slice(0, 5), { pieces: 3 }),
      { arbitrary: { runs: 40 } }
    )
  })
})
