/** `reins compare`: one prompt for several agents at the same time, and what each made of it. */
import { Effect, Option } from "effect"
import { Argument, Command, type Flag } from "effect/cli"
import { agentNames } from "./chosenAgent.ts"
import { modelsIn } from "./compare/models.ts"
import { listed, oneOf } from "./flagChecks/lists.ts"
import { runFlags, text } from "./flags.ts"
import { refuse } from "./refusal.ts"
import { promptFor } from "./run.ts"

const agents = text("agents", "A,B", "Agents to ask, such as claude,codex")

const model = text("model", "A=M,B=M", "Models, as their CLIs name them: claude=opus,codex=gpt-6")

const apply = text("apply", "NAME", "Apply the changes of this agent, of the last comparison, to the directory")

const { config, cwd, permissionMode, timeout, budget, json } = runFlags

const flags = { agents, model, apply, config, cwd, permissionMode, timeout, budget, json }

type Input = { readonly [Name in keyof typeof flags]: (typeof flags)[Name] extends Flag.Flag<infer A> ? A : never } & {
  readonly prompt: Option.Option<string>
}

/** Problems of the named agents. */
const agentProblems = (names: ReadonlyArray<string>): ReadonlyArray<string> => {
  // One of the protocol needs a program of its own.
  const known: ReadonlyArray<string> = agentNames.filter((name) => name !== "acp")
  const unknown = names.filter((name) => !known.includes(name))
  if (unknown.length > 0) return unknown.map((name) => `--agents ${name}: ${oneOf(name, known)}`)
  const twice = names.find((name, at) => names.indexOf(name) < at)
  if (twice !== undefined) return [`--agents: names ${twice} twice`]
  return names.length < 2 ? ["--agents needs two: claude,codex"] : []
}

const namesIn = (list: string): ReadonlyArray<string> =>
  list
    .split(",")
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== "")

const problemsOf = ({ agents, model, apply, prompt, permissionMode }: Input): ReadonlyArray<string> => {
  if (Option.isSome(apply)) {
    const others = [
      ...(Option.isSome(prompt) ? ["prompt"] : []),
      ...(Option.isSome(agents) ? ["--agents"] : []),
      ...(Option.isSome(model) ? ["--model"] : []),
      ...(Option.isSome(permissionMode) ? ["--permission-mode"] : [])
    ]
    return others.length === 0
      ? []
      : [`--apply ${apply.value}: takes no ${listed(others)}: the agents have worked before`]
  }
  const names = namesIn(Option.getOrElse(agents, () => ""))
  return [
    ...agentProblems(names),
    ...modelsIn(model, names).problems,
    ...(Option.isSome(prompt) ? [] : ['the prompt is missing: reins compare "…" --agents claude,codex'])
  ]
}

export const compare = Command.make(
  "compare",
  { ...flags, prompt: Argument.optional(promptFor("What the agents are to do;")) },
  Effect.fnUntraced(function* (input) {
    const problems = problemsOf(input)
    if (problems.length > 0) return yield* refuse("compare", problems)
    if (Option.isSome(input.apply)) {
      const { applyKept } = yield* Effect.promise(() => import("./compare/apply.ts"))
      return yield* applyKept(input.apply.value, input.cwd)
    }
    const { compareAgents } = yield* Effect.promise(() => import("./compare/perform.ts"))
    const agents = namesIn(Option.getOrElse(input.agents, () => ""))
    yield* compareAgents({
      ...input,
      agents,
      models: modelsIn(input.model, agents).models,
      prompt: Option.getOrElse(input.prompt, () => "")
    })
  })
).pipe(
  Command.withShortDescription("Ask several agents the same, and see their answers side by side"),
  Command.withDescription(
    "Asks several agents the same at the same time: their answers, with time, turns, tools, tokens and cost.\n" +
      "  They may only read (--permission-mode plan), unless another mode is given: then each works in a git worktree\n" +
      "  of its own, made of the last commit, and --apply NAME takes over the changes of one, later and in one piece;\n" +
      "  never over changes of the same files that are not committed.\n" +
      "  Exit code: 0 all completed, 1 one failed, 2 bad usage, 124 one timed out, 130 stopped. Ctrl-C ends them all."
  ),
  Command.withExamples([
    { command: 'reins compare "where is the bug?" --agents claude,codex', description: "Read and answer" },
    {
      command: 'reins compare "where is the bug?" --agents claude,codex --model claude=opus',
      description: "With a model of its own for one of them"
    },
    {
      command: 'reins compare "fix the tests" --agents claude,codex --permission-mode accept-edits',
      description: "Each in a worktree of its own"
    },
    { command: "reins compare --apply claude", description: "Take over the changes of one" }
  ])
)
