/**
 * The way of a line through Reins, as far as `task.stage`, without a process: every stage does what those before it do,
 * so that the difference is its own.
 */
import { execFileSync } from "node:child_process"
import { setImmediate as nextTurn } from "node:timers/promises"
import { Effect, Exit, Stream } from "effect"
import { claude } from "../../../dist/cli/claude/index.js"
import { decodeWire } from "../../../dist/cli/claude/wire.js"
import { makeLineSplitter } from "../../../dist/process/lines.js"
import { makeRedactor } from "../../../dist/process/redactor.js"
import { makeBacklog } from "../../../dist/run/backlog.js"
import { redactedDecoder } from "../../../dist/run/discreet.js"
import { makeListener } from "../../../dist/run/listener.js"
import { makeReader } from "../../../dist/run/reader.js"
import { makeTally } from "../../../dist/run/tally.js"
import { measure, task } from "./measure.mjs"

const chunkBytes = 64 * 1024
const bytes = execFileSync(task.command, ["-p"], { input: "hello", maxBuffer: 2 ** 30 })
const chunks = Array.from({ length: Math.ceil(bytes.length / chunkBytes) }, (_, nth) =>
  bytes.subarray(nth * chunkBytes, (nth + 1) * chunkBytes)
)

/** @param {(text: string) => unknown} read */
const eachLine = (read) => {
  const splitter = makeLineSplitter(2 ** 26)
  for (const chunk of chunks) for (const line of splitter.push(chunk)) if (line._tag === "Line") read(line.text)
}

const decoder = () => claude.decoder({ prompt: "hello" })

/** @param {import("../../../dist/run/outbox.js").Outbox["give"]} give */
const listenerTo = (give) => {
  const redactor = makeRedactor(["a secret that is nowhere"])
  const tally = makeTally()
  /** @type {import("../../../dist/run/outbox.js").Outbox} */
  const outbox = {
    give: (event, bytes) => {
      tally.push(event)
      give(event, bytes)
    },
    isToolOpen: tally.isToolOpen,
    conclude: () => {},
    ended: () => undefined
  }
  const watchdog = { touch: () => {}, notice: () => {}, expired: Effect.never, fired: () => Effect.never }
  const options = {
    cli: claude,
    options: {},
    decoder: redactedDecoder(decoder(), redactor),
    outbox,
    watchdog,
    redactor
  }
  return makeListener({ ...options, record: () => {} })
}

/** @type {Record<string, () => unknown>} */
const stages = {
  split: () => eachLine(() => {}),
  parse: () => eachLine(JSON.parse),
  check: () => eachLine((text) => decodeWire(JSON.parse(text))),
  events: () => {
    const reader = makeReader(decoder())
    for (const chunk of chunks) for (const line of reader.split(chunk)) reader.read(line)
  },
  guards: () => {
    const listener = listenerTo(() => {})
    for (const chunk of chunks) listener.push(chunk)
  },
  doors: async () => {
    const backlog = makeBacklog()
    const listener = listenerTo((event, bytes = 500) => backlog.offer(event, bytes))
    const print = async () => {
      for (const chunk of chunks) {
        listener.push(chunk)
        await nextTurn()
      }
      backlog.end(Exit.void)
    }
    const printed = print()
    for await (const _ of Stream.toAsyncIterable(backlog.events));
    await printed
  }
}

const stage = stages[task.stage]
await measure(
  async () => stage?.(),
  () => ({})
)
