/** Every span that is opened ends, whatever its process dies of, at any line of its output: for all CLIs. Real processes. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Option, Stream } from "effect"
import { AgentRuntime } from "../../src/agents/AgentRuntime.ts"
import { type CliId, clis } from "../../src/agents/Agents.ts"
import type { Cli } from "../../src/cli/Cli.ts"
import type { AgentExecuteParams } from "../../src/contract/AgentExecuteParams.ts"
import { fixturesOf, recordingPath } from "../cli/fixtures.ts"
import { linesOf } from "../cli/transcript.ts"
import { killGrace, program } from "../kit/agent.ts"
import { open, type PeerStep, requested, traits, typed } from "../kit/live.ts"
import { makeSpans } from "../kit/spans.ts"
import { wireOf } from "./kit/beginnings.ts"
import { secondOpinion } from "./kit/secondOpinion.ts"

const ids = Object.keys(clis) as ReadonlyArray<CliId>

/** All have ended, and each is below another or the root; the root failed unless its user has stopped it. Gives how tools ended. */
const assertEnded = ({ spans }: ReturnType<typeof makeSpans>, name: string, error: string | undefined) => {
  const known = new Set(spans.map(({ spanId }) => spanId))
  const roots = spans.filter(({ parent }) => Option.isNone(parent))
  assert.deepStrictEqual(
    roots.map((span) => span.name),
    [name]
  )
  for (const span of spans) {
    assert.strictEqual(span.status._tag, "Ended", span.name)
    if (Option.isSome(span.parent)) assert.isTrue(known.has(span.parent.value.spanId), span.name)
  }
  const [root] = roots
  assert.isTrue(root?.status._tag === "Ended" && Exit.isFailure(root.status.exit))
  assert.strictEqual(root?.attributes.get("error.type"), error)
  return spans
    .filter((span) => span.name.startsWith("execute_tool"))
    .map(({ attributes }) => attributes.get("error.type"))
}

interface Fault {
  readonly after: string
  readonly error: string | undefined
  readonly params?: () => Partial<AgentExecuteParams>
}

const faults: Readonly<Record<string, Fault>> = {
  "is killed": { after: "kill", error: "killed" },
  "leaves without a result": { after: "exit-0", error: "no_result" },
  "is aborted": { after: "stay", error: undefined, params: () => ({ abortSignal: AbortSignal.timeout(2_000) }) },
  "falls silent": { after: "stay", error: "timed_out", params: () => ({ timeouts: { idle: 400, tool: 400 } }) },
  "takes too long": { after: "stay", error: "timed_out", params: () => ({ timeouts: { total: 2_000 } }) }
}

/** Lines of an answer that is whole, although more lines were recorded behind it: Pi prints no result. */
const isWhole = (cli: Cli, lines: ReadonlyArray<Uint8Array>) =>
  secondOpinion(cli.id, wireOf(lines), undefined).verdict({ code: 0 }) !== undefined

/** The beginnings of recordings with tools that have no end yet; OpenCode tells of a call when it has ended. */
const beginningsOf = (cli: Cli) =>
  fixturesOf(cli)
    .filter(({ expectation }) => !expectation.goesOn && expectation.events.some(({ type }) => type === "tool_use"))
    .slice(0, 3)
    .flatMap((fixture) => {
      const end = fixture.expectation.certainAfterLine ?? new TextDecoder().decode(fixture.bytes).split("\n").length - 1
      const all = linesOf(fixture.bytes)
      return Array.from({ length: Math.max(0, end - 1) }, (_, index) => index + 1)
        .filter((lines) => !isWhole(cli, all.slice(0, lines)))
        .map((lines) => ({ file: recordingPath(cli, fixture), lines }))
    })
    .filter((_, nth, all) => nth % Math.ceil(all.length / 12) === 0)

describe.each(ids)("runs of %s", (id) => {
  it.live.each(Object.entries(faults))("when the process %s", ([_, { after, error, params }]) =>
    Effect.gen(function* () {
      const cli = clis[id]
      const beginnings = beginningsOf(cli)
      assert.isAbove(beginnings.length, 5)
      const ends = yield* Effect.forEach(
        beginnings,
        ({ file, lines }) => {
          const traced = makeSpans()
          const options = program("replays", `--file=${file}`, `--lines=${lines}`, `--then=${after}`)
          const layer = AgentRuntime.layer(cli, { killGrace, ...options }).pipe(Layer.provide(NodeServices.layer))
          return AgentRuntime.use((agent) => Stream.runDrain(agent.execute({ prompt: "hello", ...params?.() }))).pipe(
            Effect.provide(layer),
            traced.with,
            Effect.map(() => assertEnded(traced, `invoke_agent ${id}`, error))
          )
        },
        { concurrency: 6 }
      )
      if (id !== "opencode") assert.include(ends.flat(), "unfinished")
    })
  )
})

const inTool: PeerStep = { tool: { id: "t1", command: "sleep 1", open: true } }
const asks: PeerStep = { ask: { id: "t2", command: "touch a" } }

describe.each(ids)("live sessions of %s", (id) => {
  it.live("when the process is killed, in a tool call and a request", () =>
    Effect.gen(function* () {
      const traced = makeSpans()
      const { turn, log, close } = yield* traced.with(open(id))
      yield* turn(inTool, asks, { signal: "SIGKILL" })
      yield* log.until((events) => typed(events, "done").length === 1)
      yield* close
      const ends = assertEnded(traced, `invoke_agent ${id}`, "killed")
      assert.include(ends, "unfinished")
    }).pipe(Effect.scoped)
  )

  it.live("when its user closes it, in a tool call and a request", () =>
    Effect.gen(function* () {
      const traced = makeSpans()
      const { begin, log, close } = yield* traced.with(open(id, { approvals: [] }))
      yield* begin(inTool, asks, { hang: true })
      if (traits(id).asksPermission) yield* requested(log, "touch a")
      else yield* log.until((events) => typed(events, "tool_result").length > 0)
      yield* close
      const ends = assertEnded(traced, `invoke_agent ${id}`, undefined)
      assert.include(ends, "unfinished")
    }).pipe(Effect.scoped)
  )

  it.live("when it falls silent, or takes too long", () =>
    Effect.gen(function* () {
      for (const timeouts of [{ idle: 400, tool: 400 }, { total: 900 }]) {
        const traced = makeSpans()
        const { turn, log, close } = yield* traced.with(open(id, { timeouts }))
        yield* turn(inTool, { silent: true })
        yield* log.until((events) => typed(events, "done").length === 1)
        yield* close
        assert.include(assertEnded(traced, `invoke_agent ${id}`, "timed_out"), "unfinished")
      }
    }).pipe(Effect.scoped)
  )
})
