/**
 * The way of a line through Reins, as far as `task.stage`, without a process: every stage does what those before it do,
 * so that the difference is its own. It takes the sources, since a built package has no doors in between; their types are
 * gone before anything is measured.
 */
import { execFileSync } from "node:child_process"
import { setImmediate as nextTurn } from "node:timers/promises"
import { Effect, Exit } from "effect"
import { makeBacklog } from "../../../src/agents/engine/backlog.ts"
import { makeListener } from "../../../src/agents/engine/listener.ts"
import { pipeline } from "../../../src/agents/engine/pipeline.ts"
import type { ProcessContext } from "../../../src/agents/engine/setUp.ts"
import { makeStop } from "../../../src/agents/engine/stop.ts"
import { makeAnswered, makeRunEvents, runTask } from "../../../src/agents/run/runTask.ts"
import { iterable } from "../../../src/api/promise/iterable.ts"
import { claude } from "../../../src/cli/claude/index.ts"
import type { AgentEvent } from "../../../src/contract/AgentEvent.ts"
import type { AgentExecuteParams } from "../../../src/contract/AgentExecuteParams.ts"
import type { RunStart } from "../../../src/contract/Start.ts"
import { type Inbox, makeInbox } from "../../../src/system/process/inbox.ts"
import { makeLineSplitter } from "../../../src/system/process/lines.ts"
import { makeRedactor } from "../../../src/system/process/redactor.ts"
import { measure, task } from "./measure.mjs"

const chunkBytes = 64 * 1024
const bytes = execFileSync(task.command, ["-p"], { input: "hello", maxBuffer: 2 ** 30 })
const chunks = Array.from({ length: Math.ceil(bytes.length / chunkBytes) }, (_, nth) =>
  bytes.subarray(nth * chunkBytes, (nth + 1) * chunkBytes)
)
const params: AgentExecuteParams = { prompt: "hello" }

const eachLine = (read: (text: string) => unknown) => {
  const splitter = makeLineSplitter(2 ** 26)
  for (const chunk of chunks) for (const line of splitter.push(chunk)) if (line._tag === "Line") read(line.text)
}

/** As they come from a process, one in each turn of the event loop. */
const print = async ({ push, end }: Inbox) => {
  for (const chunk of chunks) {
    await nextTurn()
    push(chunk)
  }
  end()
}

const stdout = () => {
  const inbox = makeInbox()
  void print(inbox)
  return inbox.stream
}

const guarded = (emit: (event: AgentEvent, bytes: number) => void) =>
  Effect.gen(function* () {
    const redactor = makeRedactor(["a secret that is nowhere"])
    const watchdog = { touch: () => {}, notice: () => {} }
    const events = yield* makeRunEvents(emit, makeStop())
    // A run here needs no more of its surroundings.
    const around = { prepared: { params, plan: { stdin: "" } }, watchdog } as unknown as ProcessContext<
      AgentExecuteParams,
      RunStart
    >
    const course = yield* runTask(claude, {}, events, makeAnswered(claude, undefined)).course(around)
    const listener = makeListener({
      cli: claude,
      options: {},
      params,
      workingDirectory: "/workspace",
      watchdog,
      redactor,
      course
    })
    yield* pipeline({ ...listener, stdout: stdout() })
  }).pipe(Effect.scoped)

const stages: Record<string, () => unknown> = {
  split: () => eachLine(() => {}),
  parse: () => eachLine(JSON.parse),
  check: () => claude.decoder(params).stages((wire) => eachLine((text) => wire(JSON.parse(text)))),
  events: () => {
    const { stages } = claude.decoder(params)
    return Effect.runPromise(pipeline({ stdout: stdout(), stages, onLine: ({ outputs }) => outputs() }))
  },
  guards: () => Effect.runPromise(guarded(() => {})),
  doors: async () => {
    const backlog = makeBacklog()
    const printed = Effect.runPromise(
      Effect.ensuring(
        guarded(backlog.offer),
        Effect.sync(() => backlog.end(Exit.void))
      )
    )
    for await (const _ of iterable(backlog.events));
    await printed
  }
}

const stage = stages[task.stage]
await measure(
  async () => stage?.(),
  () => ({})
)
