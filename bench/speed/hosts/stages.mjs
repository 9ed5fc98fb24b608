/**
 * The way of a line through Reins, as far as `task.stage`, without a process: every stage does what those before it do,
 * so that the difference is its own.
 */
import { execFileSync } from "node:child_process"
import { setImmediate as nextTurn } from "node:timers/promises"
import { Effect, Exit, Stream } from "effect"
import { claude } from "../../../dist/cli/claude/index.js"
import { decodeWire } from "../../../dist/cli/claude/wire.js"
import { makeBacklog } from "../../../dist/engine/backlog.js"
import { makeListener } from "../../../dist/engine/listener.js"
import { makeOutbox } from "../../../dist/engine/outbox.js"
import { pipeline } from "../../../dist/engine/pipeline.js"
import { makeLineSplitter } from "../../../dist/process/lines.js"
import { makeRedactor } from "../../../dist/process/redactor.js"
import { runTask } from "../../../dist/run/runTask.js"
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

/** As the inbox of a process gives them, one at a time. */
const stdout = Stream.mapEffect(Stream.fromIterable(chunks, { chunkSize: 1 }), (chunk) =>
  Effect.as(Effect.promise(nextTurn), chunk)
)

/** @param {(event: any, bytes: number) => void} emit */
const guarded = (emit) =>
  Effect.gen(function* () {
    const redactor = makeRedactor(["a secret that is nowhere"])
    const watchdog = { touch: () => {}, notice: () => {}, expired: Effect.never, fired: () => Effect.never }
    const params = { prompt: "hello" }
    const outbox = yield* makeOutbox(emit)
    /** @type {any} What a run needs of its surroundings here. */
    const around = { prepared: { params, plan: { stdin: "" } }, watchdog, redactor }
    const receiver = yield* runTask(claude, {}, outbox).course(around)
    const listener = makeListener({ cli: claude, options: {}, params, watchdog, redactor, receiver })
    yield* pipeline({ ...listener, stdout })
  })

/** @type {Record<string, () => unknown>} */
const stages = {
  split: () => eachLine(() => {}),
  parse: () => eachLine(JSON.parse),
  check: () => eachLine((text) => decodeWire(JSON.parse(text))),
  events: () => {
    const { stages } = claude.decoder({ prompt: "hello" })
    return Effect.runPromise(pipeline({ stdout, stages, onLine: ({ outputs }) => outputs() }))
  },
  guards: () => Effect.runPromise(Effect.scoped(guarded(() => {}))),
  doors: async () => {
    const backlog = makeBacklog()
    const printed = Effect.runPromise(
      Effect.ensuring(
        Effect.scoped(guarded(backlog.offer)),
        Effect.sync(() => backlog.end(Exit.void))
      )
    )
    for await (const _ of Stream.toAsyncIterable(backlog.events));
    await printed
  }
}

const stage = stages[task.stage]
await measure(
  async () => stage?.(),
  () => ({})
)
