/** A failing store, a second server, a clock that is set back, hostile ids: nothing is lost. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Layer, Schedule, Scope } from "effect"
import { TestClock } from "effect/testing"
import { ChannelBridge } from "../../src/bridge/ChannelBridge.ts"
import type { ChannelMessage } from "../../src/bridge/messages/ChannelMessage.ts"
import type { Sight } from "../../src/bridge/messages/Sight.ts"
import { accountOf } from "../../src/bridge/turn/agents.ts"
import { StoreUnavailable } from "../../src/contract/AgentError.ts"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import { StoreError } from "../../src/contract/StoreError.ts"
import type { OpenStore } from "../../src/conversations/store/OpenStore.ts"
import { Store } from "../../src/conversations/store/Store.ts"
import { nodePlatform } from "../../src/system/process/Platform.ts"
import { ScriptedChannel } from "../../src/testing/ScriptedChannel.ts"
import * as TestRuntime from "../../src/testing/TestRuntime.ts"
import { openIn } from "../conversations/store/stores.ts"
import { bridgeOf } from "./bridgeOf.ts"

const echo = TestRuntime.layer(({ prompt }): ReadonlyArray<AgentEvent> => [{ type: "text", text: `heard: ${prompt}` }])

const over = (store: OpenStore) =>
  Layer.build(
    Layer.fresh(
      ChannelBridge.layer({
        agents: { test: echo },
        access: { owners: ["ann"], users: ["bob"] },
        progress: "off",
        whileBusy: "queue"
      })
    ).pipe(Layer.provide([Layer.succeed(Store, store), nodePlatform]))
  ).pipe(Effect.map((context) => Context.get(context, ChannelBridge)))

/** A store that accepts some more changes once it is lost, and then none until it is found. */
const losing = Effect.fnUntraced(function* (store: OpenStore) {
  const gone = new StoreError({ reason: new StoreUnavailable({ problem: "is gone" }) })
  const met = yield* Deferred.make<void>()
  let left = Number.POSITIVE_INFINITY
  const change = Effect.suspend(() => {
    left -= 1
    return left >= 0 ? Effect.void : Effect.andThen(Deferred.succeed(met, undefined), Effect.fail(gone))
  })
  const own: OpenStore = { ...store, transact: (work) => Effect.andThen(change, store.transact(work)) }
  return {
    store: own,
    met,
    lose: (changes = 1) => {
      left = changes
    },
    find: () => {
      left = Number.POSITIVE_INFINITY
    }
  }
})

const seenOn =
  ({ until, chat }: Pick<ScriptedChannel, "until" | "chat">) =>
  (id: string, part: string) =>
    until(() => chat(id).find((message) => message.isOurs && message.text.includes(part)))

