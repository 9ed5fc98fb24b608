/** Asks several agents, and prints the answer of each. Loaded only by `reins compare`. */
import { type Cause, Effect, Fiber, Layer, Option, Queue, Result, Stream } from "effect"
import { AgentRuntime } from "../../agents/AgentRuntime.ts"
import { Agents } from "../../agents/Agents.ts"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { AgentExecuteParams } from "../../contract/AgentExecuteParams.ts"
import type { AgentEnd, Changes } from "../../contract/SeveralAgents.ts"
import { formatElapsed } from "../../contract/text/amounts.ts"
import { untraced } from "../../contract/untraced.ts"
import { monotonicMillis } from "../../system/hostClock.ts"
import { findRepository } from "../../system/worktrees/git.ts"
import type { AgentName } from "../chosenAgent.ts"
import { type Ending, endingOf, endWith, failWith, refuse } from "../exit.ts"
import { directoryProblem } from "../flagChecks/checks.ts"
import type { RunFlags } from "../flags.ts"
import { clip, oneLine } from "../format.ts"
import { promptOf } from "../pipedInput.ts"
import { recordedAgent } from "../recording/recordedAgent.ts"
import { below, frame, nothingBelow } from "../redraw.ts"
import { currentScene } from "../sessions/table.ts"
import { write } from "../show.ts"
import { untilStopped } from "../signals.ts"
import { paint, roomOf, type Surface, spinner } from "../style.ts"
import { beside, block, type Compared, isBesideEachOther, table } from "./rows.ts"
import { saveChanges } from "./savedChanges.ts"
import { makeTally, type Tally } from "./tally.ts"

export interface CompareInput
  extends Pick<RunFlags, "config" | "cwd" | "permissionMode" | "timeout" | "budget" | "json"> {
  readonly agents: ReadonlyArray<string>
  /** The id, among the agents, of the CLI of `--agent-module`. */
  readonly own: string | undefined
  readonly agentModule: Option.Option<string>
  readonly models: ReadonlyMap<string, string>
  readonly prompt: string
}

/** In sequence, since each opens the store. */
export const recordedAgents = ({ agents, own, agentModule, config, cwd, budget, json }: CompareInput) =>
  Effect.forEach(agents, (name, at) =>
    Effect.map(
      recordedAgent({
        ...(name === own ? { agent: Option.none(), agentModule } : { agent: Option.some(name as AgentName) }), // checked with the flags
        config,
        cwd,
        budget,
        // Messages about the configuration are printed once.
        json: json || at > 0,
        isKept: false
      }),
      (recorded) => ({ name, ...recorded })
    )
  )

type RecordedAgents = Effect.Success<ReturnType<typeof recordedAgents>>

export interface Asking {
  readonly input: CompareInput
  readonly prompt: string
  readonly agents: RecordedAgents
  readonly onEvent: (event: AgentEvent, agent: string) => void
}

const paramsOf = ({ input, prompt }: Asking, { name, chosen }: RecordedAgents[number], abortSignal: AbortSignal) => {
  const permissionMode = Option.getOrElse(input.permissionMode, () => "plan" as const)
  // Tools that need no permission could change files in any mode.
  const hasTools = (chosen.options.defaults?.allowedTools ?? []).length > 0
  const model = input.models.get(name)
  return {
    prompt,
    permissionMode,
    abortSignal,
    ...(model === undefined ? {} : { model }),
    ...(Option.isSome(input.cwd) ? { workingDirectory: input.cwd.value } : {}),
    ...(permissionMode === "plan" && hasTools ? { allowedTools: [] } : {}),
    ...(Option.isSome(input.timeout) ? { timeouts: { total: input.timeout.value } } : {})
  } satisfies AgentExecuteParams
}

/** Returns the end of each, stopped ones included. Each that may change files has its own worktree. */
export const askAll = (asking: Asking, abortSignal: AbortSignal) => {
  const { agents, onEvent } = asking
  const layers = Object.fromEntries(
    agents.map(({ name, chosen, recording }) => [
      name,
      Layer.provide(AgentRuntime.layer(chosen.cli, chosen.options), recording.layer)
    ])
  )
  const params = new Map(agents.map((one) => [one.name, paramsOf(asking, one, abortSignal)]))
  return Effect.flatMap(Agents, ({ each }) =>
    each((name) => params.get(name) ?? { prompt: asking.prompt }, { worktrees: true, onEvent })
  ).pipe(Effect.provide(Agents.layer(layers)))
}

/** A row for a working agent, below the printed text, on a terminal only. */
export interface Working {
  readonly agent: string
  readonly doing: string | undefined
}

export interface Footer {
  readonly working: () => ReadonlyArray<Working>
  readonly isStopping: () => boolean
}

const frameMs = 100

const rowsOf = ({ working, isStopping }: Footer, surface: Surface, elapsedMs: number, now: number) =>
  working().map(({ agent, doing }) => {
    const what = isStopping() ? "stopping" : oneLine(doing ?? "thinking")
    const text = clip(`${agent}  ${formatElapsed(elapsedMs)} · ${what}`, roomOf(surface) - 2)
    return `${paint(surface, "cyan", spinner(now))} ${paint(surface, "dim", text)}`
  })

export const withFooter = (pieces: Stream.Stream<string>, footer: Footer, surface: Surface) =>
  Effect.map(monotonicMillis, (startedAt) => {
    if (!surface.live) return pieces
    const ticks = Stream.map(Stream.tick(frameMs), () => "")
    return Stream.mapAccumArrayEffect(
      Stream.merge(pieces, ticks, { haltStrategy: "left" }),
      () => nothingBelow,
      (before, texts) =>
        Effect.map(monotonicMillis, (now) => {
          const after = below(rowsOf(footer, surface, now - startedAt, now))
          return [after, [frame(before, texts.join(""), after)]] as const
        }),
      { onHalt: (before) => [frame(before, "", nothingBelow)] }
    )
  })

