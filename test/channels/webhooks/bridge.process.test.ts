/** Webhooks served by a bridge: a delivery begins a turn of its own with no other rights, and its answer has its place. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer, Stream } from "effect"
import { AgentRuntime } from "../../../src/agents/AgentRuntime.ts"
import type { BridgeOptions } from "../../../src/bridge/BridgeOptions.ts"
import { ChannelBridge } from "../../../src/bridge/ChannelBridge.ts"
import type { Sight } from "../../../src/bridge/messages/Sight.ts"
import type { Webhook } from "../../../src/channels/webhooks/webhookOptions.ts"
import type { AgentEvent } from "../../../src/contract/AgentEvent.ts"
import type { AgentOpenParams } from "../../../src/contract/AgentOpenParams.ts"
import { Store } from "../../../src/conversations/store/Store.ts"
import { nodePlatform } from "../../../src/system/process/Platform.ts"
import { ScriptedChannel } from "../../../src/testing/ScriptedChannel.ts"
import * as TestRuntime from "../../../src/testing/TestRuntime.ts"
import { asksToClean } from "../../kit/asksToClean.ts"
import { overheard } from "../telegram/kit.ts"
import { type Answer, deliver, listen, quietly, webhook } from "./kit.ts"

const text = (content: string): AgentEvent => ({ type: "text", text: content })

const ann = { channel: "scripted", accountId: "bot", chatId: "ann" }

interface ServeOptions extends Partial<Omit<BridgeOptions, "agents">> {
  readonly webhooks?: ReadonlyArray<Partial<Webhook> & { readonly prompt?: string }>
  readonly store?: Layer.Layer<Store>
}

/** A bridge with an agent, a channel of people, and webhooks. */
const serve = Effect.fnUntraced(function* (script: TestRuntime.Script, options: ServeOptions = {}) {
  const { webhooks = [{}], store = Layer.orDie(Store.layerMemory()), ...more } = options
  const opened: Array<AgentOpenParams> = []
  const agent = Layer.effect(
    AgentRuntime,
    Effect.map(AgentRuntime, (runtime) => ({
      ...runtime,
      open: (params?: AgentOpenParams) => {
        opened.push(params ?? {})
        return runtime.open(params)
      }
    }))
  ).pipe(Layer.provide(TestRuntime.layer(script)))
  const layer = ChannelBridge.layer({
    agents: { claude: agent, codex: TestRuntime.layer([text("the wrong agent")]) },
    access: ({ channel }) =>
      channel === "webhook" ? { users: webhooks.map(({ name = "pulls" }) => name) } : { owners: ["ann"] },
    chats: { "webhook:pulls": { permissionMode: "plan" } },
    ...more
  }).pipe(Layer.provide([store, nodePlatform]))
  const bridge = Context.get(yield* Layer.build(layer), ChannelBridge)
  const updates: Array<Sight> = []
  const scripted = ScriptedChannel.make()
  const listening = yield* listen(webhooks.map(webhook), (to, payload, key) =>
    Effect.orDie(bridge.post(to, payload, key))
  )
  const { channel } = listening
  const watch = (sight: Sight) =>
    Effect.andThen(
      Effect.sync(() => void updates.push(sight)),
      channel.watch?.(sight) ?? Effect.void
    )
  yield* Effect.forkScoped(Effect.orDie(bridge.serve(scripted.channel)))
  yield* Effect.forkScoped(Effect.orDie(bridge.serve({ ...channel, watch })))
  const { chat, until } = scripted
  const ours = () =>
    chat("ann")
      .filter(({ isOurs }) => isOurs)
      .map((message) => message.text)
  return {
    ...{ scripted, updates, opened, ours, origin: listening.origin },
    seen: (part: string) => until(() => ours().find((each) => each.includes(part)))
  }
})

const outcomes = (updates: ReadonlyArray<Sight>) =>
  updates.flatMap((sight) => (sight._tag === "Ended" ? [sight.result.text] : []))

/** Waits for something that no signal tells. */
const until = (isSo: () => boolean) =>
  Effect.gen(function* () {
    while (!isSo()) yield* Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))
  })

const both = ({ status, body }: Answer) => [status, body]

