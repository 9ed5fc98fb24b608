/** A bridge on WhatsApp, as its people see it: answers, questions, closed windows, and hosts that die while they write. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { ChannelBridge } from "../../../src/bridge/ChannelBridge.ts"
import { Store } from "../../../src/conversations/store/Store.ts"
import { nodePlatform } from "../../../src/system/process/Platform.ts"
import { WhatsAppServer } from "../../../src/testing/Scoped.ts"
import * as TestRuntime from "../../../src/testing/TestRuntime.ts"
import { asksToClean as asks } from "../../kit/asksToClean.ts"
import { annNumber, openFor, untilTrue } from "./kit.ts"

type Script = Parameters<typeof TestRuntime.layer>[0]

const echo: Script = ({ prompt }) => [{ type: "text", text: `heard: ${prompt}` }]

const lastOf = (prompt: string) => prompt.split(/\s/).at(-1)

/** A host on the store, until its scope closes. */
const host = (wa: WhatsAppServer, script: Script, store: Layer.Layer<Store>) =>
  Effect.gen(function* () {
    const { channel } = yield* openFor(wa)
    const layer = ChannelBridge.layer({
      agents: { test: TestRuntime.layer(script) },
      // By the number; WhatsApp names Ann by an id of its own.
      access: { owners: [annNumber] },
      progress: "off"
    }).pipe(Layer.provide([store, nodePlatform]))
    const { serve } = Context.get(yield* Layer.build(layer), ChannelBridge)
    yield* Effect.forkScoped(Effect.orDie(serve(channel)))
    return channel
  }).pipe(Effect.orDie)

const ours = (wa: WhatsAppServer) => wa.chat().filter(({ isOurs }) => isOurs)
const plains = (wa: WhatsAppServer) => ours(wa).map(({ plain }) => plain)

const served = (script: Script) =>
  Effect.gen(function* () {
    const wa = yield* WhatsAppServer.make({ repeatMs: [50] })
    yield* host(wa, script, Layer.orDie(Store.layerMemory()))
    const visible = (part: string) =>
      Effect.promise(() => wa.until(() => ours(wa).find(({ plain }) => plain.includes(part))))
    return { wa, visible }
  })

describe("a bridge on WhatsApp", () => {
  it.live("answers its owner, asks by buttons, shows that it is at work, and is silent to others", () =>
    Effect.gen(function* () {
      const { wa, visible } = yield* served([asks, { type: "text", text: "All **clean**." }])
      wa.say("who are you?", { from: "15550002002" })
      const first = wa.say("clean up")
      const question = yield* visible("make clean")
      assert.isAtMost([...question.text].length, 1_024)
      wa.press(question, "Allow")
      assert.include((yield* visible("All clean.")).text, "All *clean*.")
      assert.deepStrictEqual(
        wa.chat("15550002002").filter(({ isOurs }) => isOurs),
        []
      )
      assert.isTrue(wa.acknowledgements().some(({ messageId, isTyping }) => messageId === first.messageId && isTyping))
      assert.deepStrictEqual(wa.violations(), [])
    }).pipe(Effect.scoped)
  )

  it.live("asks a question with more than three options by a list, which is answered", () =>
    Effect.gen(function* () {
      const options = ["Red", "Green", "Blue", "A colour that has a rather long name"].map((label) => ({ label }))
      const { wa, visible } = yield* served([
        {
          type: "question",
          requestId: "q",
          questions: [{ question: "Which colour?", options, multiple: false, freeText: true }]
        },
        { type: "text", text: "Painted." }
      ])
      wa.say("paint it")
      const question = yield* visible("Which colour?")
      assert.isTrue(question.isList)
      assert.include(question.plain, "A colour that has a rather long name")
      wa.press(question, "Blue")
      yield* visible("Painted.")
      assert.deepStrictEqual(wa.violations(), [])
    }).pipe(Effect.scoped)
  )

  it.live("lets a button be pressed again, and does nothing twice", () =>
    Effect.gen(function* () {
      let turns = 0
      const { wa, visible } = yield* served(({ prompt }) => {
        turns += 1
        return prompt.includes("clean")
          ? [asks, { type: "text", text: "All clean." }]
          : [{ type: "text", text: "other" }]
      })
      wa.say("clean up")
      const question = yield* visible("make clean")
      wa.press(question, "Allow")
      wa.press(question, "Allow")
      yield* visible("All clean.")
      wa.press(question, "Deny")
      wa.say("then")
      yield* visible("other")
      assert.strictEqual(turns, 2)
    }).pipe(Effect.scoped)
  )

  it.live("runs a message once, however often and in whatever order it is posted", () =>
    Effect.gen(function* () {
      const prompts: Array<string | undefined> = []
      const wa = yield* WhatsAppServer.make({ repeatMs: [20], perPost: 1, reversed: true })
      yield* host(
        wa,
        ({ prompt }) => {
          prompts.push(lastOf(prompt))
          return [{ type: "text", text: `heard: ${prompt}` }]
        },
        Layer.orDie(Store.layerMemory())
      )
      wa.fail("webhook", "cutAfter", 3)
      const one = wa.say("one")
      yield* Effect.promise(() => wa.until(() => ours(wa).find(({ plain }) => plain.includes("one"))))
      wa.again(one)
      wa.again(one)
      wa.say("two")
      yield* Effect.promise(() => wa.until(() => ours(wa).find(({ plain }) => plain.includes("two"))))
      yield* Effect.promise(() => wa.until(() => (wa.pending().length === 0 ? true : undefined)))
      assert.deepStrictEqual(prompts, ["one", "two"])
    }).pipe(Effect.scoped)
  )

  it.live("says to a person that nothing is in a sticker", () =>
    Effect.gen(function* () {
      const { wa, visible } = yield* served(echo)
      wa.say("", { more: { type: "sticker", sticker: { id: "1", mime_type: "image/webp" } } })
      yield* visible("I accept text")
      wa.say("", { more: { type: "reaction", reaction: { emoji: "👍", message_id: "wamid.x" } } })
      wa.say("hello")
      yield* visible("heard:")
      assert.strictEqual(ours(wa).length, 2)
    }).pipe(Effect.scoped)
  )

  it.live("holds an answer after the 24 hours, until the person writes, and sends it in order", () =>
    Effect.gen(function* () {
      let meanwhile = () => {}
      const { wa, visible } = yield* served(({ prompt }) => {
        if (prompt.includes("slow")) meanwhile()
        return [{ type: "text", text: `heard: ${lastOf(prompt)}` }]
      })
      meanwhile = () => wa.advance(86_400_001)
      wa.say("slow")
      yield* Effect.promise(() =>
        wa.until(() => wa.posts().find(({ body, status }) => status === 200 && JSON.stringify(body).includes("131047")))
      )
      assert.deepStrictEqual(ours(wa), [])
      wa.say("hello")
      yield* visible("heard: hello")
      assert.deepStrictEqual(
        plains(wa).map((text) => text.split("\n")[0]),
        ["heard: slow", "heard: hello"]
      )
    }).pipe(Effect.scoped)
  )
})

