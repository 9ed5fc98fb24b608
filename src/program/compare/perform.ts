/** Asks several agents, and prints what each made of it. Loaded by `reins compare` alone. */
import { type Cause, Effect, Fiber, Option, Queue, Result, Stream } from "effect"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { AgentEnd, Changes } from "../../contract/SeveralAgents.ts"
import { findRepository } from "../../system/worktrees/repository.ts"
import { type Ending, endingOf, endWith } from "../exit.ts"
import { promptOf } from "../pipedInput.ts"
import { refuse } from "../refusal.ts"
import { failWith } from "../sessions/failing.ts"
import { currentScene } from "../sessions/scene.ts"
import { write } from "../show.ts"
import { untilStopped } from "../signals.ts"
import type { Surface } from "../style.ts"
import { directoryProblem } from "../wrong/checks.ts"
import { askAll, type CompareInput, recordedAgents } from "./ask.ts"
import { withFooter } from "./footer.ts"
import { keepChanges } from "./kept.ts"
import { beside, block, type Compared, isBesideEachOther, table } from "./rows.ts"
import { makeTally, type Tally } from "./tally.ts"

const comparedOf = (
  agent: string,
  tally: Tally,
  { result, changes }: Pick<AgentEnd, "result" | "changes">
): Compared => ({
  agent,
  model: tally.model(),
  result,
  tools: tally.tools(),
  text: tally.failure() ?? tally.answer.textOf(result),
  ...(changes === undefined ? {} : { changes })
})

/** The first of these that one of them has. */
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

const keep = Effect.fnUntraced(function* (input: CompareInput, ends: ReadonlyArray<AgentEnd>) {
  const all = ends.flatMap(
    ({ agent, changes }): ReadonlyArray<readonly [string, Changes]> => (changes === undefined ? [] : [[agent, changes]])
  )
  if (all.length === 0) return
  const { gitDirectory } = yield* findRepository(Option.getOrElse(input.cwd, () => "."))
  yield* keepChanges(gitDirectory, Object.fromEntries(all))
})

/** What is written below the answers. */
const closing = (all: ReadonlyArray<Compared>, surface: Surface): ReadonlyArray<string> => {
  const changed = all.filter(({ changes }) => (changes?.paths.length ?? 0) > 0)
  const hint = changed.map(({ agent }) => `reins compare --apply ${agent}`).join(" · ")
  return ["", ...table(all, surface), ...(hint === "" ? [] : ["", hint])]
}

const both = ([left, right]: ReadonlyArray<Compared>, surface: Surface): ReadonlyArray<string> =>
  left === undefined || right === undefined ? [] : beside([left, right], surface)

/** What is wrong before anything is started, and what is needed to start. */
const prepared = Effect.fnUntraced(function* (input: CompareInput) {
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

export const compareAgents = Effect.fnUntraced(
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
        const shown = yield* withFooter(
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
        const printing = yield* Effect.forkChild(write(shown))
        const ends = yield* Effect.ensuring(
          askAll({ ...ready, onEvent }, abortSignal),
          Effect.andThen(Queue.end(pieces), Fiber.await(printing))
        )
        // Here, where those that were stopped are shown, too.
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
