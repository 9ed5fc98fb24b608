/**
 * Live sessions over peers: programs of `fixtures/programs/live` that speak a CLI's protocol from the agent's side and do
 * what their prompts say.
 */
import { randomUUID } from "node:crypto"
import { fileURLToPath } from "node:url"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Context, Effect, Exit, Layer, Scope, Stream } from "effect"
import { assert } from "vitest"
import { AgentRuntime } from "../../src/agents/AgentRuntime.ts"
import { type CliId, clis } from "../../src/agents/Agents.ts"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import type { AgentOpenParams } from "../../src/contract/AgentOpenParams.ts"
import type { AgentOptions } from "../../src/contract/AgentOptions.ts"
import type { AgentSession } from "../../src/contract/AgentSession.ts"
import { killGrace } from "./agent.ts"
import { textOf } from "./events.ts"
import { processesWith } from "./processes.ts"

/** Steps of a peer, one after another; see `fixtures/programs/live/steps.mjs`. */
export type PeerStep =
  | { readonly say: string }
  | { readonly begin: string }
  | { readonly times: { readonly count: number; readonly text: string } }
  | { readonly tool: Tool & { readonly open?: true } }
  | { readonly close: string }
  | { readonly ask: Tool & { readonly before?: true } }
  | { readonly question: PeerQuestion }
  | { readonly withdraw: string }
  | { readonly await: number }
  | { readonly steered: number }
  | { readonly stderr: string }
  /** A line as it is. */
  | { readonly line: string }
  | { readonly exit: number }
  | { readonly signal: string }
  | { readonly fail: string }
  | { readonly [Name in "tell" | "hang" | "pid" | "spawn" | "silent" | "ignoreSignals" | "forget"]?: true }
  | { readonly [Name in "unknown" | "malformed"]?: true }

interface Tool {
  readonly id: string
  readonly command?: string
  readonly path?: string
  readonly content?: string
  /** Claude only: the agent has a plan. */
  readonly plan?: string
  /** Claude only: why it asks, beyond its mode. */
  readonly reason?: string
}

export interface PeerQuestion {
  readonly id: string
  readonly question: string
  readonly options: ReadonlyArray<string>
  readonly multiple?: boolean
}

export const script = (...steps: ReadonlyArray<PeerStep>) => JSON.stringify(steps)

export const ids = Object.keys(clis) as ReadonlyArray<CliId>

/** Options that make an agent run the peer instead of the CLI. */
export const peer = (id: CliId, ...args: ReadonlyArray<string>) => ({
  command: process.execPath,
  baseArgs: [fileURLToPath(new URL(`../../fixtures/programs/live/${id}.mjs`, import.meta.url)), ...args]
})

/** Where the CLIs differ by nature. */
export const traits = (id: CliId) => ({
  takesInput: id === "claude",
  /** A denial has a reason for the model. */
  toldWhy: id === "claude",
  steers: id === "claude" || id === "codex" || id === "pi",
  /** A text that came too late for the agent's last look is still answered in the same turn. */
  joinsLateTexts: id === "pi",
  asksQuestions: id === "claude" || id === "codex" || id === "pi",
  /** A question takes an answer beside its options. */
  takesOtherAnswers: id !== "pi",
  /** Pi acts without asking: what a script would ask for is done. */
  asksPermission: id !== "pi",
  /** Model and mode can change in mid-session. Pi would make the model the default of all its sessions, and has no modes. */
  changes: id !== "pi"
})

/** A call of a tool: asked for, and answered, where the CLI asks at all. */
export const use = (id: CliId, tool: Tool): ReadonlyArray<PeerStep> =>
  traits(id).asksPermission ? [{ ask: tool }, { await: 1 }] : [{ tool }]

/** The CLIs that ask before they act: suites about permissions are about these alone. */
export const askers = ids.filter((id) => traits(id).asksPermission)

/** Events as they come, and a signal for each. */
export const makeLog = () => {
  const events: Array<AgentEvent> = []
  const wakers: Array<() => void> = []
  const wake = () => {
    for (const waker of wakers.splice(0)) waker()
  }
  const next = Effect.callback<void>((resume) => {
    wakers.push(() => resume(Effect.void))
  })
  return {
    events,
    push: (event: AgentEvent) =>
      Effect.sync(() => {
        events.push(event)
        wake()
      }),
    /** Waits until it holds of what has come. */
    until: (holds: (events: ReadonlyArray<AgentEvent>) => boolean): Effect.Effect<void> =>
      Effect.suspend(function again(): Effect.Effect<void> {
        return holds(events) ? Effect.void : Effect.andThen(next, Effect.suspend(again))
      })
  }
}

