/**
 * A process with all its guards, until nothing of it is left: the flow of runs and live sessions, which differ in `Course`. The
 * process is a resource of a Scope (`spawn`); its stdout is read as one Stream (`pipeline.ts`); the settings lease is an
 * `acquireRelease` (`settings/lease.ts`); the verdict, the exit, the watchdog or a stop completes its one `Deferred<Ending>`.
 * A run whose answer needs another turn has a further process: admitted, watched and limited as one run.
 */
import { Clock, Deferred, Effect, type Scope } from "effect"
import type { Cli } from "../../cli/Cli.ts"
import { type FailureReason, SessionBusy } from "../../contract/AgentError.ts"
import type { AgentOptions } from "../../contract/AgentOptions.ts"
import type { RunStart, SessionStart } from "../../contract/Start.ts"
import { resolveCommand } from "../../system/process/findCommand.ts"
import { launch } from "../../system/process/launch.ts"
import type { Platform } from "../../system/process/Platform.ts"
import type { Stdin } from "../../system/process/stdin.ts"
import { subjectName } from "../guard/place.ts"
import type { Fork } from "./admission.ts"
import type { Course } from "./course.ts"
import { afterExit, afterGates, endProcess, exited, killGrace, notInstalled, timedOut } from "./endings.ts"
import { type Ending, withCause } from "./judge.ts"
import { makeListener } from "./listener.ts"
import { pipeline } from "./pipeline.ts"
import { type CommonParams, type Prepared, prepare } from "./prepare.ts"
import { redactEnding } from "./redact.ts"
import { endingWithRetryAt } from "./retryTime.ts"
import { type ProcessContext, type SetUpRequest, setUp } from "./setUp.ts"
import { aborted, type Stop, stopOnAbort, stopped } from "./stop.ts"

/** The parts of a process that show a refusal of its session. */
interface BusyFacts {
  readonly sessionId: string | undefined
  readonly stderr: string
}

/** Recognises the CLI's own refusal of a session that another process uses, which the guard did not know of. */
export const asBusy = ({ refusesBusy }: Cli, { sessionId, stderr }: BusyFacts, ending: Ending): Ending => {
  const { failure } = ending
  if (sessionId === undefined || refusesBusy === undefined) return ending
  if (failure?._tag !== "Exited" && failure?._tag !== "AgentFailed") return ending
  if (!refusesBusy(failure._tag === "Exited" ? stderr : failure.detail, sessionId)) return ending
  const subject = subjectName({ what: "session", cli: "", sessionId })
  return { ...ending, failure: new SessionBusy({ what: "session", subject, waitedMs: 0 }) }
}

export interface Task<Params extends CommonParams, Started extends RunStart | SessionStart>
  extends SetUpRequest<Params, Started> {
  readonly course: (
    context: ProcessContext<Params, Started>
  ) => Effect.Effect<Course<Params>, FailureReason, Scope.Scope>
  /** Called with the failure if it ended before its process started. */
  readonly refuse: (failure: FailureReason) => void
}

export interface SuperviseOptions<Params extends CommonParams, Started extends RunStart | SessionStart> {
  readonly cli: Cli
  readonly options: AgentOptions
  readonly input: unknown
  readonly task: Task<Params, Started>
  readonly stop: Stop
  readonly background: Fork
}

/** The whole flow, in order. */
const conduct = Effect.fnUntraced(function* <Params extends CommonParams, Started extends RunStart | SessionStart>(
  value: SuperviseOptions<Params, Started>
) {
  const { cli, options, input, task } = value
  const requested = yield* prepare(cli, options, input, task)
  const { sessionId } = requested.params
  const named = sessionId === undefined ? {} : { sessionId }
  return yield* Effect.annotateLogs(conductPrepared(value, requested), { runId: requested.runId, ...named })
})

const conductPrepared = Effect.fnUntraced(function* <
  Params extends CommonParams,
  Started extends RunStart | SessionStart
>(value: SuperviseOptions<Params, Started>, requested: Prepared<Params>) {
  const { cli, options, task, stop, background } = value
  yield* stopOnAbort(stop, requested.params.abortSignal)
  if (Deferred.isDoneUnsafe(stop)) return yield* stopped(stop)
  let context = yield* setUp(task, { cli, options, prepared: requested, stop, background })
  while (true) {
    const next = yield* Effect.scoped(Effect.catch(conductProcess(value, context), refusing(task)))
    if (next === undefined) return
    if (Deferred.isDoneUnsafe(stop)) return yield* stopped(stop)
    const { equip: _beforeTheFirst, ...request } = task
    context.watchdog.touch("startup")
    context = { ...context, starting: undefined, prepared: yield* prepare(cli, options, next, request, requested) }
  }
})

