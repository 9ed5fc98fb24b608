/** Messages are heard once, whatever becomes of the connection: also behind a restart, and without a session. */
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber } from "effect"
import type { Heard } from "../../../src/bridge/messages/Channel.ts"
import { ann, bot, connected, listenTo, overheard, room, start, textOf } from "./kit.ts"

const textsOf = (received: ReadonlyArray<Heard>) => received.map(textOf)
const lastMark = (received: ReadonlyArray<Heard>) => received.at(-1)?.mark
const gone = (discord: {
  readonly until: <A>(look: () => A | undefined) => Promise<A>
  readonly listeners: () => number
}) => Effect.promise(() => discord.until(() => discord.listeners() === 0 || undefined))

describe("a connection of Discord", () => {
  it.live("that ends is resumed: nothing is missed, nothing comes twice, and one session is enough", () =>
    Effect.gen(function* () {
      const { discord, channel } = yield* start()
      const { received, until } = yield* listenTo(discord, channel)
      const ends = [
        () => discord.gateway.reconnect(),
        () => discord.gateway.cut(),
        () => discord.gateway.cut(4_000),
        () => discord.gateway.cut(1_001)
      ]
      for (const [at, end] of ends.entries()) {
        yield* connected(discord)
        discord.say(`before ${at}`)
        yield* until(2 * at + 1)
        end()
        yield* gone(discord)
        discord.say(`meanwhile ${at}`)
        yield* until(2 * at + 2)
      }
      assert.deepStrictEqual(
        textsOf(received),
        ends.flatMap((_, at) => [`before ${at}`, `meanwhile ${at}`])
      )
      assert.strictEqual(discord.gateway.identifies(), 1)
    }).pipe(Effect.scoped)
  )

  it.live("that is dead is left, and its session is resumed", () =>
    Effect.gen(function* () {
      const { discord, channel } = yield* start({ heartbeatMs: 150 })
      const { received, until } = yield* listenTo(discord, channel)
      yield* connected(discord)
      discord.gateway.askHeartbeat()
      discord.gateway.freeze()
      discord.say("unheard")
      yield* until(1)
      assert.deepStrictEqual(textsOf(received), ["unheard"])
      assert.strictEqual(discord.gateway.identifies(), 1)
      assert.isEmpty(discord.violations())
    }).pipe(Effect.scoped)
  )

  it.live(
    "whose session is over reads what was missed from history, in all chats, each once",
    () =>
      Effect.gen(function* () {
        const { discord, channel } = yield* start({}, { groups: { [room]: {} } })
        const { received, until } = yield* listenTo(discord, channel)
        yield* connected(discord)
        discord.say("direct")
        const { messageId } = discord.say(`<@${bot}> in a room`, { channel: room })
        const thread = discord.thread({ channel: room, messageId })
        discord.say("in a thread", { channel: thread })
        yield* until(3)
        discord.gateway.cut()
        yield* gone(discord)
        discord.gateway.forget()
        discord.say("direct, missed")
        discord.say(`<@${bot}> in a room, missed`, {
          channel: room,
          from: { id: ann, name: "Ann", roles: ["7".repeat(18)] }
        })
        discord.say("in a thread, missed", { channel: thread, from: { id: ann, name: "Ann", roles: ["7".repeat(18)] } })
        yield* connected(discord)
        yield* until(6)
        discord.say("afterwards")
        yield* until(7)
        assert.deepStrictEqual(textsOf(received), [
          "direct",
          "in a room",
          "in a thread",
          "direct, missed",
          "in a room, missed",
          "in a thread, missed",
          "afterwards"
        ])
        const missed = received[4]?.incoming
        assert.deepStrictEqual(missed?._tag === "Message" && missed.message.sender.ids, [`role:${"7".repeat(18)}`])
        const inThread = received[5]?.incoming
        assert.isTrue(inThread?._tag === "Message" && inThread.message.addressed)
      }).pipe(Effect.scoped),
    30_000
  )

  it.live("is refused for good with the reason: the intent is off, the token is reset", () =>
    Effect.gen(function* () {
      const { discord, channel } = yield* start({ content: false })
      const { fiber } = yield* listenTo(discord, channel)
      const exit = yield* Fiber.await(fiber)
      const problem = Exit.isFailure(exit) ? Cause.pretty(exit.cause) : ""
      assert.include(problem, "message content intent")

      const other = yield* start()
      const listening = yield* listenTo(other.discord, other.channel)
      yield* connected(other.discord)
      other.discord.revoke()
      const ended = yield* Fiber.await(listening.fiber)
      assert.include(Exit.isFailure(ended) ? Cause.pretty(ended.cause) : "", "refuses the token")
    }).pipe(Effect.scoped)
  )

  it.live("without the content intent hears what is meant for it", () =>
    Effect.gen(function* () {
      const { discord, channel } = yield* start({ content: false }, { content: false })
      const { received, until } = yield* listenTo(discord, channel)
      yield* connected(discord)
      discord.say("among people", { channel: room })
      discord.say(`<@${bot}> hello`, { channel: room })
      discord.say("direct")
      yield* until(2)
      assert.deepStrictEqual(textsOf(received), ["hello", "direct"])
    }).pipe(Effect.scoped)
  )
})