export type Log = ReturnType<typeof makeLog>

export interface Opened {
  readonly session: AgentSession
  /** All events of the session. */
  readonly log: Log
  readonly turn: (...steps: ReadonlyArray<PeerStep>) => Effect.Effect<ReadonlyArray<AgentEvent>>
  /** A turn whose events go to the log alone; waits for its beginning of nothing. */
  readonly begin: (...steps: ReadonlyArray<PeerStep>) => Effect.Effect<void>
  /** Pids of all that the session has started and that still live. */
  readonly alive: () => ReadonlyArray<number>
  readonly close: Effect.Effect<void>
}

const runtimeOf = (id: CliId, options: AgentOptions) =>
  Layer.build(
    AgentRuntime.layer(clis[id], { killGrace, ...peer(id), ...options }).pipe(Layer.provide(NodeServices.layer))
  )

/** The service over a peer; its layer is closed with the scope of the test. */
export const agentOver = (id: CliId, options: AgentOptions = {}) =>
  Effect.map(runtimeOf(id, options), (context) => Context.get(context, AgentRuntime))

/** In a scope of its own, which closes with the test at the latest. */
export const open = Effect.fnUntraced(function* (
  id: CliId,
  params: AgentOpenParams = {},
  options: AgentOptions = {},
  { isHeard = true } = {}
) {
  const mark = `mark-${randomUUID()}`
  const agent = yield* agentOver(id, options)
  const scope = yield* Scope.fork(yield* Effect.scope)
  const session = yield* agent.open({ ...params, env: { ...params.env, PEER_MARK: mark } }).pipe(Scope.provide(scope))
  const log = makeLog()
  const hearing = Stream.runForEach(session.events, log.push)
  if (isHeard) yield* Effect.forkScoped(hearing, { startImmediately: true })
  const turn = (...steps: ReadonlyArray<PeerStep>) => Stream.runCollect(session.turn(script(...steps)))
  const opened: Opened = {
    session,
    log,
    turn,
    begin: (...steps) => Effect.asVoid(Effect.forkIn(turn(...steps), scope, { startImmediately: true })),
    alive: () => processesWith(mark),
    close: Scope.close(scope, Exit.void)
  }
  return opened
})

/** Messages of a peer, line by line: CLIs differ in how they part their messages. */
export const content = (events: ReadonlyArray<AgentEvent>): ReadonlyArray<string> =>
  textOf(events)
    .split(/\n+/)
    .filter((line) => line !== "")

type Typed<Type extends AgentEvent["type"]> = Extract<AgentEvent, { readonly type: Type }>

export const typed = <Type extends AgentEvent["type"]>(events: ReadonlyArray<AgentEvent>, type: Type) =>
  // The filter is what the type says.
  events.filter((event) => event.type === type) as unknown as ReadonlyArray<Typed<Type>>

/** Waits for the request about this command, which names it. */
export const requested = (log: Log, command: string) =>
  Effect.map(
    log.until((events) => typed(events, "permission_request").some((request) => request.command === command)),
    () => {
      const request = typed(log.events, "permission_request").findLast((each) => each.command === command)
      return request ?? assert.fail(`nothing asks for ${command}`)
    }
  )

export const turnsDone = (log: Log, count: number) => log.until((events) => typed(events, "turn_done").length >= count)

export const ended = (log: Log) => log.until((events) => events.at(-1)?.type === "done")

/** Its one `turn_done`, which is last. */
export const turnResult = (events: ReadonlyArray<AgentEvent>) => {
  const types = events.map(({ type }) => type).join(" ")
  assert.strictEqual(typed(events, "turn_done").length, 1, `one turn_done in ${types}`)
  const last = events.at(-1)
  if (last?.type !== "turn_done") return assert.fail(`turn_done is last in ${types}`)
  return last.result
}

/** Laws for the events of every session that is over. */
export const assertWhole = (events: ReadonlyArray<AgentEvent>) => {
  const requests = typed(events, "permission_request").map(({ requestId }) => requestId)
  const decisions = typed(events, "permission_decision").map(({ requestId }) => requestId)
  const questions = typed(events, "question").map(({ requestId }) => requestId)
  const answers = typed(events, "question_answer").map(({ requestId }) => requestId)
  assert.deepStrictEqual([...decisions].sort(), [...requests].sort(), "one decision for each request")
  assert.deepStrictEqual([...answers].sort(), [...questions].sort(), "one answer for each question")
  assert.strictEqual(typed(events, "done").length, 1, "one done")
  assert.strictEqual(events.at(-1)?.type, "done")
}
