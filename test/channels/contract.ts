/**
 * The bridge's requirements for every channel, whatever it lacks: order, truth about what was sent, changes that can be repeated,
 * acknowledgements without waiting, nothing lost before it was confirmed, nothing left behind a closed scope.
 */
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, type Scope, Stream } from "effect"
import type { Channel, Heard } from "../../src/bridge/messages/Channel.ts"
import type { Conversation } from "../../src/bridge/messages/Conversation.ts"
import type { Piece } from "../../src/bridge/messages/ReplyPayload.ts"
import type { SendReason } from "../../src/bridge/messages/SendError.ts"
import type { ScriptedChannel } from "../../src/testingEffect.ts"

/** A channel, and the other side of it: what people do there, see there, and what goes wrong. */
export interface Stage
  extends Pick<
    ScriptedChannel,
    "say" | "press" | "edit" | "withdraw" | "chat" | "fail" | "acknowledgements" | "listeners" | "until" | "calls"
  > {
  readonly channel: Channel
  /** The id of the chat in which the test takes place. Default: `ann`. */
  readonly place?: string
  /** The id of a person. Default: `ann`. */
  readonly person?: string
  /**
   * A piece that is sent twice with the same key is there once, or twice, of which `find` gives the first. Default: not
   * tested.
   */
  readonly sameKey?: "once" | "twice"
  /** False for a channel that cannot look, and whose `find` leaves its receipts time: it fails with `Unknown`. */
  readonly hasHistory?: boolean
  /** The service reports a message as edited whose text is as before, such as for the preview of a link. */
  readonly preview?: (messageId: string) => Effect.Effect<void>
  /** The service delivers a message once more, in another way: by another connection, or by its history. */
  readonly repeat?: (messageId: string) => Effect.Effect<void>
  /** From now on the service knows none of the presses that were made: they are too old, or answered. */
  readonly endPresses?: Effect.Effect<void>
  /** Whether the service would notify anybody whom the text of the piece names. */
  readonly notifies?: (piece: Piece) => boolean
  /** A person writes in one of many chats, by its number; returns the id of the message. */
  readonly sayIn?: (chat: number, text: string) => Effect.Effect<string>
}

/** States that the other side of a channel cannot be moved to. */
export interface Unmoved {
  /** No network between it and its people could fail. */
  readonly faults?: boolean
  /** People cannot change what they wrote. */
  readonly changes?: boolean
  /** The bot is not told what people take back. */
  readonly withdrawals?: boolean
}

const reasons: ReadonlyArray<SendReason> = [
  { _tag: "TooFast", retryAfterMs: 5_000, scope: "chat" },
  { _tag: "Unreachable" },
  { _tag: "Unknown" },
  { _tag: "Closed" },
  { _tag: "Refused", description: "no such thing" },
  { _tag: "Gone", what: "thread" }
]

const placeOf = ({ place = "ann" }: Stage) => place

const textsOf = (stage: Stage) =>
  stage
    .chat(placeOf(stage))
    .filter(({ isOurs }) => isOurs)
    .map(({ text }) => text)

const tagOf = <A>(exit: Exit.Exit<A, { readonly reason: SendReason }>) => {
  if (Exit.isSuccess(exit)) return "done"
  const failure = exit.cause.reasons.find((reason) => reason._tag === "Fail")
  return failure === undefined ? "died" : failure.error.reason._tag
}

/** Names of everybody, of a chat, of groups and of people, as services write and show them. */
const notifying = [
  "@everyone @here @channel @all",
  "<!everyone> <!here> <!channel> <!subteam^S012ABCDEF>",
  "<@U012ABCDEF> <#C012ABCDEF>",
  "<@102030405060708090> <@!102030405060708090> <@&203040506070809010>",
  "`@everyone` [@here](https://example.com) **<!channel>**",
  "```\n@everyone <!channel> <@U012ABCDEF>\n```"
]

const mostMarkBytes = 8_192

const wordOf = ({ incoming }: Heard) => (incoming._tag === "Message" ? incoming.message.text : incoming._tag)