describe("a host that was killed", () => {
  it.live("resumes by its mark what it has not taken in, presses too, without another session", () =>
    Effect.gen(function* () {
      const { discord, channel } = yield* start()
      const first = yield* listenTo(discord, channel, undefined, (text) => text !== "lost")
      yield* connected(discord)
      discord.say("taken")
      discord.say("lost")
      yield* first.until(2)
      yield* first.stop
      const [piece] = channel.render({ text: "May I?", buttons: [[{ label: "Yes", data: "y" }]] })
      if (piece === undefined) return assert.fail("no piece")
      const to = { channel: "discord", accountId: bot, chatId: discord.direct() }
      const { messageId } = yield* channel.send(to, piece, "q")
      discord.press({ channel: to.chatId, messageId }, "Yes")
      discord.say("meanwhile")
      const again = yield* listenTo(discord, channel, first.received[0]?.mark)
      yield* again.until(3)
      assert.deepStrictEqual(textsOf(again.received), ["lost", "Pressed", "meanwhile"])
      const pressed = again.received[1]?.incoming
      if (pressed?._tag !== "Pressed") return assert.fail("no press")
      yield* channel.acknowledge(pressed, "Gladly")
      yield* channel.acknowledge(pressed, "Gladly")
      assert.lengthOf(discord.acknowledgements(), 1)
      yield* again.stop
      const third = yield* listenTo(discord, channel, again.received[0]?.mark)
      yield* third.until(2)
      assert.deepStrictEqual(textsOf(third.received), ["Pressed", "meanwhile"])
      assert.strictEqual(discord.gateway.identifies(), 1)
    }).pipe(Effect.scoped)
  )

  it.live(
    "reads history behind its mark where its session is over, also when it is killed while it reads",
    () =>
      Effect.gen(function* () {
        const { discord, channel } = yield* start()
        const first = yield* listenTo(discord, channel)
        yield* connected(discord)
        discord.say("before")
        yield* first.until(1)
        yield* first.stop
        discord.gateway.forget()
        for (const text of ["one", "two", "three"]) discord.say(text)
        discord.advance(6_000)
        const second = yield* listenTo(discord, channel, lastMark(first.received))
        yield* second.until(3)
        assert.deepStrictEqual(textsOf(second.received), ["one", "two", "three"])
        yield* second.stop
        // Killed behind the first of them: the new session cannot give the others.
        discord.advance(6_000)
        const third = yield* listenTo(discord, channel, second.received[0]?.mark)
        yield* third.until(2)
        assert.deepStrictEqual(textsOf(third.received), ["two", "three"])
        assert.isEmpty(discord.violations())
      }).pipe(Effect.scoped),
    30_000
  )
})