/** The first to end completes `end`; the others are interrupted. */
const firstEnding = (end: Deferred.Deferred<Ending>, others: ReadonlyArray<Effect.Effect<Ending>>) =>
  Effect.forEach(others, (other) => Effect.forkScoped(Deferred.into(other, end), { startImmediately: true }), {
    discard: true
  }).pipe(Effect.andThen(Deferred.await(end)), Effect.scoped)

/** Runs one process until nothing of it is left. Returns the parameters of a further one. */
const conductProcess = Effect.fnUntraced(function* <
  Params extends CommonParams,
  Started extends RunStart | SessionStart
>({ cli, options, task, stop }: SuperviseOptions<Params, Started>, context: ProcessContext<Params, Started>) {
  const { prepared, redactor, watchdog } = context
  const settings = yield* context.files(prepared)
  const course = yield* task.course(context)
  const child = yield* spawn(cli, options, course.stdin, context)
  const { params, workingDirectory } = prepared
  const listener = makeListener({ cli, options, params, workingDirectory, watchdog, redactor, course })
  const { maxLineBytes } = options
  const reader = yield* child.forkReader(
    pipeline({ ...listener, stdout: child.stdout, record: context.record, maxLineBytes })
  )
  if (settings !== undefined) {
    yield* Effect.forkScoped(Effect.andThen(course.settingsRead ?? listener.sessionNamed, settings.release))
  }
  course.onRunning?.()
  const first = yield* firstEnding(course.end, [
    Effect.map(Deferred.await(stop), ({ by, failure }) => (by === "caller" ? course.endingWhenLeft() : { failure })),
    exited(child, reader, course.verdict),
    timedOut(child, watchdog, course)
  ])
  const completed = course.complete === undefined ? first : yield* course.complete(first, child.finished)
  const ending = yield* afterGates(task.out.outlet, completed, stop)
  const next = course.again?.(redactEnding(ending, redactor))
  if (next === undefined) {
    const [stderr, texts, hint] = [child.stderr(), course.texts(), listener.hint()]
    yield* course.account?.() ?? Effect.void
    const redacted = endingWithRetryAt(redactEnding(ending, redactor), yield* Clock.currentTimeMillis)
    const known = asBusy(cli, { sessionId: params.sessionId, stderr }, redacted)
    course.conclude(withCause(known, { stderr, texts, hint }), stderr)
    yield* task.out.outlet.passed
  }
  course.stop?.()
  const lingerMs = ending.mayLinger === true && course.mayLinger ? prepared.budgets.linger : 0
  // Between two processes, a caller who leaves must not wait for the end.
  const hurry = next === undefined ? aborted(params.abortSignal) : Deferred.await(stop)
  const ended = endProcess(child, { lingerMs, hurry, grace: killGrace(options, listener.hasSpoken()) })
  if (settings === undefined) yield* ended
  else yield* Effect.all([ended, settings.release], { concurrency: "unbounded", discard: true })
  if (next === undefined && context.left !== undefined) yield* afterExit(child, context.left)
  return next
})

/** Completes when nothing that it started is left. */
export const supervise = <Params extends CommonParams, Started extends RunStart | SessionStart>(
  value: SuperviseOptions<Params, Started>
): Effect.Effect<void, never, Platform> => Effect.scoped(Effect.catch(conduct(value), refusing(value.task)))

/** Runs before the scope closes, which would only know that it ended. */
const refusing =
  <Params extends CommonParams, Started extends RunStart | SessionStart>({ refuse, out }: Task<Params, Started>) =>
  (failure: FailureReason): Effect.Effect<undefined> => {
    refuse(failure)
    return Effect.as(out.outlet.passed, undefined)
  }

const spawn = Effect.fnUntraced(function* (
  cli: Cli,
  options: AgentOptions,
  stdin: Stdin,
  { prepared, starting, redactor }: Pick<ProcessContext<CommonParams, RunStart>, "prepared" | "starting" | "redactor">
) {
  const command = yield* resolveCommand(cli, prepared.command, prepared.env)
  if (starting !== undefined) yield* starting
  return yield* launch({
    ...prepared,
    command,
    stdin,
    stopSignal: cli.stopSignal,
    killGrace: killGrace(options, true),
    redactor,
    notInstalled: () => notInstalled(cli, prepared.command)
  })
})