type Ended = Pick<AgentEnd, "result" | "changes">

const comparedOf = (agent: string, tally: Tally, { result, changes }: Ended): Compared => ({
  agent,
  model: tally.model(),
  result,
  tools: tally.tools(),
  text: tally.failure() ?? tally.answer.textOf(result),
  ...(changes === undefined ? {} : { changes })
})

/** The first of these that occurs is the ending of all. */
const order: ReadonlyArray<Ending> = ["aborted", "bad_usage", "budget_exceeded", "session_busy", "failed", "timed_out"]

const endingOfAll = (ends: ReadonlyArray<AgentEnd>): Ending => {
  const endings = ends.map(({ result }) => endingOf(result))
  return order.find((ending) => endings.includes(ending)) ?? "completed"
}

/** The patch is in the commit. */
const jsonLine = ({ agent, model, tools, result, changes }: Compared): string => {
  const files = changes === undefined ? undefined : { base: changes.base, commit: changes.commit, paths: changes.paths }
  return `${JSON.stringify({ agent, model, tools, result, changes: files })}\n`
}

const keep = Effect.fn(...untraced("Perform.keep"))(function* (input: CompareInput, ends: ReadonlyArray<AgentEnd>) {
  const all = ends.flatMap(
    ({ agent, changes }): ReadonlyArray<readonly [string, Changes]> => (changes === undefined ? [] : [[agent, changes]])
  )
  if (all.length === 0) return
  const { gitDirectory } = yield* findRepository(Option.getOrElse(input.cwd, () => "."))
  yield* saveChanges(gitDirectory, Object.fromEntries(all))
})

const closing = (all: ReadonlyArray<Compared>, surface: Surface): ReadonlyArray<string> => {
  const changed = all.filter(({ changes }) => (changes?.paths.length ?? 0) > 0)
  const hint = changed.map(({ agent }) => `reins compare --apply ${agent}`).join(" · ")
  return ["", ...table(all, surface), ...(hint === "" ? [] : ["", hint])]
}

const both = ([left, right]: ReadonlyArray<Compared>, surface: Surface): ReadonlyArray<string> =>
  left === undefined || right === undefined ? [] : beside([left, right], surface)

/** Preflight: the problems, or all that is needed to start. */
const prepared = Effect.fn(...untraced("Perform.prepared"))(function* (input: CompareInput) {
  const { cwd } = input
  const places = Option.isSome(cwd) ? yield* Effect.promise(() => directoryProblem("--cwd", cwd.value)) : []
  if (places.length > 0) return yield* refuse("compare", places)
  const agents = yield* recordedAgents(input)
  const problem = agents.find((one) => one.problem !== undefined)?.problem
  if (problem !== undefined) return yield* refuse("compare", [problem.message])
  const prompt = yield* Effect.result(promptOf(input.prompt))
  if (Result.isFailure(prompt)) return yield* refuse("compare", [prompt.failure.message])
  return { input, agents, prompt: prompt.success }
})

export const compareAgents = Effect.fn(...untraced("Perform.compareAgents"))(
  function* (input: CompareInput) {
    const { surface } = yield* currentScene
    const ready = yield* prepared(input)
    const tallies = new Map(ready.agents.map(({ name }) => [name, makeTally()]))
    const isBeside = !input.json && isBesideEachOther(ready.agents.length, surface)
    const pieces = yield* Queue.make<string, Cause.Done>()
    let ended = 0
    const onEvent = (event: AgentEvent, agent: string) => {
      const tally = tallies.get(agent)
      tally?.onEvent(event)
      if (event.type !== "done" || tally === undefined) return
      ended += 1
      if (input.json || isBeside) return
      const rows = block(comparedOf(agent, tally, event), ended, surface)
      Queue.offerUnsafe(pieces, `${rows.join("\n")}\n\n`)
    }
    const ends = yield* untilStopped((abortSignal) =>
      Effect.gen(function* () {
        const printed = yield* withFooter(
          Stream.fromQueue(pieces),
          {
            working: () =>
              input.json
                ? []
                : [...tallies].flatMap(([agent, tally]) => (tally.isOver() ? [] : [{ agent, doing: tally.doing() }])),
            isStopping: () => abortSignal.aborted
          },
          surface
        )
        const printing = yield* Effect.forkChild(write(printed))
        const ends = yield* Effect.ensuring(
          askAll({ ...ready, onEvent }, abortSignal),
          Effect.andThen(Queue.end(pieces), Fiber.await(printing))
        )
        // Here, so that stopped agents are shown, too.
        const all = ends.map((end) => comparedOf(end.agent, tallies.get(end.agent) ?? makeTally(), end))
        const rows = [...(isBeside ? both(all, surface) : []), ...closing(all, surface)]
        yield* write(Stream.make(input.json ? all.map(jsonLine).join("") : `${rows.join("\n").replace(/^\n/, "")}\n`))
        yield* keep(input, ends)
        return ends
      })
    )
    for (const { recording } of ready.agents) yield* recording.written
    yield* endWith(endingOfAll(ends))
  },
  Effect.scoped,
  (work) =>
    Effect.catchTags(work, {
      AgentsError: ({ message }) => failWith(message, 1),
      GitFailed: ({ problem }) => failWith(problem, 1),
      StateUnusable: ({ problem }) => failWith(`--apply will not find the changes: ${problem}`, 1),
      UnknownError: () => failWith("--apply will not find the changes: they cannot be kept", 1)
    })
)
