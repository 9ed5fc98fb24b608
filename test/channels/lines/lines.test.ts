/** The channel of "Adding a channel": its people are answered, strangers are not, and what goes wrong is told truly. */
import { once } from "node:events"
import { createInterface } from "node:readline"
import { PassThrough } from "node:stream"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Fiber, Layer } from "effect"
import { ChannelBridge } from "../../../src/bridge/ChannelBridge.ts"
import { fromPlain } from "../../../src/bridge/promise/FromPlain.ts"
import { Store } from "../../../src/conversations/store/Store.ts"
import { nodePlatform } from "../../../src/system/process/Platform.ts"
import * as TestRuntime from "../../../src/testing/TestRuntime.ts"
import { asksToClean as asks } from "../../kit/asksToClean.ts"
import { lines } from "./lines.ts"

interface Said {
  readonly took?: string
  readonly to?: string
  readonly text?: string
  readonly message?: string
  readonly buttons?: ReadonlyArray<ReadonlyArray<{ readonly label: string; readonly data: string }>>
}

const opened = Effect.gen(function* () {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const channel = fromPlain(lines(input, output))
  const layer = ChannelBridge.layer({
    agents: { test: TestRuntime.layer([asks, { type: "text", text: "All clean." }]) },
    access: { owners: ["ann"] },
    progress: "off"
  }).pipe(Layer.provide([Store.layerMemory(), nodePlatform]))
  const { serve } = Context.get(yield* Layer.build(layer), ChannelBridge)
  const serving = yield* Effect.forkScoped(serve(channel))
  const received: Array<Said> = []
  const reading = createInterface({ input: output })
  reading.on("line", (line) => received.push(JSON.parse(line)))
  const until = (fits: (content: Said) => boolean) =>
    Effect.promise(async () => {
      for (;;) {
        const found = received.find(fits)
        if (found !== undefined) return found
        await once(reading, "line")
      }
    })
  const say = (line: unknown) => void input.write(`${typeof line === "string" ? line : JSON.stringify(line)}\n`)
  return { say, until, heard: received, channel, serving, input, output }
})

describe("a channel over lines", () => {
  it.live("takes a message, asks by buttons, and answers; ignores strangers and invalid lines", () =>
    Effect.gen(function* () {
      const { say, until, heard: received } = yield* opened
      say("no json")
      say({ id: 1, from: "ann", text: "not a text" })
      say({ id: "0", from: "eve", text: "let me in" })
      say({ id: "1", from: "ann", text: "clean up" })
      yield* until(({ took }) => took === "1")
      const { message, buttons = [] } = yield* until((content) => content.buttons !== undefined)
      const allow = buttons.flat().find(({ label }) => label === "Allow")
      say({ id: "2", from: "ann", press: allow?.data, on: message })
      yield* until(({ text }) => text === "All clean.")
      assert.isFalse(received.some(({ to }) => to === "eve"))
      assert.deepStrictEqual(new Set(received.flatMap(({ took }) => took ?? [])), new Set(["0", "1", "2"]))
    }).pipe(Effect.scoped)
  )

  it.live("says that nothing was sent if no one is there, and ends with its input", () =>
    Effect.gen(function* () {
      const { channel, input, output, serving } = yield* opened
      output.end()
      const to = { channel: "lines", accountId: "default", chatId: "ann" }
      const [piece] = channel.render({ text: "hello" })
      if (piece === undefined) return assert.fail()
      const { reason } = yield* Effect.flip(channel.send(to, piece, "key"))
      assert.deepStrictEqual(reason, { _tag: "Unreachable" })
      assert.strictEqual((yield* channel.check)[0]?.level, "failure")
      input.end()
      assert.isTrue(Exit.isFailure(yield* Fiber.await(serving)))
    }).pipe(Effect.scoped)
  )
})