export const channelContract = (
  name: string,
  open: Effect.Effect<Stage, never, Scope.Scope>,
  { faults: isReliable = false, changes: isFinal = false, withdrawals: isSilent = isFinal }: Unmoved = {}
) => {
  const skipped: Array<string> = []

  const on = (
    what: string,
    /** Succeeds with a reason, as a text, if it cannot be tested here. */
    test: (stage: Stage, to: Conversation) => Effect.Effect<unknown, unknown, Scope.Scope>,
    isPossible = true
  ) =>
    it(what, async (context) => {
      const skip = (reason: string) => {
        skipped.push(`${what}: ${reason}`)
        context.skip(reason)
      }
      if (!isPossible) return skip("its other side cannot be moved to that")
      const tested = Effect.flatMap(open, (stage) => {
        const { id: channel, accountId } = stage.channel
        return test(stage, { channel, accountId, chatId: placeOf(stage) })
      })
      const missing = await Effect.runPromise(Effect.scoped(tested), { signal: context.signal })
      if (typeof missing === "string") skip(missing)
    })

  const oneOf = ({ channel }: Stage, text: string): Piece => {
    const [piece, ...more] = channel.render({ text })
    if (piece === undefined || more.length > 0) throw new Error(`${text} is not one piece`)
    return piece
  }

  const take = ({ channel }: Stage, count: number, mark?: string) =>
    Stream.runCollect(Stream.take(channel.incoming(mark), count))

  const pressOf = Effect.fnUntraced(function* (stage: Stage, to: Conversation) {
    const { render, send } = stage.channel
    for (const piece of render({ text: "May I?", buttons: [[{ label: "Yes", data: "y" }]] }))
      yield* send(to, piece, "q")
    const [question] = stage.chat(placeOf(stage))
    yield* stage.press(question?.messageId ?? "", "Yes")
    const [received] = yield* take(stage, 1)
    return received?.incoming._tag === "Pressed" ? received.incoming : assert.fail("no press was heard")
  })

  describe(`the channel ${name}`, () => {
    // The reporter counts them only.
    afterAll(() => {
      if (skipped.length > 0) console.info(["Not tested:", ...skipped].join("\n  "))
    })

    on("sends in order, each message once, with an id of its own", (stage, to) =>
      Effect.gen(function* () {
        const texts = Array.from({ length: 20 }, (_, index) => `message ${index}`)
        const refs = yield* Effect.forEach(texts, (text) => stage.channel.send(to, oneOf(stage, text), text))
        assert.deepStrictEqual(textsOf(stage), texts)
        assert.strictEqual(new Set(refs.map(({ messageId }) => messageId)).size, texts.length)
        for (const { conversation } of refs) assert.deepStrictEqual(conversation, to)
      })
    )

    on("hears in order what people write, press, change and take back", (stage, to) =>
      Effect.gen(function* () {
        const { channel, say } = stage
        const request = channel.render({ text: "May I?", buttons: [[{ label: "Allow", data: "r:1:allow" }]] })
        for (const piece of request) yield* channel.send(to, piece, "key")
        const first = yield* say("one")
        yield* say("two")
        if (!isFinal) {
          yield* stage.edit(first, "one, changed")
        }
        if (!isSilent) {
          yield* stage.withdraw(first)
        }
        const button = stage.chat(placeOf(stage)).find(({ buttons }) => buttons.includes("Allow"))
        assert.strictEqual(button !== undefined, channel.limits.buttons.most > 0)
        if (button !== undefined) yield* stage.press(button.messageId, "Allow")
        const count = 2 + (isFinal ? 0 : 1) + (isSilent ? 0 : 1) + (button === undefined ? 0 : 1)
        const received = (yield* take(stage, count)).map(({ incoming }) => incoming)
        const [one, two, changed, taken] = received
        const pressed = received.at(-1)
        assert.deepStrictEqual(one?._tag === "Message" && [one.message.text, one.message.messageId], ["one", first])
        assert.deepStrictEqual(two?._tag === "Message" && [two.message.text, two.message.chat], ["two", "direct"])
        if (!isFinal) {
          const now = changed?._tag === "Edited" && [changed.messageId, changed.text]
          assert.deepStrictEqual(now, [first, "one, changed"])
        }
        if (!isSilent) {
          assert.deepStrictEqual(taken?._tag === "Edited" && [taken.messageId, taken.text], [first, undefined])
        }
        if (button !== undefined) assert.strictEqual(pressed?._tag === "Pressed" && pressed.data, "r:1:allow")
      })
    )

    on("gives what was not confirmed again, and what was confirmed not", (stage) =>
      Effect.gen(function* () {
        for (const text of ["one", "two", "three"]) yield* stage.say(text)
        const first = yield* take(stage, 3)
        assert.deepStrictEqual(first.map(wordOf), ["one", "two", "three"])
        yield* first[0]?.confirm ?? Effect.void
        const again = yield* take(stage, 2, first[0]?.mark)
        assert.deepStrictEqual(again.map(wordOf), ["two", "three"])
        for (const { confirm } of again) yield* confirm
        yield* stage.say("four")
        assert.deepStrictEqual((yield* take(stage, 1, again[1]?.mark)).map(wordOf), ["four"])
      })
    )

    on(
      "tells what was surely not sent from what may be there",
      (stage, to) =>
        Effect.gen(function* () {
          for (const reason of reasons.filter(({ _tag }) => _tag !== "TooFast")) {
            stage.fail("send", reason)
            const exit = yield* Effect.exit(stage.channel.send(to, oneOf(stage, reason._tag), reason._tag))
            assert.strictEqual(tagOf(exit), reason._tag)
          }
          assert.deepStrictEqual(textsOf(stage), [])
          for (const fault of ["cutBefore", "cutAfter"] as const) {
            stage.fail("send", fault)
            const exit = yield* Effect.exit(stage.channel.send(to, oneOf(stage, fault), fault))
            assert.strictEqual(tagOf(exit), "Unknown")
          }
          assert.deepStrictEqual(textsOf(stage), ["cutAfter"])
        }),
      !isReliable
    )

    on(
      "says for how long it takes no more",
      (stage, to) =>
        Effect.gen(function* () {
          const tooFast = reasons[0]
          if (tooFast !== undefined) stage.fail("send", tooFast)
          const failure = yield* Effect.flip(stage.channel.send(to, oneOf(stage, "now"), "key"))
          assert.deepStrictEqual(failure.reason, tooFast)
          assert.deepStrictEqual(textsOf(stage), [])
        }),
      !isReliable
    )

    on("finds what is there, behind a message, and nothing else, where it can look", (stage, to) =>
      Effect.gen(function* () {
        const { find, send } = stage.channel
        if (find === undefined) return "it cannot look"
        if (stage.hasHistory === false) {
          const ref = yield* send(to, oneOf(stage, "there"), "there")
          for (const key of ["there", "absent"])
            assert.strictEqual(tagOf(yield* Effect.exit(find(to, oneOf(stage, key), key, undefined))), "Unknown")
          assert.strictEqual(tagOf(yield* Effect.exit(find(to, oneOf(stage, "x"), "x", ref.messageId))), "Unknown")
          return
        }
        const piece = oneOf(stage, "the same words")
        const before = yield* send(to, piece, "earlier")
        for (const fault of ["cutBefore", "cutAfter"] as const) {
          stage.fail("send", fault)
          yield* Effect.exit(send(to, piece, fault))
        }
        assert.isUndefined(yield* find(to, piece, "cutBefore", before.messageId))
        const found = yield* find(to, piece, "cutAfter", before.messageId)
        assert.include(
          stage.chat(placeOf(stage)).map(({ messageId }) => messageId),
          found?.messageId
        )
        assert.isUndefined(yield* find(to, piece, "earlier", before.messageId))
        stage.fail("find", { _tag: "Unreachable" })
        assert.strictEqual(tagOf(yield* Effect.exit(find(to, piece, "cutAfter", undefined))), "Unreachable")
      })
    )

    on("changes a message in its place, the same change once more is a success, a missing one is gone", (stage, to) =>
      Effect.gen(function* () {
        const { edit, send } = stage.channel
        if (edit === undefined) return "it cannot change messages"
        const ref = yield* send(to, oneOf(stage, "at work"), "a")
        yield* send(to, oneOf(stage, "behind it"), "b")
        for (let time = 0; time < 2; time++) yield* edit(ref, oneOf(stage, "done"))
        assert.deepStrictEqual(textsOf(stage), ["done", "behind it"])
        if (!isReliable) {
          stage.fail("edit", "cutAfter")
          assert.strictEqual(tagOf(yield* Effect.exit(edit(ref, oneOf(stage, "over")))), "Unknown")
          assert.deepStrictEqual(textsOf(stage), ["over", "behind it"])
        }
        const missing = { ...ref, messageId: "404" }
        assert.strictEqual(tagOf(yield* Effect.exit(edit(missing, oneOf(stage, "x")))), "Gone")
      })
    )

    on("removes a message, and one that is not there", (stage, to) =>
      Effect.gen(function* () {
        const { remove, send } = stage.channel
        if (remove === undefined) return "it cannot remove messages"
        const ref = yield* send(to, oneOf(stage, "for a moment"), "a")
        for (let time = 0; time < 2; time++) yield* remove(ref)
        assert.deepStrictEqual(textsOf(stage), [])
      })
    )

    on("acknowledges while a send has no answer and nothing else is taken", (stage, to) =>
      Effect.gen(function* () {
        const { acknowledge, limits, send } = stage.channel
        if (limits.buttons.most === 0) return "it has no buttons"
        const pressed = yield* pressOf(stage, to)
        if (!isReliable) {
          stage.fail("send", { _tag: "TooFast", retryAfterMs: 60_000, scope: "account" })
          yield* Effect.exit(send(to, oneOf(stage, "not now"), "k"))
        }
        yield* acknowledge(pressed, "Allowed")
        assert.deepStrictEqual(
          stage.acknowledgements().map(({ text }) => text),
          ["Allowed"]
        )
      })
    )

    on("takes a press that is over for acknowledged", (stage, to) =>
      Effect.gen(function* () {
        const { acknowledge, limits, send } = stage.channel
        if (limits.buttons.most === 0) return "it has no buttons"
        const pressed = yield* pressOf(stage, to)
        for (const text of ["Allowed", undefined]) yield* acknowledge(pressed, text)
        if (stage.endPresses !== undefined) {
          yield* stage.endPresses
          for (const text of ["Allowed", undefined]) yield* acknowledge(pressed, text)
        }
        yield* send(to, oneOf(stage, "afterwards"), "k")
        assert.strictEqual(textsOf(stage).at(-1), "afterwards")
      })
    )

    on("sends a piece with the same key once or twice, as its service has it", (stage, to) =>
      Effect.gen(function* () {
        const { sameKey, channel } = stage
        if (sameKey === undefined) return "its stage does not say what becomes of the second"
        const piece = oneOf(stage, "the same words")
        const before = yield* channel.send(to, oneOf(stage, "before"), "earlier")
        const first = yield* channel.send(to, piece, "key")
        const second = yield* channel.send(to, piece, "key")
        assert.strictEqual(second.messageId === first.messageId, sameKey === "once")
        const copies = sameKey === "once" ? ["the same words"] : ["the same words", "the same words"]
        assert.deepStrictEqual(textsOf(stage), ["before", ...copies])
        if (channel.find === undefined || stage.hasHistory === false) return
        assert.deepStrictEqual(yield* channel.find(to, piece, "key", before.messageId), first)
      })
    )

    on("does not hear an edit that leaves the text as it was", (stage) =>
      Effect.gen(function* () {
        if (stage.preview === undefined) return "its service reports no such edits"
        const one = yield* stage.say("see https://example.com")
        yield* stage.preview(one)
        yield* stage.say("two")
        if (!isFinal) yield* stage.edit(one, "one, changed")
        const received = (yield* take(stage, isFinal ? 2 : 3)).map(wordOf)
        assert.deepStrictEqual(received, ["see https://example.com", "two", ...(isFinal ? [] : ["Edited"])])
      })
    )

    on("hears once what is delivered twice", (stage) =>
      Effect.gen(function* () {
        const { repeat } = stage
        if (repeat === undefined) return "its service delivers nothing twice"
        const received: Array<string> = []
        const listen = Stream.runForEach(stage.channel.incoming(undefined), (each) => {
          received.push(wordOf(each))
          return each.confirm
        })
        yield* Effect.forkScoped(listen)
        const one = yield* stage.say("one")
        yield* stage.until(() => received.length > 0 || undefined)
        yield* repeat(one)
        const two = yield* stage.say("two")
        yield* repeat(two)
        yield* repeat(one)
        yield* stage.say("three")
        yield* stage.until(() => received.includes("three") || undefined)
        assert.deepStrictEqual(received, ["one", "two", "three"])
      })
    )

    on("does not notify people whom a text names", (stage) =>
      Effect.sync(() => {
        const { notifies, channel } = stage
        if (notifies === undefined) return "its stage does not say whom a text notifies"
        const buttons = channel.limits.buttons.most === 0 ? {} : { buttons: [[{ label: "@everyone", data: "d" }]] }
        for (const text of notifying) {
          const pieces = [...channel.render({ text }), ...channel.render({ text, ...buttons })]
          assert.isNotEmpty(pieces)
          for (const piece of pieces) assert.isFalse(notifies(piece), text)
        }
      })
    )

    on("keeps its mark small, however many chats it hears, and goes on from it", (stage) =>
      Effect.gen(function* () {
        const { sayIn } = stage
        if (sayIn === undefined) return "its stage has one chat"
        const count = 500
        for (let chat = 0; chat < count; chat++) yield* sayIn(chat, `message ${chat}`)
        const confirmed = Stream.tap(stage.channel.incoming(undefined), ({ confirm }) => confirm)
        const received = yield* Stream.runCollect(Stream.take(confirmed, count))
        assert.deepStrictEqual(
          received.map(wordOf),
          received.map((_, at) => `message ${at}`)
        )
        for (const { mark = "" } of received) assert.isAtMost(Buffer.byteLength(mark), mostMarkBytes)
        yield* sayIn(count - 1, "further")
        const mark = received.findLast((each) => each.mark !== undefined)?.mark
        assert.deepStrictEqual((yield* take(stage, 1, mark)).map(wordOf), ["further"])
      })
    )

    on(
      "ends a call that hangs when it is interrupted",
      (stage, to) =>
        Effect.gen(function* () {
          stage.fail("send", "hang")
          const sending = yield* Effect.forkChild(stage.channel.send(to, oneOf(stage, "never"), "k"))
          yield* stage.until(() => stage.calls().some(({ outcome }) => outcome === "open") || undefined)
          yield* Fiber.interrupt(sending)
          yield* stage.until(() => stage.calls().every(({ outcome }) => outcome !== "open") || undefined)
          assert.deepStrictEqual(textsOf(stage), [])
          yield* stage.channel.send(to, oneOf(stage, "afterwards"), "k2")
          assert.deepStrictEqual(textsOf(stage), ["afterwards"])
        }),
      !isReliable
    )

    on("does nothing more when its scope is closed", (stage) =>
      Effect.gen(function* () {
        yield* stage.say("one")
        const received: Array<string> = []
        yield* Effect.scoped(
          Effect.gen(function* () {
            const listen = Stream.runForEach(stage.channel.incoming(undefined), (each) => {
              received.push(wordOf(each))
              return each.confirm
            })
            yield* Effect.forkScoped(listen)
            yield* stage.until(() => (received.length > 0 && stage.listeners() === 1) || undefined)
          })
        )
        yield* stage.until(() => stage.listeners() === 0 || undefined)
        const before = stage.calls().length
        yield* stage.say("two")
        assert.deepStrictEqual(received, ["one"])
        assert.strictEqual(stage.calls().length, before)
      })
    )

    on("renders within its limits, loses nothing, and puts buttons below the last piece", (stage, to) =>
      Effect.gen(function* () {
        const { limits, render, send } = stage.channel
        const length = Math.max(400, Math.ceil(limits.text / 10))
        const text = Array.from({ length }, (_, index) => `word${index} 👩‍👩‍👧`).join(" ")
        const buttons = [[{ label: "Show", data: "s:1" }]]
        const pieces = render({ text, buttons })
        assert.isAbove(pieces.length, 1)
        for (const [index, piece] of pieces.entries()) yield* send(to, piece, `k${index}`)
        const visible = stage.chat(placeOf(stage)).filter(({ isOurs }) => isOurs)
        assert.strictEqual(
          visible
            // Pieces may be numbered.
            .map((each) => each.text.replace(/\n\n\(\d+\/\d+\)$/, ""))
            .join("")
            .replaceAll(/\s/g, ""),
          text.replaceAll(/\s/g, "")
        )
        for (const each of visible) assert.isAtMost(each.text.length, limits.text)
        for (const each of visible) assert.isTrue(each.text.isWellFormed())
        const labels = visible.map((each) => each.buttons)
        assert.deepStrictEqual(labels.slice(0, -1).flat(), [])
        assert.deepStrictEqual(labels.at(-1), limits.buttons.most > 0 ? ["Show"] : [])
        assert.deepStrictEqual(render({}), [])
      })
    )

    on("knows ids of people from names", ({ channel: { check, isPerson }, person = "ann" }) =>
      Effect.gen(function* () {
        assert.isTrue(isPerson(person))
        assert.isFalse(isPerson("@ann"))
        assert.isFalse(isPerson(""))
        assert.isNotEmpty(yield* check)
      })
    )
  })
}