/** Time goes on until it is so: what comes over the network takes the machine's time. */
const passing = (isSo: () => boolean, most = 3_000) =>
  Effect.gen(function* () {
    for (let step = 0; step < most && !isSo(); step++) {
      yield* TestClock.adjust("100 millis")
      yield* Effect.promise(() => new Promise<void>((resolve) => setTimeout(resolve, 1)))
    }
    assert.isTrue(isSo())
  })

/** The host ends while its answer is under way: `hangAfter` when WhatsApp has it, `hang` when it has not. */
const killed = (fault: "hang" | "hangAfter") =>
  Effect.gen(function* () {
    const wa = yield* WhatsAppServer.make({ repeatMs: [50] })
    const store = Layer.succeed(Store, Context.get(yield* Layer.build(Layer.orDie(Store.layerMemory())), Store))
    wa.receipts("held")
    const first = yield* Scope.make()
    yield* Scope.provide(host(wa, echo, store), first)
    wa.fail("messages", fault)
    wa.say("hello")
    yield* passing(() => wa.calls().some(({ method, outcome }) => method === "messages" && outcome === "open"))
    yield* untilTrue(() => ours(wa).length === (fault === "hangAfter" ? 1 : 0))
    yield* Scope.close(first, Exit.void)
    yield* host(wa, echo, store)
    return wa
  })

const isAsked = (wa: WhatsAppServer) => plains(wa).some((text) => text.includes("may be missing"))

describe("a host that dies while WhatsApp answers it", () => {
  it.effect("does not ask about a message that arrived: its receipt says so", () =>
    Effect.gen(function* () {
      const wa = yield* killed("hangAfter")
      wa.receipts("sent")
      yield* passing(() => wa.pending().length === 0)
      yield* TestClock.adjust("10 minutes")
      wa.say("again")
      yield* passing(() => plains(wa).some((text) => text.includes("again")))
      assert.isFalse(isAsked(wa))
      assert.strictEqual(plains(wa).filter((text) => text.includes("hello")).length, 1)
    }).pipe(Effect.scoped)
  )

  it.effect("asks once, after half a minute, about one that no receipt speaks of", () =>
    Effect.gen(function* () {
      const wa = yield* killed("hang")
      wa.receipts("sent")
      yield* TestClock.adjust("25 seconds")
      assert.isFalse(isAsked(wa))
      yield* passing(() => isAsked(wa))
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual(ours(wa).length, 1)
    }).pipe(Effect.scoped)
  )
})
