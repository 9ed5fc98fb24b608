/** `reins run`: runs one prompt with an agent and shows its events as they arrive. */
import { Effect, Layer, Option, Result, Stream } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { AgentRuntime } from "../agents/AgentRuntime.ts"
import { failedRun } from "../agents/engine/result.ts"
import type { InvalidParams } from "../contract/AgentError.ts"
import type { AgentEvent } from "../contract/AgentEvent.ts"
import type { StoreError } from "../contract/StoreError.ts"
import type { TurnParams } from "../contract/TurnParams.ts"
import type { OpenStore } from "../conversations/store/OpenStore.ts"
import type { AgentName, ChosenAgent } from "./chosenAgent.ts"
import { endWith } from "./exit.ts"
import { flagProblems } from "./flagChecks/checks.ts"
import { configuredAgentFlag, type RunFlags, runFlags } from "./flags.ts"
import { optionsOf, paramsOf } from "./params.ts"
import { promptOf } from "./pipedInput.ts"
import { recordedAgent } from "./recording/recordedAgent.ts"
import { refuse } from "./refusal.ts"
import { type OutputForm, show } from "./show.ts"
import { untilStopped } from "./signals.ts"
import { withTelemetry } from "./telemetry/withTelemetry.ts"

interface RunInput extends RunFlags {
  /** The words after `reins`. */
  readonly name: string
  readonly agent: Option.Option<AgentName>
  readonly prompt: string
  /** Where the database of a cluster is named. */
  readonly database?: Option.Option<string>
  /** Whether stdin is of no concern to the prompt. */
  readonly isAlone?: boolean
}

interface RunParts {
  readonly params: Result.Result<TurnParams, InvalidParams>
  readonly store: Effect.Effect<OpenStore, StoreError>
  readonly abortSignal: AbortSignal
  /** The CLI that a cluster is asked for, and where its database is named. */
  readonly cluster: { readonly cli: string; readonly database: string } | undefined
}

const eventsOf = ({
  params,
  store,
  abortSignal,
  cluster
}: RunParts): Stream.Stream<AgentEvent, never, AgentRuntime> => {
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

const formOf = ({ json, output }: RunFlags): OutputForm =>
  Option.getOrElse(output, () => (json ? "events" : "transcript"))

const paramsWithInput = Effect.fnUntraced(function* (input: RunInput, chosen: ChosenAgent) {
  const params = yield* paramsOf(input, input.prompt, chosen)
  return input.isAlone === true ? params : { ...params, prompt: yield* promptOf(input.prompt) }
})

export const runPrompt = Effect.fnUntraced(
  function* (input: RunInput) {
    const { database = Option.none() } = input
    const isKept = Option.isSome(input.conversation) && Option.isNone(database)
    const form = formOf(input)
    const { chosen, problem, recording } = yield* recordedAgent({ ...input, isKept, json: form !== "transcript" })
    const { label, cli, options } = chosen
    const wrong = problem === undefined ? yield* flagProblems(input, chosen) : []
    if (wrong.length > 0) return yield* refuse(input.name, wrong)
    // Before anything is drawn: the prompt may be typed on the same terminal.
    const params = problem === undefined ? yield* Effect.result(paramsWithInput(input, chosen)) : Result.fail(problem)
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

export const prompt = promptFor("What the agent is to do, with what is piped in below it; - reads it all from stdin;")

const databaseFlag = Flag.String("database").pipe(
  Flag.withMetavar("env:NAME"),
  Flag.withDescription(
    "Run it in the home of its conversation, of the cluster on this PostgreSQL server (docs/cluster.md)"
  ),
  Flag.optional
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
