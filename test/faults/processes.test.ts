/**
 * However a run ends, none of its processes lives: for every CLI value, with everything that a CLI and its tools are
 * known to leave behind. Linux only, as the guarantee is.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { vi } from "vitest"
import { type CliId, clis } from "../../src/agents/Agents.ts"
import type { Cli } from "../../src/cli/Cli.ts"
import type { AgentExecuteParams } from "../../src/contract/AgentExecuteParams.ts"
import { abortedEnding, completed, endingOf, type RunEnding, timedOut } from "../kit/events.ts"
import * as Endings from "./kit/processEndings.ts"
import { failureOf, successOf } from "./kit/processRecordings.ts"
import { livingOf, makeTree } from "./kit/processTree.ts"

// Each starts up to ten processes: with more at once, two cores measure how long those wait for each other.
vi.setConfig({ maxConcurrency: 5 })

const killGraceMs = 1_000
/** The promised time beyond the grace, plus what a busy machine may take. */
const boundMs = killGraceMs + 2_000 + 3_000

interface Ending {
  readonly name: string
  /** The behaviour of the program once its tree stands. */
  readonly args: (cli: Cli) => ReadonlyArray<string>
  readonly params?: Partial<AgentExecuteParams>
  readonly end: (run: Endings.Going) => Effect.Effect<Endings.Ended, never, Scope.Scope>
  readonly told?: Partial<RunEnding>
}

/** Gemini starts itself a second time, Codex and OpenCode come with a wrapper around their program. */
const behind = "--behind=wrapper,launcher"

const stays = (cli: Cli) => [behind, successOf(cli).file, "--lines=1", "--then=stay"]
/** Neither the program nor the wrapper, which waits for it, obeys the stop signal. */
const isDeaf = (cli: Cli) => ["--behind=wrapper", successOf(cli).file, "--lines=1", "--then=deaf"]

const failed = { outcome: "failed", aborted: false } as const

const endings: ReadonlyArray<Ending> = [
  { name: "it succeeds", args: (cli) => [behind, ...successOf(cli).exits], end: Endings.toItsEnd, told: completed },
  {
    name: "the CLI gives up",
    args: (cli) => [behind, ...failureOf(cli).exits],
    end: Endings.toItsEnd,
    told: { ...failed, reason: "agent_failed" }
  },
  {
    name: "the CLI is killed",
    args: (cli) => [successOf(cli).file, "--lines=1", "--then=kill"],
    end: Endings.toItsEnd,
    told: { ...failed, reason: "killed" }
  },
  {
    name: "it lingers after its result",
    args: (cli) => [behind, successOf(cli).file, "--then=stay"],
    params: { timeouts: { linger: 500, idle: 500 } },
    end: Endings.toItsEnd
  },
  {
    name: "it is silent for too long",
    args: isDeaf,
    params: { timeouts: { idle: 500 } },
    end: Endings.toItsEnd,
    told: timedOut("idle")
  },
  {
    name: "it takes too long",
    args: stays,
    params: { timeouts: { total: 15_000 } },
    end: Endings.toItsEnd,
    told: timedOut("total")
  },
  { name: "it is aborted", args: stays, end: Endings.aborted, told: abortedEnding },
  { name: "it is aborted and deaf", args: isDeaf, end: Endings.aborted, told: abortedEnding },
  { name: "its consumer leaves the stream", args: stays, end: Endings.left },
  { name: "its consumer leaves the loop", args: stays, end: Endings.loopLeft },
  { name: "its fiber is interrupted", args: isDeaf, end: Endings.interrupted },
  { name: "its layer is closed", args: stays, end: Endings.layerClosed },
  { name: "its agent is closed", args: isDeaf, end: Endings.agentClosed }
]

/** Seen only by their parentage, while their parents live. */
const late: Ending = {
  name: "it has gone on for long",
  args: (cli) => [...stays(cli), "--trees=late-daemons"],
  end: Endings.aborted,
  told: abortedEnding
}

/** The run of `cli` has ended, in time, and nothing of its tree lives. */
const checkEnding = Effect.fnUntraced(function* (id: CliId, { args, params, end, told: reported }: Ending) {
  const { baseArgs, stands, pids } = yield* makeTree
  const options = {
    command: process.execPath,
    baseArgs: [...baseArgs, ...args(clis[id])],
    killGrace: killGraceMs
  }
  const { endedAt, events } = yield* end({ id, options, params: { prompt: "hello", ...params }, stands })
  const tookMs = performance.now() - endedAt
  assert.deepStrictEqual(livingOf(pids()), [], "alive after the end")
  assert.isBelow(tookMs, boundMs)
  if (reported !== undefined) assert.deepInclude(endingOf(events), reported)
})

const ids = Object.keys(clis) as ReadonlyArray<CliId>

describe.concurrent.each(ids)("nothing of a run of %s lives when", (id) => {
  it.live.each(endings.map((ending) => [ending.name, ending] as const))("%s", ([_, ending]) => checkEnding(id, ending))
})

it.live("nothing of four runs that go on at once lives, whenever in them it was started", () =>
  Effect.forEach(ids, (id) => checkEnding(id, late), { concurrency: "unbounded", discard: true })
)
