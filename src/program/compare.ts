/** `reins compare`: one prompt for several agents at the same time, and the answer of each. */
import { Effect, Option, Result } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { suggestionFor } from "../contract/suggestions.ts"
import { agentNames } from "./chosenAgent.ts"
import { text } from "./conversationFlags.ts"
import { refuse } from "./exit.ts"
import { agentModuleFlag, runFlags } from "./flags.ts"
import { listed, oneOf } from "./format.ts"
import { promptFor } from "./run.ts"

const agents = text("agents", "A,B", "Agents to ask, such as claude,codex")
const model = text("model", "A=M,B=M", "Models, as their CLIs name them: claude=opus,codex=gpt-6")
const apply = text("apply", "NAME", "Apply the changes of this agent, of the last comparison, to the directory")
const agentModule = agentModuleFlag.pipe(
  Flag.withDescription("Module that exports a CLI of your own, which is asked, too")
)
const { config, cwd, permissionMode, timeout, budget, json } = runFlags
const flags = { agents, agentModule, model, apply, config, cwd, permissionMode, timeout, budget, json }

type Input = { readonly [Name in keyof typeof flags]: (typeof flags)[Name] extends Flag.Flag<infer A> ? A : never } & {
  readonly prompt: Option.Option<string>
}

export interface Models {
  /** By the name of the agent; a missing one has its configured model. */
  readonly models: ReadonlyMap<string, string>
  readonly problems: ReadonlyArray<string>
}

const unknownAgent = (name: string, agents: ReadonlyArray<string>): string => {
  if (agents.length === 0) return `--model ${name}: the agents are missing: --agents claude,codex`
  const near = suggestionFor(name, agents)
  return `--model ${name}: not one of --agents. ${near === undefined ? listed(agents) : `Did you mean ${near}?`}`
}

const modelsIn = (flag: Option.Option<string>, agents: ReadonlyArray<string>): Models => {
  const models = new Map<string, string>()
  const problems: Array<string> = []
  for (const item of Option.getOrElse(flag, () => "").split(",")) {
    const [before = "", after] = item.split(/=(.*)/s)
    const [name, model] = [before.trim().toLowerCase(), after?.trim()]
    if (item.trim() === "") continue
    if (model === undefined) {
      problems.push(`--model ${before.trim()}: the agent is missing: --model ${agents[0] ?? "claude"}=${before.trim()}`)
    } else if (!agents.includes(name)) problems.push(unknownAgent(name, agents))
    else if (model === "") problems.push(`--model ${name}: a model is missing, as the CLI names it`)
    else if (models.has(name)) problems.push(`--model: names ${name} twice`)
    else models.set(name, model)
  }
  const isEmpty = Option.isSome(flag) && models.size === 0 && problems.length === 0
  return { models, problems: isEmpty ? ["--model: is empty"] : problems }
}

const agentProblems = (names: ReadonlyArray<string>, own: string | undefined): ReadonlyArray<string> => {
  // An agent of the protocol needs a program of its own.
  const known: ReadonlyArray<string> = agentNames.filter((name) => name !== "acp")
  const unknown = names.filter((name) => !known.includes(name))
  if (unknown.length > 0) return unknown.map((name) => `--agents ${name}: ${oneOf(name, known)}`)
  const twice = names.find((name, at) => names.indexOf(name) < at)
  if (twice !== undefined) return [`--agents: names ${twice} twice`]
  if (own !== undefined) return names.length < 1 ? ["--agents needs one beside --agent-module: claude"] : []
  return names.length < 2 ? ["--agents needs two: claude,codex"] : []
}

const namesIn = (list: string): ReadonlyArray<string> =>
  list
    .split(",")
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== "")

const withOwn = (names: ReadonlyArray<string>, own: string | undefined) => (own === undefined ? names : [...names, own])

const ownIdOf = Effect.fnUntraced(function* ({ agentModule, apply }: Input) {
  if (Option.isNone(agentModule) || Option.isSome(apply)) return undefined
  const { loadCli } = yield* Effect.promise(() => import("./agentModule.ts"))
  return (yield* loadCli(agentModule.value)).id
})

/** `own`: the id of the CLI of `--agent-module`. */
const problemsOf = (input: Input, own: string | undefined): ReadonlyArray<string> => {
  const { agents, agentModule, model, apply, prompt, permissionMode } = input
  if (Option.isSome(apply)) {
    const others = [
      ...(Option.isSome(prompt) ? ["prompt"] : []),
      ...(Option.isSome(agents) ? ["--agents"] : []),
      ...(Option.isSome(agentModule) ? ["--agent-module"] : []),
      ...(Option.isSome(model) ? ["--model"] : []),
      ...(Option.isSome(permissionMode) ? ["--permission-mode"] : [])
    ]
    return others.length === 0
      ? []
      : [`--apply ${apply.value}: takes no ${listed(others)}: the agents have worked before`]
  }
  const names = namesIn(Option.getOrElse(agents, () => ""))
  return [
    ...agentProblems(names, own),
    ...modelsIn(model, withOwn(names, own)).problems,
    ...(Option.isSome(prompt) ? [] : ['the prompt is missing: reins compare "…" --agents claude,codex'])
  ]
}

export const compare = Command.make(
  "compare",
  { ...flags, prompt: Argument.optional(promptFor("What the agents are to do;")) },
  Effect.fnUntraced(function* (input) {
    const loaded = yield* Effect.result(ownIdOf(input))
    if (Result.isFailure(loaded)) return yield* refuse("compare", [loaded.failure.message])
    const own = loaded.success
    const problems = problemsOf(input, own)
    if (problems.length > 0) return yield* refuse("compare", problems)
    if (Option.isSome(input.apply)) {
      const { applyKept } = yield* Effect.promise(() => import("./compare/apply.ts"))
      return yield* applyKept(input.apply.value, input.cwd)
    }
    const { compareAgents } = yield* Effect.promise(() => import("./compare/perform.ts"))
    const agents = withOwn(namesIn(Option.getOrElse(input.agents, () => "")), own)
    yield* compareAgents({
      ...input,
      agents,
      own,
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