describe("a delivery at a bridge", () => {
  it.live("begins a turn in its mode, without tools and questions, whose answer goes into the chat that it names", () =>
    Effect.gen(function* () {
      const {
        origin,
        seen: visible,
        opened,
        ours
      } = yield* serve(({ prompt }) => [text(`did: ${prompt.split("\n\n")[1]}`)], {
        webhooks: [{ tell: ann }],
        gateway: "full"
      })
      assert.strictEqual((yield* deliver(origin, '{"title":"one"}')).status, 202)
      const answer = yield* visible("did:")
      assert.match(answer, /^Webhook pulls:\n\ndid: Look at <data-[\da-f]{16}>"one"/)
      assert.deepStrictEqual(ours(), [answer])
      assert.deepInclude(opened[0], { permissionMode: "plan", questions: "off" })
      assert.deepStrictEqual(opened[0]?.tools ?? [], [])
    }).pipe(quietly)
  )

  it.live("without a chat has its answer in the log", () => {
    const lines: Array<string> = []
    return Effect.gen(function* () {
      const { origin } = yield* serve([text("all\nis well")])
      yield* deliver(origin)
      yield* until(() => lines.some((line) => line.includes("webhook pulls: all is well")))
    }).pipe(Effect.scoped, Effect.provide(overheard(lines)))
  })

  it.live("waits for the answer, and has it in the response", () =>
    Effect.gen(function* () {
      const { origin } = yield* serve([text("all is well")], { webhooks: [{ answerMs: 60_000 }] })
      assert.deepStrictEqual(both(yield* deliver(origin)), [
        200,
        { status: "completed", reason: "completed", answer: "all is well" }
      ])
    }).pipe(quietly)
  )

  it.live("whose turn fails is answered 502 with the reason", () =>
    Effect.gen(function* () {
      const script: TestRuntime.Script = [
        { _tag: "NotInstalled", command: "claude", install: "install it", signIn: "sign in" }
      ]
      const { origin } = yield* serve(script, { webhooks: [{ answerMs: 60_000 }] })
      const { status, body } = yield* deliver(origin)
      assert.deepStrictEqual([status, body.status], [502, "failed"])
    }).pipe(quietly)
  )

  it.live("whose turn is longer than the deadline is answered 202, and goes on", () =>
    Effect.gen(function* () {
      const release = yield* Deferred.make<void>()
      const script: TestRuntime.Script = Stream.fromEffect(Effect.as(Deferred.await(release), text("late, but done")))
      const { origin, seen: visible } = yield* serve(script, { webhooks: [{ answerMs: 100, tell: ann }] })
      const first = yield* deliver(origin, undefined, { headers: { "x-github-delivery": "d" } })
      assert.deepStrictEqual(both(first), [202, { status: "taken", delivery: "d" }])
      const again = yield* deliver(origin, undefined, { headers: { "x-github-delivery": "d" } })
      assert.deepStrictEqual([again.status, again.body.status], [200, "already taken"])
      yield* Deferred.succeed(release, undefined)
      yield* visible("late, but done")
    }).pipe(quietly)
  )

  it.live("is denied what people would be asked about, at once", () =>
    Effect.gen(function* () {
      const { origin, updates, ours } = yield* serve([asksToClean, text("done without it")], {
        webhooks: [{ answerMs: 60_000, tell: ann }]
      })
      assert.strictEqual((yield* deliver(origin)).body.answer, "done without it")
      const decisions = updates.flatMap((sight) =>
        sight._tag === "Event" && sight.event.type === "permission_decision" ? [sight.event.decision] : []
      )
      assert.deepStrictEqual(decisions, ["deny"])
      assert.isTrue(ours().every((message) => !message.includes("make clean")))
    }).pipe(quietly)
  )

  it.live("is known at the next host of the store", () =>
    Effect.gen(function* () {
      const store = Layer.succeed(Store, Context.get(yield* Layer.build(Store.layerMemory()), Store))
      const headers = { "x-github-delivery": "once" }
      const first = yield* Effect.scoped(
        Effect.gen(function* () {
          const { origin } = yield* serve([text("done")], { store, webhooks: [{ answerMs: 60_000 }] })
          return yield* deliver(origin, undefined, { headers })
        })
      )
      assert.strictEqual(first.status, 200)
      assert.strictEqual(first.body.answer, "done")
      const { origin, opened } = yield* serve([text("done again")], { store, webhooks: [{ answerMs: 60_000 }] })
      assert.deepStrictEqual((yield* deliver(origin, undefined, { headers })).body.status, "already taken")
      assert.deepStrictEqual(opened, [])
    }).pipe(quietly)
  )
})

