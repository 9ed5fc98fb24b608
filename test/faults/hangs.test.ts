/**
 * Nothing keeps a run from ending: whatever its process does with its pipes and signals, whoever reads it, and however
 * and when it is told to end. Every combination is tried, with the four CLIs in turn; each ends within its grace and two
 * seconds, and what a loaded machine needs besides.
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Context, Duration, Effect, Exit, Fiber, Layer, Schedule, Scope, Stream } from "effect"
import type { AgentExecuteParams } from "../../src/AgentExecuteParams.ts"
import { AgentRuntime } from "../../src/AgentRuntime.ts"
import { type CliId, clis } from "../../src/agents.ts"
import { nodePlatform } from "../../src/process/nodePlatform.ts"
import { createAgent } from "../../src/promise.ts"
import { program } from "../kit/agent.ts"
import { processesWith } from "../kit/processes.ts"
import { makeDirectory } from "../kit/temporary.ts"

const graceMs = 300
const boundMs = graceMs + 2_000 + 3_000

const deaf = "is deaf to signals"

const programs = {
  "says nothing and reads nothing": ["silent"],
  "reads nothing": ["never-reads-stdin"],
  "fills stdout and reads nothing": ["floods-stdout", "--bytes=2000000000"],
  "fills stderr": ["floods-stderr", "--bytes=2000000000"],
  [deaf]: ["ignores-sigterm"]
} as const

interface Run {
  readonly id: CliId
  readonly baseArgs: ReadonlyArray<string>
  readonly prompt: string
  /** When it is told to end. */
  readonly moment: Effect.Effect<void>
}

const optionsOf = ({ baseArgs }: Run) => ({ command: process.execPath, baseArgs, killGrace: graceMs })

const build = (run: Run) =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const layer = AgentRuntime.layer(clis[run.id], optionsOf(run)).pipe(Layer.provide(nodePlatform))
    const agent = Context.get(yield* Layer.buildWithScope(layer, scope), AgentRuntime)
    return { agent, close: Scope.close(scope, Exit.void) }
  })

type Consume = (agent: AgentRuntime["Service"], params: AgentExecuteParams) => Effect.Effect<unknown>

const reads: Consume = (agent, params) => Stream.runDrain(agent.execute(params))
const pauses: Consume = (agent, params) => Stream.runForEach(agent.execute(params), () => Effect.never)
const runs: Consume = (agent, params) => Effect.exit(agent.run(params))

/** Forks the consumer, waits for the moment, ends it. */
const ending = (consume: Consume, end: (fiber: Fiber.Fiber<unknown>, abort: () => void) => Effect.Effect<unknown>) =>
  Effect.fnUntraced(function* (run: Run) {
    const { agent, close } = yield* build(run)
    const controller = new AbortController()
    const params = { prompt: run.prompt, abortSignal: controller.signal }
    const fiber = yield* Effect.forkChild(consume(agent, params), { startImmediately: true })
    yield* run.moment
    const tookMs = yield* timed(end(fiber, () => controller.abort()))
    yield* close
    return tookMs
  })

const timed = (effect: Effect.Effect<unknown>) => Effect.map(Effect.timed(effect), ([took]) => Duration.toMillis(took))

const aborted = (fiber: Fiber.Fiber<unknown>, abort: () => void) => {
  abort()
  return Fiber.await(fiber)
}

const closed = (consume: Consume) =>
  Effect.fnUntraced(function* (run: Run) {
    const { agent, close } = yield* build(run)
    const fiber = yield* Effect.forkChild(consume(agent, { prompt: run.prompt }), { startImmediately: true })
    yield* run.moment
    const tookMs = yield* timed(Effect.all([close, close], { concurrency: "unbounded" }))
    yield* Fiber.interrupt(fiber)
    return tookMs
  })

const plainly = (end: (agent: ReturnType<typeof createAgent>, events: AsyncIterator<unknown>) => Promise<unknown>) =>
  Effect.fnUntraced(function* (run: Run) {
    const agent = createAgent(run.id, optionsOf(run))
    const events = agent.execute({ prompt: run.prompt })[Symbol.asyncIterator]()
    const first = events.next()
    yield* run.moment
    const tookMs = yield* timed(Effect.promise(() => Promise.all([end(agent, events), first])))
    yield* Effect.promise(() => agent.close())
    return tookMs
  })

const interrupted = (fiber: Fiber.Fiber<unknown>) => Fiber.interrupt(fiber)

const ways = {
  "its reader is interrupted": ending(reads, interrupted),
  "its reader is interrupted while it pauses": ending(pauses, interrupted),
  "`run` is interrupted": ending(runs, interrupted),
  "it is aborted": ending(reads, aborted),
  "`run` is aborted": ending(runs, aborted),
  "its layer is closed, twice at once": closed(reads),
  "its layer is closed while its reader pauses": closed(pauses),
  "its agent is closed, twice at once": plainly((agent) => Promise.all([agent.close(), agent.close()])),
  "its loop is left": plainly((_, events) => events.return?.() ?? Promise.resolve())
}

/** The process is there, and deaf if it shall be. */
const hasStarted = (pidFile: string, does: string) =>
  Effect.sync(() => (does === deaf ? existsSync(pidFile) : processesWith(pidFile).length > 0)).pipe(
    Effect.repeat({ until: (isThere) => isThere, schedule: Schedule.spaced("50 millis") }),
    Effect.asVoid
  )

const moments = {
  "at once": () => Effect.void,
  "once its process is there": hasStarted
}

const ids = Object.keys(clis) as ReadonlyArray<CliId>

/** As long as the CLI takes it. */
const promptFor = (id: CliId) =>
  "p".repeat({ claude: 9_000_000, gemini: 5_000_000, codex: 1_000_000, opencode: 10_000_000 }[id])

const cells = Object.entries(programs).flatMap(([does, [name, ...args]]) =>
  Object.entries(ways).flatMap(([how, way]) =>
    Object.entries(moments).map(([when, moment]) => ({ does, name, args, how, way, when, moment }))
  )
)

describe.concurrent("a run ends in time", { timeout: 120_000 }, () => {
  it.live.each(cells.map((cell, index) => ({ ...cell, id: ids[index % ids.length] ?? "claude" })))(
    "$id $does: $how, $when",
    ({ id, does, name, args, way, moment }) =>
      Effect.gen(function* () {
        const pidFile = join(yield* makeDirectory, "pid")
        const { baseArgs } = program(name, ...args, `--pid-file=${pidFile}`)
        const tookMs = yield* way({ id, baseArgs, prompt: promptFor(id), moment: moment(pidFile, does) })
        assert.isBelow(tookMs, boundMs)
        assert.deepStrictEqual(processesWith(pidFile), [])
      })
  )
})
