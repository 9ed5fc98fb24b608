/**
 * `reins run`: runs one prompt with an agent and shows its events as they arrive; and `reins demo`, the same with the demo
 * agent.
 */
import { Effect, Layer, Option, Result, Stream } from "effect"
import { Argument, Command } from "effect/cli"
import { AgentRuntime } from "../agents/AgentRuntime.ts"
import { failedRun } from "../agents/engine/result.ts"
import type { InvalidParams } from "../contract/AgentError.ts"
import type { AgentEvent } from "../contract/AgentEvent.ts"
import type { TurnParams } from "../contract/AgentOpenParams.ts"
import type { StoreError } from "../contract/StoreError.ts"
import { untraced } from "../contract/untraced.ts"
import type { OpenStore } from "../conversations/store/OpenStore.ts"
import type { Platform } from "../system/process/Platform.ts"
import type { AgentName } from "./chosenAgent.ts"
import { type Chosen, worktreesThere } from "./configured.ts"
import { text } from "./conversationFlags.ts"
import { endWith, refuse } from "./exit.ts"
import { flagProblems } from "./flagChecks/checks.ts"
import { agentFlag, configuredAgentFlag, type RunFlags, runFlags } from "./flags.ts"
import { isIdBeginning, withWholeId } from "./idBeginning.ts"
import { optionsOf, paramsOf } from "./params.ts"
import { promptOf } from "./pipedInput.ts"
import { recordedAgent } from "./recording/recordedAgent.ts"
import { type OutputForm, show } from "./show.ts"
import { untilStopped } from "./signals.ts"
import { withTelemetry } from "./telemetry/withTelemetry.ts"

interface RunInput extends RunFlags {
  readonly name: string
  readonly agent: Option.Option<AgentName>
  readonly prompt: string
  /** Names the database of a cluster: `env:NAME` or `file:PATH`. */
  readonly database?: Option.Option<string>
  /** Whether piped input is ignored. */
  readonly isAlone?: boolean
}

interface RunParts {
  readonly params: Result.Result<TurnParams, InvalidParams>
  readonly store: Effect.Effect<OpenStore, StoreError>
  readonly abortSignal: AbortSignal
  readonly cluster: { readonly cli: string; readonly database: string } | undefined
}

const eventsOf = (parts: RunParts): Stream.Stream<AgentEvent, never, AgentRuntime | Platform> => {
  const { params, store, abortSignal, cluster } = parts
  if (Result.isFailure(params)) return Stream.fromIterable(failedRun(params.failure))
  const value = { ...params.success, abortSignal }
  if (cluster !== undefined)
    return Stream.unwrap(
      Effect.map(
        Effect.promise(() => import("./clusterRun.ts")),
        ({ clusterEvents }) => clusterEvents(value, cluster.cli, cluster.database)
      )
    )
  return Stream.unwrap(
    value.conversation === undefined
      ? AgentRuntime.useSync((agent) => agent.execute(value))
      : Effect.map(
          Effect.promise(() => import("./conversations.ts")),
          ({ conversationEvents }) => conversationEvents(value, store)
        )
  )
}

const paramsWithInput = Effect.fn(...untraced("Run.paramsWithInput"))(function* (
  input: RunInput,
  { chosen, configuration }: Chosen
) {
  const params = yield* paramsOf(input, input.prompt, chosen, worktreesThere(configuration, input.cwd))
  return input.isAlone === true ? params : { ...params, prompt: yield* promptOf(input.prompt) }
})