describe("a server of Discord", () => {
  it.live("has only its listed channels heard; a mention in another is in the log, once", () => {
    const lines: Array<string> = []
    return Effect.gen(function* () {
      const { discord, channel } = yield* start({}, { groups: { [room]: { mention: false } } })
      discord.open("400000000000000002")
      const { received, until } = yield* listenTo(discord, channel)
      yield* connected(discord)
      for (const text of ["a", "b"]) discord.say(`<@${bot}> ${text}`, { channel: "400000000000000002" })
      discord.say("here", { channel: room })
      yield* until(1)
      assert.deepStrictEqual(textsOf(received), ["here"])
      assert.lengthOf(
        lines.filter((line) => line.includes("400000000000000002")),
        1
      )
    }).pipe(Effect.scoped, Effect.provide(overheard(lines)))
  })

  it.live("has threads followed in which the bot was mentioned, also behind a restart", () =>
    Effect.gen(function* () {
      const { discord, channel } = yield* start()
      discord.open(room)
      const first = yield* listenTo(discord, channel)
      yield* connected(discord)
      const thread = discord.thread({ channel: room })
      discord.say("not yet", { channel: thread })
      discord.say(`<@${bot}> come`, { channel: thread })
      discord.say("and now", { channel: thread })
      yield* first.until(3)
      yield* first.stop
      const second = yield* listenTo(discord, channel, lastMark(first.received))
      yield* connected(discord)
      discord.say("further", { channel: thread })
      yield* second.until(1)
      const addressed = [...first.received, ...second.received].map(({ incoming }) =>
        incoming._tag === "Message" ? [incoming.message.text, incoming.message.addressed] : []
      )
      assert.deepStrictEqual(addressed, [
        ["not yet", false],
        ["come", true],
        ["and now", true],
        ["further", true]
      ])
    }).pipe(Effect.scoped)
  )

  it.live("tells when the bot is removed, or a thread is deleted; commands are answered at once", () =>
    Effect.gen(function* () {
      const { discord, channel } = yield* start()
      discord.open(room)
      const { received, until } = yield* listenTo(discord, channel)
      yield* connected(discord)
      const thread = discord.thread({ channel: room })
      discord.command("agent", { text: "claude" })
      yield* until(1)
      yield* Effect.promise(() => discord.until(() => discord.acknowledgements().length === 1 || undefined))
      discord.close(thread)
      discord.removed()
      yield* until(3)
      assert.deepStrictEqual(textsOf(received), ["/agent claude", "Left", "Left"])
      assert.deepInclude(discord.acknowledgements()[0], { text: "/agent claude", isEphemeral: true })
      const places = received
        .slice(1)
        .map(({ incoming }) =>
          incoming._tag === "Left" ? [incoming.conversation.chatId, incoming.conversation.threadId] : []
        )
      assert.deepStrictEqual(places, [
        [room, thread],
        [room, undefined]
      ])
    }).pipe(Effect.scoped)
  )
})

describe("a gateway that says anything", () => {
  const wrong: ReadonlyArray<readonly [string, unknown]> = [
    ["MESSAGE_CREATE", null],
    ["MESSAGE_CREATE", { id: "x", channel_id: 5 }],
    ["MESSAGE_CREATE", { id: "1", channel_id: "2", author: { id: ann }, content: 7 }],
    [
      "MESSAGE_CREATE",
      { id: "9".repeat(20), channel_id: "9".repeat(20), author: { id: ann }, content: "x", timestamp: "?" }
    ],
    ["MESSAGE_UPDATE", []],
    ["MESSAGE_DELETE", { id: {}, channel_id: "2" }],
    ["INTERACTION_CREATE", { id: "1", token: "t", type: 3, channel_id: "2", data: { custom_id: 1 } }],
    [
      "INTERACTION_CREATE",
      { id: "1", token: "../../x", type: 3, channel_id: "2", user: { id: ann }, data: { custom_id: "d" } }
    ],
    ["GUILD_CREATE", { id: "3", channels: [null, 5, { id: "4" }] }],
    ["THREAD_CREATE", "text"],
    ["__proto__", {}],
    ["READY", { session_id: 5 }],
    ["x".repeat(100_000), { deep: "y".repeat(100_000) }]
  ]

  it.live("ends nothing, and what can be read is heard", () =>
    Effect.gen(function* () {
      const { discord, channel } = yield* start()
      const { received, until } = yield* listenTo(discord, channel)
      yield* connected(discord)
      for (const [t, d] of wrong) discord.hear(t, d)
      discord.say("still there")
      yield* until(3)
      assert.deepStrictEqual(textsOf(received), ["x", "Pressed", "still there"])
      for (const { incoming } of received) if (incoming._tag === "Pressed") yield* channel.acknowledge(incoming)
      assert.strictEqual(discord.listeners(), 1)
    }).pipe(Effect.scoped)
  )

  it.live(
    "that says at once that its sessions are over is not asked again and again",
    () =>
      Effect.gen(function* () {
        const { discord, channel } = yield* start()
        const { until } = yield* listenTo(discord, channel)
        yield* connected(discord)
        discord.say("before")
        yield* until(1)
        discord.gateway.invalidate()
        discord.say("here")
        yield* until(2)
        assert.strictEqual(discord.gateway.identifies(), 2)
        assert.isEmpty(discord.violations())
      }).pipe(Effect.scoped),
    30_000
  )
})