describe.each(["steer", "queue", "collect", "interrupt"] as const)(
  "deliveries while the agent works (%s)",
  (whileBusy) => {
    it.live("have a turn each, in their order; too many are sent away, and may come again", () =>
      Effect.gen(function* () {
        const [begun, release] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const script: TestRuntime.Script = ({ prompt }) => {
          const title = /"(\w+)"/.exec(prompt.split("\n\n")[1] ?? "")?.[1] ?? "nothing"
          return title === "first"
            ? Stream.fromEffect(
                Deferred.succeed(begun, undefined).pipe(
                  Effect.andThen(Deferred.await(release)),
                  Effect.as(text("first"))
                )
              )
            : [text(title)]
        }
        const { origin, updates } = yield* serve(script, { whileBusy, webhooks: [{ perMinute: 100 }] })
        const send = (title: string) =>
          deliver(origin, JSON.stringify({ title }), { headers: { "x-github-delivery": title } })
        yield* send("first")
        yield* Deferred.await(begun)
        const titles = Array.from({ length: 20 }, (_, at) => `t${at}`)
        for (const title of titles) assert.strictEqual((yield* send(title)).status, 202)
        const refused = yield* send("more")
        assert.deepStrictEqual([refused.status, refused.headers.get("retry-after")], [503, "60"])
        yield* Deferred.succeed(release, undefined)
        yield* until(() => outcomes(updates).length === 21)
        assert.deepStrictEqual(outcomes(updates), ["first", ...titles])
        assert.strictEqual((yield* send("more")).status, 202)
        yield* until(() => outcomes(updates).length === 22)
      }).pipe(quietly)
    )
  }
)

describe("the text of a template", () => {
  it.live.each([
    "/new",
    "/agent codex",
    "/mode bypass",
    "/codex do it",
    "/stop",
    "stop",
    "!stop",
    "/whoami",
    "/pause",
    "claude --resume 11111111-2222-3333-4444-555555555555",
    "codex resume 11111111-2222-3333-4444-555555555555",
    "agree",
    "again"
  ])("%s is a prompt for the agent, and no order to the bridge", (prompt) =>
    Effect.gen(function* () {
      const { origin, ours } = yield* serve(
        ({ prompt: input, permissionMode }) => [text(`${permissionMode}: ${input}`)],
        {
          webhooks: [{ prompt, answerMs: 60_000, tell: ann }]
        }
      )
      for (const id of ["one", "two"]) {
        const { status, body } = yield* deliver(origin, "{}", { headers: { "x-github-delivery": id } })
        assert.deepStrictEqual([status, body.answer], [200, `plan: ${prompt}`])
      }
      yield* until(() => ours().length === 2)
      assert.deepStrictEqual(ours(), [`Webhook pulls:\n\nplan: ${prompt}`, `Webhook pulls:\n\nplan: ${prompt}`])
    }).pipe(quietly)
  )
})

describe("a pause of an owner", () => {
  it.live("on another channel sends deliveries away, or has them wait", () =>
    Effect.gen(function* () {
      const {
        origin,
        scripted,
        seen: visible,
        updates
      } = yield* serve([text("done")], {
        webhooks: [{}, { name: "waits", pausedStatus: 202, chatId: "webhook:waits" }]
      })
      yield* scripted.say("/pause")
      yield* visible("Paused")
      const paused = yield* deliver(origin, undefined, { headers: { "x-github-delivery": "d" } })
      assert.deepStrictEqual(
        [paused.status, paused.body, paused.headers.get("retry-after")],
        [503, { error: "The host is paused" }, "60"]
      )
      assert.strictEqual((yield* deliver(origin, undefined, { name: "waits" })).status, 202)
      yield* scripted.say("/pause")
      yield* visible("No longer paused")
      assert.strictEqual((yield* deliver(origin, undefined, { headers: { "x-github-delivery": "d" } })).status, 202)
      yield* until(() => outcomes(updates).length >= 1)
    }).pipe(quietly)
  )
})

describe("two senders of the same delivery that wait for its answer", () => {
  it.live("are told once what it is, and once that it was taken", () =>
    Effect.gen(function* () {
      const release = yield* Deferred.make<void>()
      const script: TestRuntime.Script = Stream.fromEffect(Effect.as(Deferred.await(release), text("done")))
      const { origin } = yield* serve(script, { webhooks: [{ answerMs: 60_000 }] })
      const send = deliver(origin, undefined, { headers: { "x-github-delivery": "same" } })
      const fibers = [yield* Effect.forkScoped(send), yield* Effect.forkScoped(send)]
      yield* until(() => fibers.some((fiber) => fiber.pollUnsafe() !== undefined))
      yield* Deferred.succeed(release, undefined)
      const answers = yield* Effect.forEach(fibers, Fiber.join)
      assert.deepStrictEqual(answers.map(({ body }) => body.status).sort(), ["already taken", "completed"])
    }).pipe(quietly)
  )
})
