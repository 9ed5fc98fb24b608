/**
 * A bridge over a store in a file, an agent that follows a script, and a channel that keeps nothing but counts, so that what
 * is measured is the bridge; or, where the task says so, Telegram. `start` gives what a host does with it.
 */
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Layer, Queue, Stream } from "effect"
import { ChannelBridge } from "../../../dist/bridge.js"
import { Store } from "../../../dist/index.js"
import { TestRuntime } from "../../../dist/testingEffect.js"
import { task } from "./measure.mjs"
import { startTelegram } from "./telegramOf.mjs"

/** @typedef {import("../../../dist/bridge.js").Channel} Channel */
/** @typedef {import("../../../dist/bridge.js").Heard} Heard */
/** @typedef {import("../../../dist/bridge.js").Button} Button */
/** @typedef {import("../../../dist/index.js").AgentEvent} AgentEvent */

/** A call, its output and words in turn, as an agent at work gives them. @type {ReadonlyArray<AgentEvent>} */
export const events = Array.from({ length: task.events }, (_, nth) => {
  if (nth % 4 === 0) {
    const input = { command: `npm test ${nth}` }
    return { type: "tool_use", toolId: `t${nth}`, toolName: "Bash", kind: "command", input }
  }
  if (nth % 4 === 1) {
    return { type: "tool_result", toolId: `t${nth - 1}`, output: "a line of output\n".repeat(60), isError: false }
  }
  return { type: "text", text: `word ${nth} ` }
})

const script = Stream.fromIterable(events, { chunkSize: 1 })

/** A step each second until it is stopped: the message of each turn has news for ever. */
const atWork = Stream.map(
  Stream.tick("1 second"),
  () => /** @type {AgentEvent} */ ({ type: "text", text: "another word " })
)

/** A prompt with `hold` does not end its turn. */
export const agent = TestRuntime.layer(({ prompt }) =>
  prompt.includes("hold") ? Stream.concat(script, task.isAtWork ? atWork : Stream.never) : script
)

export const people = Array.from({ length: task.people }, (_, nth) => String(1_001 + nth))

const limits = {
  ...{ text: 4_096, uploadBytes: 0, downloadBytes: 0, pace: task.pace ?? {} },
  buttons: { most: 8, label: 64, data: 64 }
}

/** Looked at again whenever the channel was called. @type {Set<() => void>} */
const waits = new Set()
const look = () => {
  for (const again of waits) again()
}

/** Until the channel has seen enough. @param {() => boolean} isThere */
export const until = (isThere) =>
  Effect.callback((resume) => {
    const again = () => {
      if (!isThere()) return
      waits.delete(again)
      resume(Effect.void)
    }
    waits.add(again)
    again()
  })

/** Messages that people have seen. @typedef {import("./telegramOf.mjs").Seen} Seen */

/** @param {Seen} seen */
const startCounting = Effect.fnUntraced(function* (known) {
  /** @type {Queue.Queue<Heard>} */
  const received = yield* Queue.unbounded()
  let ids = 0
  /** @type {Map<string, string>} */
  const stopButtons = new Map()

  /** @type {Channel} */
  const channel = {
    ...{ id: "counting", accountId: "bot", limits, isPerson: () => true, check: Effect.succeed([]) },
    incoming: () => Stream.fromQueue(received),
    render: ({ text = "", buttons }) => [{ text, body: JSON.stringify(buttons ?? []) }],
    send: (conversation, { text, body }) =>
      Effect.sync(() => {
        const { chatId } = conversation
        /** @type {ReadonlyArray<ReadonlyArray<Button>>} */
        const buttons = JSON.parse(String(body))
        const button = buttons[0]?.[0]
        if (text.startsWith("⏳")) known.progress.add(chatId)
        if (text.startsWith("⏳") && button !== undefined) stopButtons.set(chatId, button.data)
        if (text.startsWith("word")) known.answers += 1
        if (text === "Stopped.") known.stopped.add(chatId)
        look()
        return { conversation, messageId: `b${++ids}` }
      }),
    edit: () => Effect.void,
    remove: () => Effect.void,
    acknowledge: ({ conversation }) =>
      Effect.sync(() => {
        known.acknowledged.add(conversation.chatId)
        look()
      })
  }
  const confirm = Effect.sync(() => {
    known.taken += 1
    look()
  })
  /** @param {string} chatId */
  const from = (chatId) => {
    const conversation = { channel: "counting", accountId: "bot", chatId }
    return {
      conversation,
      updateId: `u${++ids}`,
      sender: { id: chatId, isBot: false },
      chat: /** @type {const} */ ("direct")
    }
  }
  return {
    channel,
    /** @param {string} person @param {string} text */
    say: (person, text) => {
      const about = { ...from(person), sentAt: Date.now(), attachments: [], addressed: true }
      Queue.offerUnsafe(received, { incoming: { _tag: "Message", message: { ...about, text } }, confirm })
    },
    /** The *Stop* below the progress message. @param {string} person */
    press: (person) => {
      const incoming = { ...from(person), messageId: "b0", data: stopButtons.get(person) ?? "", press: null }
      Queue.offerUnsafe(received, { incoming: { _tag: "Pressed", ...incoming }, confirm })
    }
  }
})

export const start = Effect.gen(function* () {
  /** @type {Seen} */
  const known = { progress: new Set(), answers: 0, taken: 0, stopped: new Set(), acknowledged: new Set() }
  const { channel, say, press } = yield* task.isTelegram ? startTelegram(known, look) : startCounting(known)
  // All of them at once: the measurement waits for none.
  const options = { whileBusy: /** @type {const} */ ("queue"), limits: { total: task.people } }
  const layer = ChannelBridge.layer({ agents: { test: agent }, access: { users: people }, ...options }).pipe(
    Layer.provide([Store.layerFile({ directory: mkdtempSync(join(tmpdir(), "bridge-")) }), NodeServices.layer])
  )
  const bridge = yield* Effect.provide(Effect.service(ChannelBridge), yield* Layer.build(layer))
  yield* Effect.forkScoped(bridge.serve(channel))
  return { seen: known, say, press }
})
