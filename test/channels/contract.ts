/**
 * The bridge's requirements for every channel, whatever it lacks: order, truth about what was sent, changes that can be repeated,
 * acknowledgements without waiting, nothing lost before it was confirmed, nothing left behind a closed scope.
 */
import { assert, describe, it } from "@effect/vitest"
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

const wordOf = ({ incoming }: Heard) => (incoming._tag === "Message" ? incoming.message.text : incoming._tag)

export const channelContract = (
  name: string,
  open: Effect.Effect<Stage, never, Scope.Scope>,
  { faults: isReliable = false, changes: isFinal = false, withdrawals: isSilent = isFinal }: Unmoved = {}
) => {
  const on = (
    what: string,
    test: (stage: Stage, to: Conversation) => Effect.Effect<void, unknown, Scope.Scope>,
    isPossible = true
  ) =>
    isPossible &&
    it.live(what, () =>
      Effect.scoped(
        Effect.flatMap(open, (stage) => {
          const { id: channel, accountId } = stage.channel
          return test(stage, { channel, accountId, chatId: placeOf(stage) })
        })
      )
    )

  const oneOf = ({ channel }: Stage, text: string): Piece => {
    const [piece, ...more] = channel.render({ text })
    if (piece === undefined || more.length > 0) throw new Error(`${text} is not one piece`)
    return piece
  }

  const take = ({ channel }: Stage, count: number, mark?: string) =>
    Stream.runCollect(Stream.take(channel.incoming(mark), count))

  describe(`the channel ${name}`, () => {
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
        if (find === undefined) return
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
        if (edit === undefined) return
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
        if (remove === undefined) return
        const ref = yield* send(to, oneOf(stage, "for a moment"), "a")
        for (let time = 0; time < 2; time++) yield* remove(ref)
        assert.deepStrictEqual(textsOf(stage), [])
      })
    )

    on("acknowledges while a send has no answer and nothing else is taken", (stage, to) =>
      Effect.gen(function* () {
        const { acknowledge, limits, render, send } = stage.channel
        if (limits.buttons.most === 0) return
        for (const piece of render({ text: "May I?", buttons: [[{ label: "Yes", data: "y" }]] }))
          yield* send(to, piece, "q")
        const [question] = stage.chat(placeOf(stage))
        yield* stage.press(question?.messageId ?? "", "Yes")
        const [received] = yield* take(stage, 1)
        if (!isReliable) {
          stage.fail("send", { _tag: "TooFast", retryAfterMs: 60_000, scope: "account" })
          yield* Effect.exit(send(to, oneOf(stage, "not now"), "k"))
        }
        if (received?.incoming._tag !== "Pressed") return assert.fail("no press was heard")
        yield* acknowledge(received.incoming, "Allowed")
        assert.deepStrictEqual(
          stage.acknowledgements().map(({ text }) => text),
          ["Allowed"]
        )
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
