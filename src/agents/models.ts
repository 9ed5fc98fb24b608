/**
 * The models that a CLI lists, in a process of its own that asks no model: the parameters of a live session without any,
 * the dialogue of the CLI's value, and the guards of every process. Nothing is kept from one question to the next.
 */
import { Cause, Deferred, Effect, Exit, Fiber, Schema, Stream } from "effect"
import type { Cli } from "../cli/Cli.ts"
import type { ModelsDialogue, ModelsQuestion } from "../cli/Models.ts"
import { Aborted, AgentError, type FailureReason, NoResult, TimedOut } from "../contract/AgentError.ts"
import { AgentExecuteParams } from "../contract/AgentExecuteParams.ts"
import type { AgentModels } from "../contract/AgentModels.ts"
import type { AgentOptions } from "../contract/AgentOptions.ts"
import { makeParser } from "../contract/checkInput.ts"
import { untraced } from "../contract/untraced.ts"
import { resolveCommand } from "../system/process/findCommand.ts"
import { launch } from "../system/process/launch.ts"
import { makeLineSplitter } from "../system/process/lines.ts"
import { writePrivateFiles } from "../system/process/privateFiles.ts"
import { makeRedactor } from "../system/process/redactor.ts"
import { makeStdin } from "../system/process/stdin.ts"
import { killGrace, notInstalled } from "./engine/endings.ts"
import { judge, withCause } from "./engine/judge.ts"
import type { Lifetimes } from "./engine/lifetimes.ts"
import { prepare, refusedContract } from "./engine/prepare.ts"
import { redactEnding } from "./engine/redact.ts"
import { resultOfNothing } from "./engine/result.ts"
import { leaseOf } from "./engine/setUp.ts"
import { makeStop, type Stop, stopOnAbort } from "./engine/stop.ts"

const { workingDirectory, abortSignal, env } = AgentExecuteParams.fields
const parse = makeParser(Schema.Struct({ workingDirectory, abortSignal, env }), "params")

/** Keeps the defaults of an agent that concern its process. */
const forQuestion = ({ defaults, ...options }: AgentOptions): AgentOptions =>
  defaults === undefined
    ? options
    : { ...options, defaults: { workingDirectory: defaults.workingDirectory, env: defaults.env } }

const longestMs = 60_000
/** The list of OpenCode with all of its facts is 200 KB. */
const maxLineBytes = 16 * 1024 * 1024

export interface ListOptions {
  readonly cli: Cli
  readonly options: AgentOptions
  readonly input: unknown
  readonly lifetimes: Lifetimes
}

/** Reads stdout to its end. */
const converse = (
  { line }: ModelsDialogue,
  stdout: Stream.Stream<Uint8Array>,
  write: (json: unknown) => void,
  settle: (outcome: AgentModels | FailureReason) => void
) => {
  const splitter = makeLineSplitter(maxLineBytes)
  const take = (lines: ReturnType<typeof splitter.push>) => {
    for (const each of lines) {
      const step = each._tag === "Line" ? line(each.text) : {}
      for (const json of step.write ?? []) write(json)
      if (step.outcome !== undefined) settle(step.outcome)
    }
  }
  return Effect.andThen(
    Stream.runForEach(stdout, (chunk) => Effect.sync(() => take(splitter.push(chunk)))),
    Effect.sync(() => take(splitter.end()))
  )
}

const isModels = (outcome: AgentModels | FailureReason): outcome is AgentModels => "type" in outcome

/** One question in a process, which is gone when the scope closes. */
const ask = Effect.fn(...untraced("Models.ask"))(function* (
  { cli, options, input }: ListOptions,
  question: ModelsQuestion,
  stop: Stop
) {
  const prepared = yield* prepare(cli, forQuestion(options), input, {
    accept: parse,
    plan: (_, agent, context) => question.plan(agent, context)
  })
  yield* stopOnAbort(stop, prepared.params.abortSignal)
  if (Deferred.isDoneUnsafe(stop)) return yield* new Aborted()
  const redactor = makeRedactor(prepared.secrets)
  yield* writePrivateFiles(prepared.privateDirectory, prepared.plan)
  yield* leaseOf(cli, prepared, () => undefined) ?? Effect.void
  const dialogue = question.dialogue(prepared.workingDirectory)
  const stdin = makeStdin()
  const write = (json: unknown) => stdin.write(`${JSON.stringify(json)}\n`)
  for (const json of dialogue.open) write(json)
  if (dialogue.open.length === 0) stdin.end()
  const child = yield* launch({
    ...prepared,
    command: yield* resolveCommand(cli, prepared.command, prepared.env),
    stdin,
    stopSignal: cli.stopSignal,
    killGrace: killGrace(options, true),
    redactor,
    notInstalled: () => notInstalled(cli, prepared.command)
  })
  const settled = yield* Deferred.make<AgentModels | FailureReason>()
  const settle = (outcome: AgentModels | FailureReason) => {
    Deferred.doneUnsafe(settled, Effect.succeed(outcome))
  }
  const reading = yield* child.forkReader(converse(dialogue, child.stdout, write, settle))
  const budgetMs = Math.min(prepared.budgets.startup, longestMs)
  const outcome: AgentModels | FailureReason = yield* Effect.raceAllFirst([
    Deferred.await(settled),
    Effect.gen(function* () {
      const exit = yield* child.finished
      yield* Fiber.join(reading)
      if (Deferred.isDoneUnsafe(settled)) return yield* Deferred.await(settled)
      const models = "code" in exit && exit.code === 0 ? dialogue.end?.() : undefined
      return models ?? judge(undefined, exit, child.stderr()).failure ?? new NoResult({ stderr: "" })
    }),
    Effect.as(Effect.sleep(budgetMs), new TimedOut({ state: "startup", budgetMs })),
    Effect.as(Deferred.await(stop), new Aborted())
  ])
  if (isModels(outcome)) return outcome
  const ending = withCause(redactEnding({ failure: outcome }, redactor), { stderr: child.stderr(), texts: [] })
  return yield* ending.failure ?? outcome
})

export const listModels = (value: ListOptions): Effect.Effect<AgentModels, AgentError> =>
  Effect.gen(function* () {
    const { cli, lifetimes } = value
    const { models: question } = cli
    const errorOf = (reason: FailureReason) =>
      new AgentError({ cli: cli.id, reason, result: resultOfNothing(reason), hadOutput: false })
    const refusal = refusedContract(cli)
    if (refusal !== undefined) return yield* errorOf(refusal)
    if (question === undefined) return { type: "unlisted" } as const
    const answer = yield* Deferred.make<AgentModels, FailureReason>()
    const stop = makeStop()
    yield* lifetimes.begin(
      { type: "models", ended: () => undefined, stop },
      Effect.flatMap(Effect.exit(Effect.scoped(ask(value, question, stop))), (exit) => Deferred.done(answer, exit)),
      (exit) => {
        if (Exit.isFailure(exit)) Deferred.doneUnsafe(answer, Effect.die(Cause.squash(exit.cause)))
      }
    )
    return yield* Effect.mapError(Deferred.await(answer), errorOf)
  }).pipe(Effect.scoped)
