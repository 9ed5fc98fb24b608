/**
 * A process with all its guards, from its parameters until nothing of it is left: the flow of runs and live sessions. What
 * differs between the two is in `Course`; everything called here is one stage in its own file.
 */
import { Deferred, Effect, Fiber, type Scope, type Stream } from "effect"
import type { Cli } from "../cli/Cli.ts"
import type { Verdict } from "../cli/Decoder.ts"
import { Aborted, type FailureReason, NotInstalled } from "../contract/AgentError.ts"
import type { AgentOptions } from "../contract/AgentOptions.ts"
import type { ProcessExit } from "../contract/AgentRunResult.ts"
import type { RunStart, SessionStart } from "../contract/Start.ts"
import { resolveCommand } from "../process/findCommand.ts"
import { launch, type RunProcess } from "../process/launch.ts"
import type { Platform } from "../process/Platform.ts"
import type { Fork } from "./admission.ts"
import { withCause } from "./cause.ts"
import { afterGates, departure, endProcess, exited, killGrace, stdoutClosed, timedOut } from "./endings.ts"
import type { Ending } from "./judge.ts"
import { type Listener, makeListener, type Receiver } from "./listener.ts"
import { pipeline } from "./pipeline.ts"
import { type CommonParams, prepare } from "./prepare.ts"
import { redactEnding } from "./redact.ts"
import { type ProcessContext, type SetUpRequest, setUp } from "./setUp.ts"

/** How one prompt, or a conversation, uses the process. */
export interface Course extends Receiver {
  /** Written as it arrives; its end closes the CLI's stdin. */
  readonly stdin: Stream.Stream<string>
  /** Called when the process runs: the first lines can be written. */
  readonly onRunning?: () => void
  /** Completes when the CLI has read its settings. Default: when it has reported its session. */
  readonly settingsRead?: Effect.Effect<void>
  /** Completes when the CLI has reported the end, or has to be stopped. */
  readonly endReported: Effect.Effect<Ending>
  /** The CLI's verdict, once all of its output is read. */
  readonly verdict: (exit: ProcessExit | undefined) => Verdict | undefined
  /** The ending when the caller leaves. */
  readonly endingWhenLeft: () => Ending
  /** Waits for further facts about the end of the process. */
  readonly complete?: (ending: Ending, exit: Effect.Effect<ProcessExit>) => Effect.Effect<Ending>
  /** Texts for the model, which no message repeats. */
  readonly texts: () => ReadonlyArray<string>
  /** Emits the end; the gates may delay it. */
  readonly conclude: (ending: Ending, stderr: string) => void
  /** Run after the end was emitted: nothing more is written. */
  readonly stop?: Effect.Effect<void>
  /** Whether the process exits by itself after the end; otherwise it is stopped at once. */
  readonly mayLinger: boolean
}

/** A run, or a live session. */
export interface Task<Params extends CommonParams, Started extends RunStart | SessionStart>
  extends SetUpRequest<Params, Started> {
  readonly course: (context: ProcessContext<Params, Started>) => Effect.Effect<Course, FailureReason, Scope.Scope>
  /** Called with the failure if it ended before its process started. */
  readonly refuse: (failure: FailureReason) => void
}

export interface SuperviseOptions<Params extends CommonParams, Started extends RunStart | SessionStart> {
  readonly cli: Cli
  readonly options: AgentOptions
  readonly input: unknown
  readonly task: Task<Params, Started>
  /** Completed when the caller leaves. */
  readonly left: Deferred.Deferred<void>
  readonly background: Fork
}

/** The whole flow, in order. */
const conduct = Effect.fnUntraced(function* <Params extends CommonParams, Started extends RunStart | SessionStart>({
  cli,
  options,
  input,
  task,
  left,
  background
}: SuperviseOptions<Params, Started>) {
  const asked = yield* prepare(cli, options, input, task)
  const { isGone, abort, unwanted, leave } = departure(asked.params.abortSignal, left)
  if (isGone()) return yield* new Aborted()
  const context = yield* setUp(task, { cli, options, prepared: asked, leave, background })
  const { prepared, redactor, watchdog, settings } = context
  const course = yield* task.course(context)
  const child = yield* spawn(cli, options, course.stdin, context)
  const listener = makeListener({ cli, options, params: prepared.params, watchdog, redactor, receiver: course })
  const read = yield* reading(child, listener, options, context.record)
  yield* Effect.forkScoped(Effect.andThen(course.settingsRead ?? listener.sessionNamed, settings.release))
  course.onRunning?.()
  const first: Ending = yield* Effect.raceAllFirst([
    course.endReported,
    exited(child, read, course.verdict),
    stdoutClosed(child, read, course.verdict),
    timedOut(child, watchdog, course.verdict),
    Effect.map(task.out.outlet.refused, (failure) => ({ failure })),
    Effect.as(abort, { failure: new Aborted() }),
    Effect.map(Deferred.await(left), course.endingWhenLeft)
  ])
  const completed = course.complete === undefined ? first : yield* course.complete(first, child.finished)
  const ending = yield* afterGates(task.out.outlet, completed, unwanted, watchdog.expired)
  const [stderr, texts, hint] = [child.stderr(), course.texts(), listener.hint()]
  course.conclude(withCause(redactEnding(ending, redactor), { stderr, texts, hint }), stderr)
  yield* task.out.outlet.passed
  yield* course.stop ?? Effect.void
  const lingerMs = ending.mayLinger === true && course.mayLinger ? prepared.budgets.linger : 0
  const ended = endProcess(child, { lingerMs, hurry: abort, grace: killGrace(options, listener.hasSpoken()) })
  yield* Effect.all([ended, settings.release], { concurrency: "unbounded", discard: true })
})

/** Completes when nothing that it started is left. */
export const supervise = <Params extends CommonParams, Started extends RunStart | SessionStart>(
  given: SuperviseOptions<Params, Started>
): Effect.Effect<void, never, Platform> =>
  conduct(given).pipe(
    Effect.catch((failure) => {
      given.task.refuse(failure)
      return given.task.out.outlet.passed
    }),
    Effect.scoped
  )

/** Starts reading stdout; gives an effect that waits until all is read. A defect of this library is passed on. */
const reading = (
  process: RunProcess,
  listener: Listener,
  { maxLineBytes }: AgentOptions,
  record: ProcessContext<CommonParams, RunStart>["record"]
) => Effect.map(process.forkReader(pipeline({ ...listener, stdout: process.stdout, record, maxLineBytes })), Fiber.join)

const spawn = Effect.fnUntraced(function* (
  cli: Cli,
  options: AgentOptions,
  stdin: Stream.Stream<string>,
  { prepared, starting, redactor }: Pick<ProcessContext<CommonParams, RunStart>, "prepared" | "starting" | "redactor">
) {
  const { stopSignal, install, signIn } = cli
  const command = yield* resolveCommand(cli, prepared.command, prepared.env)
  yield* starting
  return yield* launch({
    ...prepared,
    command,
    stdin,
    stopSignal,
    killGrace: killGrace(options, true),
    redactor,
    notInstalled: new NotInstalled({ command: prepared.command, install, signIn })
  })
})
