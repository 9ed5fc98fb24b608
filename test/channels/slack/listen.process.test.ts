/** Slack's sockets and histories: no message is lost or heard twice, whatever becomes of them. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Option, type Scope, Stream } from "effect"
import type { Heard } from "../../../src/bridge/messages/Channel.ts"
import type { ChannelError } from "../../../src/bridge/messages/SendError.ts"
import { makeClient } from "../../../src/channels/slack/calls/client.ts"
import { listen } from "../../../src/channels/slack/incoming/listen.ts"
import { listenTo, textOf, untilTrue } from "../telegram/kit.ts"
import { channelOf, direct, start } from "./kit.ts"

const messageOf = ({ incoming }: Heard) => (incoming._tag === "Message" ? incoming.message : undefined)

const live = (name: string, test: () => Effect.Effect<void, unknown, Scope.Scope>) =>
  it.live(name, () => Effect.scoped(test()))

describe("messages of Slack", () => {
  live("end with a fault of the listener itself: it is not deaf without a word", () =>
    Effect.gen(function* () {
      const { slack } = yield* start()
      const { appToken, token: botToken, url: apiRoot } = slack
      const parts = {
        client: makeClient({ botToken, appToken, apiRoot, onRefused: () => Effect.void }),
        accountId: "A0TESTAPP",
        groups: [],
        isListed: () => true,
        me: Effect.die("a bug"),
        ended: yield* Deferred.make<never, ChannelError>(),
        onSocket: () => {},
        verify: Effect.void
      }
      const exit = yield* Effect.exit(Stream.runDrain(listen(parts, undefined)))
      assert.isTrue(Exit.hasDies(exit))
    })
  )

  live("written while no one listened are heard once, from histories, with new chats and threads", () =>
    Effect.gen(function* () {
      const { slack, channel } = yield* start()
      const before = yield* Effect.scoped(
        Effect.gen(function* () {
          const { heard: updates, until } = yield* listenTo(channel)
          yield* untilTrue(() => slack.listeners() === 1)
          slack.say("direct")
          slack.say("@reins in a channel", { chat: "C1" })
          yield* until(2)
          yield* untilTrue(() => slack.pending().length === 0)
          return updates
        })
      )
      yield* untilTrue(() => slack.listeners() === 0)
      const root = messageOf(before[1] ?? assert.fail("nothing was heard"))?.messageId ?? ""
      slack.say("direct, missed")
      slack.say("in the thread, missed", { chat: "C1", thread: root })
      const other = slack.say("@reins another thread, missed", { chat: "C1" })
      slack.say("below it, missed", { chat: "C1", thread: other.messageId })
      slack.say("a new chat, missed", { from: { id: "U1002", name: "Ben" } })
      const updates: Array<Heard> = []
      const again = yield* channelOf(slack)
      yield* Effect.forkScoped(
        Stream.runForEach(again.incoming(before.at(-1)?.mark), (each) => {
          updates.push(each)
          return each.confirm
        })
      )
      yield* untilTrue(() => updates.length >= 5)
      // Slack gives what was not acknowledged again.
      slack.advance(60_000)
      slack.say("now")
      yield* untilTrue(() => updates.some((each) => textOf(each) === "now"))
      yield* untilTrue(() => slack.pending().length === 0)
      assert.sameMembers(updates.map(textOf), [
        "direct, missed",
        "in the thread, missed",
        "another thread, missed",
        "below it, missed",
        "a new chat, missed",
        "now"
      ])
      const of = (text: string) => messageOf(updates.find((each) => textOf(each) === text) ?? assert.fail(text))
      assert.isTrue(of("in the thread, missed")?.addressed)
      assert.strictEqual(of("below it, missed")?.conversation.threadId, other.messageId)
    })
  )

  live("written first in a direct chat, long ago, are heard, also after a host that ended while it read others", () =>
    Effect.gen(function* () {
      const { slack, channel } = yield* start({ now: () => Date.now() - 600_000 })
      const known = yield* Effect.scoped(
        Effect.gen(function* () {
          const { heard: updates, until } = yield* listenTo(channel)
          yield* untilTrue(() => slack.listeners() === 1)
          slack.say("known")
          yield* until(1)
          return updates[0]?.mark
        })
      )
      const take = (mark: string | undefined) =>
        Effect.flatMap(channelOf(slack, { groups: { C1: {} } }), (each) =>
          Effect.map(Stream.runHead(each.incoming(mark)), Option.getOrThrow)
        )
      yield* untilTrue(() => slack.listeners() === 0)
      slack.say("a new chat", { from: { id: "U1002", name: "Ben" } })
      slack.say("@reins in a listed channel", { chat: "C1" })
      slack.say("@reins in another one", { chat: "C2" })
      slack.advance(300_000)
      slack.say("known, too")
      slack.advance(300_000)
      const first = yield* take(known)
      const second = yield* take(first.mark)
      const third = yield* take(second.mark)
      assert.deepStrictEqual([first, second, third].map(textOf), ["known, too", "a new chat", "in a listed channel"])
    })
  )

  live("written during a refresh are heard once, and there is a socket at every time", () =>
    Effect.gen(function* () {
      const { slack, channel } = yield* start()
      const { heard: updates, until } = yield* listenTo(channel)
      yield* untilTrue(() => slack.listeners() === 1)
      const [first] = slack.sockets()
      slack.say("one")
      slack.disconnect("refresh_requested")
      slack.say("two")
      yield* untilTrue(() => slack.listeners() === 2)
      slack.say("three")
      yield* untilTrue(() => slack.listeners() === 1 && first?.isOpen() === false)
      slack.say("four")
      slack.advance(60_000)
      yield* until(4)
      yield* untilTrue(() => slack.pending().length === 0)
      assert.sameMembers(updates.map(textOf), ["one", "two", "three", "four"])
    })
  )

  live("are heard after a socket was cut, and after the address was away", () =>
    Effect.gen(function* () {
      const { slack, channel } = yield* start()
      const { heard: updates, until } = yield* listenTo(channel)
      yield* untilTrue(() => slack.listeners() === 1)
      slack.say("one")
      yield* until(1)
      for (const socket of slack.sockets()) socket.cut()
      slack.say("two")
      yield* until(2)
      yield* Effect.promise(slack.down)
      slack.say("three")
      yield* Effect.promise(slack.up)
      yield* until(3)
      assert.deepStrictEqual(updates.map(textOf), ["one", "two", "three"])
    })
  )

  live("in a channel that is not listed cost no calls, however much strangers write there", () =>
    Effect.gen(function* () {
      const { slack, channel } = yield* start({}, { groups: { C1: {} } })
      const { heard: updates, until } = yield* listenTo(channel)
      yield* untilTrue(() => slack.listeners() === 1)
      for (const chat of ["C1", "C2"]) {
        const root = slack.say("unrelated", { chat })
        slack.say("below it", { chat, thread: root.messageId })
      }
      yield* until(4)
      assert.strictEqual(updates.length, 4)
      const looks = slack.calls().filter(({ method }) => method === "conversations.replies")
      assert.deepStrictEqual(
        looks.map(({ params }) => params["channel"]),
        ["C1"]
      )
    })
  )

  live("come twice as an event and as a mention, and are one; what follows in the thread is for the bot", () =>
    Effect.gen(function* () {
      const { slack, channel } = yield* start()
      const { heard: updates, until } = yield* listenTo(channel)
      yield* untilTrue(() => slack.listeners() === 1)
      const root = slack.say("@reins fix it", { chat: "C1" })
      slack.say("and this", { chat: "C1", thread: root.messageId })
      slack.say("@Ann look", { chat: "C1", thread: root.messageId })
      const other = slack.say("unrelated", { chat: "C1" })
      slack.say("below it", { chat: "C1", thread: other.messageId })
      yield* until(5)
      yield* untilTrue(() => slack.pending().length === 0)
      assert.deepStrictEqual(
        updates.map(messageOf).map((each) => [each?.text, each?.addressed, each?.conversation.threadId]),
        [
          ["fix it", true, root.messageId],
          ["and this", true, root.messageId],
          ["@U1001 look", false, root.messageId],
          ["unrelated", false, other.messageId],
          ["below it", false, other.messageId]
        ]
      )
    })
  )

  live("that are commands and presses are confirmed at once", () =>
    Effect.gen(function* () {
      const { slack, channel } = yield* start()
      const received: Array<Heard> = []
      yield* Effect.forkScoped(
        Stream.runForEach(channel.incoming(undefined), (each) => Effect.sync(() => received.push(each)))
      )
      yield* untilTrue(() => slack.listeners() === 1)
      for (const piece of channel.render({ text: "May I?", buttons: [[{ label: "Yes", data: "y" }]] }))
        yield* channel.send({ channel: "slack", accountId: "A0TESTAPP", chatId: direct }, piece, "k")
      // The event of the bot's own message.
      yield* untilTrue(() => slack.confirmed() === 1)
      slack.command("/reins status")
      slack.command("/reins please look")
      const [question] = slack.chat(direct)
      slack.press(question ?? assert.fail("no question"), "Yes")
      yield* untilTrue(() => received.length === 3)
      yield* untilTrue(() => slack.confirmed() === 4)
      assert.deepStrictEqual(received.map(textOf), ["/status", "please look", "Pressed"])
      assert.deepStrictEqual(slack.violations(), [])
    })
  )
})

describe("the channel ends", () => {
  const ended = (
    what: string,
    happen: (slack: Effect.Success<ReturnType<typeof start>>["slack"]) => void,
    words: string
  ) =>
    live(what, () =>
      Effect.gen(function* () {
        const { slack, channel } = yield* start()
        const running = yield* Effect.forkScoped(Effect.flip(Stream.runDrain(channel.incoming(undefined))))
        yield* untilTrue(() => slack.listeners() === 1)
        happen(slack)
        assert.include((yield* Fiber.join(running)).message, words)
        yield* untilTrue(() => slack.listeners() === 0)
      })
    )
  ended("when Socket Mode is turned off", (slack) => slack.socketMode(false), "opens no socket")
  ended("when the bot's token is revoked", (slack) => slack.revoke(), "refuses the bot's token")
  ended("when the app is uninstalled", (slack) => slack.uninstall(), "uninstalled")

  live("before it begins, when the token is refused", () =>
    Effect.gen(function* () {
      const { slack } = yield* start()
      const exit = yield* Effect.exit(channelOf(slack, { botToken: "xoxb-another-token-of-nobody" }))
      assert.isTrue(Exit.isFailure(exit))
      const app = yield* channelOf(slack, { appToken: "xapp-1-A0TESTAPP-another-token" })
      const failure = yield* Effect.flip(Stream.runDrain(app.incoming(undefined)))
      assert.include(failure.message, "refuses the app-level token")
    })
  )
})