describe("a store", () => {
  it.live("that fails for a while delays messages, answers and commands, and loses none", () =>
    Effect.gen(function* () {
      const store = yield* openIn(Store.layerMemory())
      let isBroken = false
      const gone = new StoreError({ reason: new StoreUnavailable({ problem: "is gone" }) })
      const met = yield* Deferred.make<void>()
      const unlessBroken = Effect.suspend(() =>
        isBroken ? Effect.andThen(Deferred.succeed(met, undefined), Effect.fail(gone)) : Effect.void
      )
      const flaky: OpenStore = {
        ...store,
        transact: (work) => Effect.andThen(unlessBroken, store.transact(work)),
        read: (work) => Effect.andThen(unlessBroken, store.read(work))
      }
      const { serve } = yield* over(flaky)
      const scripted = ScriptedChannel.make()
      const known = seenOn(scripted)
      yield* Effect.forkScoped(Effect.orDie(serve(scripted.channel)))
      yield* scripted.say("one")
      yield* known("ann", "heard: one")
      isBroken = true
      yield* scripted.say("two")
      yield* scripted.say("three", { from: "bob" })
      yield* scripted.say("/whoami")
      yield* Deferred.await(met)
      assert.strictEqual(scripted.confirmed(), 1)
      isBroken = false
      yield* known("bob", "heard: three")
      yield* known("ann", "heard: two")
      yield* known("ann", "your role is owner")
    }).pipe(Effect.scoped)
  )

  it.live("that fails after accepting a command delays its answer, and does not lose it", () =>
    Effect.gen(function* () {
      const { store, lose, find, met } = yield* losing(yield* openIn(Store.layerMemory()))
      const { serve } = yield* over(store)
      const scripted = ScriptedChannel.make()
      const known = seenOn(scripted)
      yield* Effect.forkScoped(Effect.orDie(serve(scripted.channel)))
      yield* scripted.say("one")
      yield* known("ann", "heard: one")
      lose()
      yield* scripted.say("/new")
      yield* Deferred.await(met)
      find()
      yield* known("ann", "A new session begins")
    }).pipe(Effect.scoped)
  )

  it.live("that fails at the end of a turn delays the end, and shows nothing twice", () =>
    Effect.gen(function* () {
      const { store, lose, find, met } = yield* losing(yield* openIn(Store.layerMemory()))
      const { serve } = yield* over(store)
      const scripted = ScriptedChannel.make()
      const known = seenOn(scripted)
      const updates: Array<string> = []
      const watch = ({ _tag }: Sight) =>
        Effect.sync(() => {
          updates.push(_tag)
          if (_tag === "Ended") lose(0)
        })
      yield* Effect.forkScoped(Effect.orDie(serve({ ...scripted.channel, watch })))
      yield* scripted.say("one")
      yield* Deferred.await(met)
      find()
      yield* known("ann", "heard: one")
      const turns = updates.filter((tag) => tag === "Begun" || tag === "Ended")
      assert.deepStrictEqual(turns, ["Begun", "Ended"])
    }).pipe(Effect.scoped)
  )

  it.live("keeps an unanswered command, which the next host answers once", () =>
    Effect.gen(function* () {
      const memory = yield* openIn(Store.layerMemory())
      const { store, lose, met } = yield* losing(memory)
      const scripted = ScriptedChannel.make()
      const known = seenOn(scripted)
      const host = Effect.fnUntraced(function* (own: OpenStore) {
        const scope = yield* Scope.make()
        const { serve } = yield* Scope.provide(over(own), scope)
        yield* Scope.provide(Effect.forkScoped(Effect.orDie(serve(scripted.channel))), scope)
        return Scope.close(scope, Exit.void)
      })
      const first = yield* host(store)
      yield* scripted.say("one")
      yield* known("ann", "heard: one")
      lose()
      yield* scripted.say("/new")
      yield* Deferred.await(met)
      yield* first
      const answers = () => scripted.chat("ann").filter(({ text }) => text.startsWith("A new session begins"))
      assert.deepStrictEqual(answers(), [])
      const second = yield* host(memory)
      yield* known("ann", "A new session begins")
      yield* second
      yield* host(memory)
      yield* scripted.say("two")
      yield* known("ann", "heard: two")
      assert.lengthOf(answers(), 1)
    }).pipe(Effect.scoped)
  )

  it.live("removes old texts of turns, also if no agent is asked", () =>
    Effect.gen(function* () {
      const store = yield* openIn(Store.layerMemory())
      const { sql, transact, read } = store
      const turn = { turn_id: "t", cli: "claude", conversation: "c", seq: 1, state: "done", prompt: "secret" }
      yield* transact(sql`insert into turns ${sql.insert({ ...turn, digest: "d", created: 1, ended: 1 })}`)
      yield* over(store)
      yield* Effect.repeat(read(sql<{ readonly prompt: string | null }>`select prompt from turns`), {
        until: ([row]) => row?.prompt === null,
        schedule: Schedule.spaced("10 millis")
      })
    }).pipe(Effect.scoped)
  )

  it.live("allows one server of an account at a time, also in one bridge, and the first continues", () =>
    Effect.gen(function* () {
      const store = yield* openIn(Store.layerMemory())
      const [one, two] = [yield* over(store), yield* over(store)]
      const scripted = ScriptedChannel.make()
      const known = seenOn(scripted)
      yield* Effect.forkScoped(Effect.orDie(one.serve(scripted.channel)))
      yield* scripted.say("one")
      yield* known("ann", "heard: one")
      for (const { serve } of [one, two]) {
        const refused = yield* Effect.flip(Effect.scoped(serve(ScriptedChannel.make().channel)))
        assert.strictEqual(refused._tag, "ChannelTaken")
      }
      // Turns still use the chat's settings: they belong to a served account.
      yield* scripted.say("/agent test")
      yield* known("ann", "Agent: test")
      yield* scripted.say("two")
      yield* known("ann", "heard: two")
    }).pipe(Effect.scoped)
  )
})

