/** What people write in a workspace reaches the bridge once, whatever happens to sockets and hosts. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Queue, Stream } from "effect"
import type { Heard } from "../../../src/bridge/messages/Channel.ts"
import type { ChannelError } from "../../../src/bridge/messages/SendError.ts"
import { makeClient } from "../../../src/channels/slack/calls/client.ts"
import { listen } from "../../../src/channels/slack/incoming/listen.ts"
import { SlackServer } from "../../../src/testing/Scoped.ts"
import type { SlackServer as Server } from "../../../src/testing/SlackServer.ts"

const wordOf = ({ incoming }: Heard) =>
  incoming._tag === "Message" ? incoming.message.text : `${incoming._tag} ${"text" in incoming ? incoming.text : ""}`

const until = <A>(slack: Server, look: () => A | undefined) => Effect.promise(() => slack.until(look))

const streamOf = (slack: Server, mark?: string, onHello: (count: number | undefined) => void = () => {}) =>
  Effect.map(Deferred.make<never, ChannelError>(), (ended) =>
    listen(
      {
        client: makeClient({ botToken: slack.token, appToken: slack.appToken, apiRoot: slack.url }, () => Effect.void),
        accountId: slack.me.appId,
        groups: new Map([["C0ROOM", { mention: true }]]),
        me: Effect.succeed({ userId: slack.me.id, teamId: slack.team.id }),
        ended,
        onHello
      },
      mark
    )
  )

/** One life of a host: what it hears, confirmed. */
const life = Effect.fnUntraced(function* (slack: Server, mark?: string, isConfirming = true) {
  const heard: Array<Heard> = []
  const news = yield* Queue.unbounded<void>()
  const stream = yield* streamOf(slack, mark)
  const fiber = yield* Effect.forkScoped(
    Stream.runForEach(stream, (each) => {
      heard.push(each)
      return Effect.andThen(isConfirming ? each.confirm : Effect.void, Queue.offer(news, undefined))
    })
  )
  yield* until(slack, () => slack.listeners() > 0 || undefined)
  const count = (most: number) =>
    Effect.gen(function* () {
      while (heard.length < most) yield* Queue.take(news)
    })
  return {
    heard,
    fiber,
    words: () => heard.map(wordOf),
    count,
    mark: () => heard.at(-1)?.mark,
    end: Effect.andThen(
      Fiber.interrupt(fiber),
      until(slack, () => slack.listeners() === 0 || undefined)
    )
  }
})