const runPrompt = Effect.fn(...untraced("Run.runPrompt"))(
  function* (input: RunInput) {
    const { database = Option.none() } = input
    const isKept = (Option.isSome(input.conversation) && Option.isNone(database)) || isIdBeginning(input.resume)
    const form: OutputForm = Option.getOrElse(input.output, () => (input.json ? "events" : "transcript"))
    const recorded = yield* recordedAgent({ ...input, isKept, json: form !== "transcript" })
    const { chosen, problem, recording } = recorded
    const { label, cli, options } = chosen
    const wrong = problem === undefined ? yield* flagProblems(input, chosen) : []
    if (wrong.length > 0) return yield* refuse(input.name, wrong)
    // Before anything is drawn: the prompt may be typed on the same terminal.
    const params =
      problem === undefined
        ? yield* Effect.result(paramsWithInput(yield* withWholeId(input, cli.id), recorded))
        : Result.fail(problem)
    const cluster = Option.getOrUndefined(Option.map(database, (place) => ({ cli: cli.id, database: place })))
    const agent = AgentRuntime.layer(cli, { ...options, ...optionsOf(input, chosen.label === "acp") })
    const runtime = Layer.provide(agent, recording.layer)
    const outcome = yield* untilStopped((abortSignal) =>
      show(eventsOf({ params, store: recording.store, abortSignal, cluster }), {
        agent: label,
        form,
        command: input.name,
        isStopping: () => abortSignal.aborted
      })
    ).pipe(Effect.provide(runtime))
    yield* recording.written
    yield* endWith(outcome)
  },
  Effect.scoped,
  withTelemetry
)

export const promptFor = (description: string) =>
  Argument.String("prompt").pipe(
    Argument.withDescription(`${description} put -- before one that begins with -`),
    Argument.filter(
      (text) => text.trim() !== "",
      () => "some text"
    )
  )

const prompt = promptFor("What the agent is to do, with what is piped in below it; - reads it all from stdin;")

const databaseFlag = text(
  "database",
  "env:NAME",
  "Run it in the home of its conversation, of the cluster on this PostgreSQL server (docs/cluster.md)"
)

export const run = Command.make(
  "run",
  { agent: configuredAgentFlag, ...runFlags, database: databaseFlag, prompt },
  (input) => runPrompt({ ...input, name: "run" })
).pipe(
  Command.withShortDescription("Run one prompt and show what the agent does"),
  Command.withDescription(
    "Runs one prompt with an agent and shows what it does. What is piped in (16 MiB at most) is added to the prompt.\n" +
      "  Failures and warnings are written to stderr, and so is what is wrong with a command line.\n" +
      "  Exit code: 0 completed, 1 failed, 2 bad usage, 3 session busy, 4 budget exceeded, 124 timed out, 130 stopped."
  ),
  Command.withExamples([
    { command: 'reins run "why does the build fail?"', description: "Run Claude Code" },
    {
      command: 'git diff | reins run --permission-mode plan "review this"',
      description: "Pipe something to the prompt; the agent may only read"
    },
    { command: 'reins run --output text "name this project" > name.txt', description: "Write the answer alone" },
    { command: 'reins run --json "say hi" | jq -r .type', description: "Print events for a program" },
    {
      command: 'reins run --resume ID --timeout 10m "go on"',
      description: "Continue a session, for at most ten minutes"
    },
    { command: 'reins run --budget day=5 "fix the tests"', description: "Spend at most $5 a day" },
    {
      command: 'reins run --allowed-tools "Read,Bash(git *)" -- "-v: what does it do?"',
      description: "A prompt that begins with -"
    }
  ])
)

export const demo = Command.make(
  "demo",
  { agent: agentFlag("demo"), ...runFlags, prompt: Argument.optional(prompt) },
  (input) =>
    runPrompt({
      ...input,
      name: "demo",
      agent: Option.some(input.agent),
      prompt: Option.getOrElse(input.prompt, () => "Show me what a run looks like."),
      isAlone: Option.isNone(input.prompt)
    })
).pipe(
  Command.withShortDescription("Like run, with a demo agent that needs no model and no account"),
  Command.withDescription(
    "Runs the demo agent: a real process without a model.\n" +
      "  Takes the same flags as `reins run`; the prompt is optional."
  ),
  Command.withExamples([
    { command: "reins demo", description: "See what a run looks like" },
    { command: 'reins demo --agent claude "say hi"', description: "The same with a real agent" }
  ])
)