describe("a clock", () => {
  it.effect("that is set back by an hour delays nothing", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1e12)
      const { say, seen: known, fail } = yield* (yield* bridgeOf(echo))()
      yield* say("one")
      yield* known("ann", "heard: one")
      yield* TestClock.setTime(1e12 - 3_600_000)
      fail("send", { _tag: "Unreachable" }, 3)
      yield* say("two")
      yield* known("ann", "heard: two")
    }).pipe(Effect.scoped)
  )
})

describe("ids", () => {
  const odd = ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf"]

  it.live(
    "with names of inherited properties work for people and chats, and name no agents, directories or sessions",
    () =>
      Effect.gen(function* () {
        const groups = Object.fromEntries(["__proto__", "constructor"].map((id) => [id, { mention: false }]))
        const access = { owners: ["ann"], users: odd, groups }
        const { say, shown: visible, ours } = yield* (yield* bridgeOf(echo, { access }))()
        for (const id of odd) {
          yield* say(`I am ${id}`, { from: id })
          yield* visible(id, `heard: I am ${id}`)
        }
        yield* say("in a group", { chat: "constructor" })
        yield* visible("constructor", "heard: ann: in a group")
        yield* say("in none", { chat: "isPrototypeOf", addressed: true })
        for (const command of ["agent", "dir", "mode", "planmode", "resume", "export"]) {
          yield* say(`/${command} __proto__`)
          yield* say(`/${command} constructor`)
        }
        for (const command of ["__proto__", "constructor", "toString"]) yield* say(`/${command} hello`)
        yield* say("well?")
        yield* visible("ann", "heard: well?")
        assert.deepStrictEqual(ours("isPrototypeOf"), [])
        assert.lengthOf(
          ours("ann").filter(({ text }) => text.startsWith("heard")),
          1
        )
      }).pipe(Effect.scoped)
  )

  it.effect("of two chats never give one account of the ledger", () =>
    Effect.sync(() => {
      const one = { channel: "a", accountId: "b/c", chatId: "d" }
      const others = [
        { channel: "a", accountId: "b", chatId: "c/d" },
        { channel: "a/b", accountId: "c", chatId: "d" },
        { channel: "a", accountId: "b%2Fc", chatId: "d" }
      ]
      for (const other of others) assert.notStrictEqual(accountOf(other).user, accountOf(one).user)
      assert.strictEqual(accountOf({ channel: "t", accountId: "bot", chatId: "-1" }).user, "t/bot/-1")
    })
  )

  it.live("of any form are answered or refused by handle", () =>
    Effect.gen(function* () {
      const { handle } = yield* over(yield* openIn(Store.layerMemory()))
      for (const id of [
        ...odd,
        "a/b",
        '["x"]',
        "'; drop table inbox; --",
        "..",
        "\ud800",
        "",
        "a\0b",
        "x".repeat(10_000)
      ]) {
        const message: ChannelMessage = {
          conversation: { channel: id, accountId: id, chatId: id, threadId: id },
          ...{ updateId: id, chat: "direct", sentAt: Number.NaN, sender: { id, isBot: false }, text: "hi" },
          ...{ attachments: [], addressed: true }
        }
        const { payloads, run } = yield* handle(message)
        const reported = run.outcome === "completed" ? "heard: hi" : "The agent cannot be asked"
        assert.include(payloads[0]?.text, reported, JSON.stringify(id).slice(0, 40))
      }
    }).pipe(Effect.scoped)
  )
})