describe("what is written in a workspace", () => {
  it.live("is heard once: direct, a mention, what follows in its thread, presses, commands, changes", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const slack = yield* SlackServer.make()
        slack.open("C0ROOM")
        const host = yield* life(slack)
        slack.say("one")
        yield* host.count(1)
        const root = slack.say("@reins two", { chat: "C0ROOM" })
        slack.say("three", { chat: "C0ROOM", thread: root.messageId })
        slack.say("@Bob four", { chat: "C0ROOM", thread: root.messageId, from: { id: "U2002", name: "Bob" } })
        slack.say("five", { chat: "C0ROOM" })
        yield* host.count(5)
        slack.command("/reins status")
        const changed = slack.say("six")
        yield* host.count(7)
        slack.preview(changed, "https://a.example")
        slack.edit(changed, "six, changed")
        slack.withdraw(changed)
        yield* host.count(9)
        assert.deepStrictEqual(host.words().slice(0, 3), ["one", "two", "three"])
        assert.deepStrictEqual(host.words().slice(4), ["five", "/status", "six", "Edited six, changed", "Edited "])
        const messages = host.heard.flatMap(({ incoming }) => (incoming._tag === "Message" ? [incoming.message] : []))
        assert.deepStrictEqual(
          messages.map(({ addressed }) => addressed),
          [true, true, true, false, false, true, true]
        )
        const [, two, three] = messages
        assert.strictEqual(two?.conversation.threadId, root.messageId)
        assert.deepStrictEqual(three?.conversation, two?.conversation)
        yield* until(slack, () => slack.pending().length === 0 || undefined)
        assert.deepStrictEqual(slack.violations(), [])
      })
    )
  )

  it.live("while Slack changes the socket is neither lost nor doubled", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const slack = yield* SlackServer.make()
        const host = yield* life(slack)
        slack.say("one")
        yield* host.count(1)
        slack.disconnect("warning")
        slack.say("two")
        slack.disconnect("refresh_requested")
        slack.say("three")
        yield* until(
          slack,
          () => slack.calls().filter(({ method }) => method === "apps.connections.open").length > 1 || undefined
        )
        slack.say("four")
        yield* host.count(4)
        slack.say("five")
        yield* host.count(5)
        assert.deepStrictEqual(host.words(), ["one", "two", "three", "four", "five"])
      })
    )
  )

  it.live("while the connection is cut is read from history, once, threads too", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const slack = yield* SlackServer.make()
        slack.open("C0ROOM")
        const host = yield* life(slack)
        slack.say("one")
        const root = slack.say("@reins two", { chat: "C0ROOM" })
        yield* host.count(2)
        yield* Effect.promise(() => slack.down())
        slack.say("three")
        slack.say("four", { chat: "C0ROOM", thread: root.messageId })
        slack.say("five", { from: { id: "U2002", name: "Bob" } })
        yield* Effect.promise(() => slack.up())
        yield* host.count(5)
        slack.say("six")
        yield* host.count(6)
        assert.deepStrictEqual([...host.words()].sort(), ["five", "four", "one", "six", "three", "two"])
      })
    )
  )

  it.live("while no host runs is heard by the next, once; what was not confirmed, again", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const slack = yield* SlackServer.make()
        const first = yield* life(slack)
        slack.say("one")
        yield* first.count(1)
        yield* first.end
        slack.say("two")
        const second = yield* life(slack, first.mark(), false)
        yield* second.count(1)
        assert.deepStrictEqual(second.words(), ["two"])
        yield* second.end
        const third = yield* life(slack, first.mark())
        slack.say("three")
        yield* third.count(2)
        assert.deepStrictEqual(third.words(), ["two", "three"])
        yield* third.end
        const fourth = yield* life(slack, third.mark())
        slack.say("four")
        yield* fourth.count(1)
        assert.deepStrictEqual(fourth.words(), ["four"])
      })
    )
  )

  it.live("by a press is acknowledged before anybody has read it", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const slack = yield* SlackServer.make()
        const stream = yield* streamOf(slack)
        const taken = yield* Deferred.make<void>()
        yield* Effect.forkScoped(
          Stream.runForEach(stream, () => Effect.andThen(Deferred.succeed(taken, undefined), Effect.never))
        )
        yield* until(slack, () => slack.listeners() > 0 || undefined)
        slack.say("one")
        yield* Deferred.await(taken)
        slack.command("/reins status")
        yield* until(slack, () => slack.acknowledgements().length === 1 || undefined)
      })
    )
  )

  it.live.each<[string, RegExp, (slack: Server) => void]>([
    ["Socket Mode is turned off", /Socket Mode of the app is off/, (slack) => slack.disconnect("link_disabled")],
    ["the app is removed", /the app was removed from the workspace/, (slack) => slack.uninstall()]
  ])("ends where %s", ([, problem, happen]) =>
    Effect.scoped(
      Effect.gen(function* () {
        const slack = yield* SlackServer.make()
        const host = yield* life(slack)
        happen(slack)
        const failure = yield* Effect.flip(Fiber.join(host.fiber))
        assert.match(failure.problem, problem)
      })
    )
  )

  it.live("is not waited for at an address that sends nonsense, or nothing", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const slack = yield* SlackServer.make()
        const host = yield* life(slack)
        for (const socket of slack.sockets()) {
          socket.send("{")
          socket.send('{"type":"events_api"}')
          socket.send(JSON.stringify({ envelope_id: "x", type: "events_api", payload: { event: { type: 5 } } }))
          socket.send(JSON.stringify({ envelope_id: "y", type: "interactive", payload: null }))
        }
        slack.say("one")
        yield* host.count(1)
        assert.deepStrictEqual(host.words(), ["one"])
      })
    )
  )
})
