/**
 * Sets up everything around the processes of a run or a live session: observers, gates, the recording and the watchdog;
 * and around each of them: private files and the CLI's settings file. Closing the scope undoes all of it.
 */
import { Clock, Effect, Fiber } from "effect"
import type { Cli } from "../../cli/Cli.ts"
import type { AgentEvent, NoticeEvent } from "../../contract/AgentEvent.ts"
import type { AgentOptions } from "../../contract/AgentOptions.ts"
import { type Amendment, type End, type RunStart, type SessionStart, withoutSecrets } from "../../contract/Start.ts"
import { writePrivateFiles } from "../../system/process/privateFiles.ts"
import { makeRedactor } from "../../system/process/redactor.ts"
import { leaseSettings } from "../../system/settings/lease.ts"
import { recoverSettings } from "../../system/settings/recover.ts"
import { admit, type Fork } from "./admission.ts"
import { checkElsewhere } from "./elsewhere.ts"
import type { EventGate } from "./eventGate.ts"
import { gatesInOrder, observersInOrder } from "./ownSeams.ts"
import { type CommonParams, type ParamsPlan, type Prepared, prepare } from "./prepare.ts"
import { makeRecorder } from "./recorder.ts"
import { requestStop, type Stop, stopped } from "./stop.ts"
import { makeWatchdog } from "./watchdog.ts"
import { makeWatchers } from "./watchers.ts"

/**
 * Forks work that ends with a scope at the latest: `FiberSet.makeRuntime` for each run and session, where a set, its deferred
 * and their scopes are a tenth of what the end of an idle session costs.
 */
export const scopedFork = Effect.gen(function* () {
  const runFork = Effect.runForkWith(yield* Effect.context<never>())
  const running = new Set<Fiber.Fiber<void>>()
  let isClosed = false
  yield* Effect.addFinalizer(() => {
    isClosed = true
    return running.size === 0 ? Effect.void : Fiber.interruptAll([...running])
  })
  const fork: Fork = (effect) => {
    const fiber = runFork(isClosed ? Effect.interrupt : effect)
    running.add(fiber)
    fiber.addObserver(() => running.delete(fiber))
    return fiber
  }
  return fork
})

/** The settings file that the CLI reads at its start: extended by the plan, or restored to the user's version. */
export const leaseOf = (
  cli: Cli,
  { plan: { settings }, workingDirectory: directory }: Pick<Prepared, "plan" | "workingDirectory">,
  onNotice: (notice: NoticeEvent) => void
) => {
  const onWarning = (message: string) => onNotice({ type: "notice", kind: "warning", message })
  if (settings !== undefined) {
    const { otherwise, path, patch } = settings
    const lease = leaseSettings({ directory, path, patch, secret: false, onWarning })
    if (otherwise === undefined) return lease
    return Effect.catch(lease, ({ message }) => Effect.sync(() => onWarning(`${otherwise}: ${message}`)))
  }
  if (cli.settingsPath === undefined) return undefined
  return Effect.as(Effect.ignore(recoverSettings(directory, cli.settingsPath)), undefined)
}

export interface Out {
  /** `bytes`: estimated memory of a large event. */
  readonly give: (event: AgentEvent, bytes?: number) => void
  /** Notices of gates: also while they settle, before the end. */
  readonly giveNotice: (notice: NoticeEvent) => void
  readonly outlet: EventGate
  /** The end, once it is emitted. */
  readonly ended: () => End | undefined
}

export interface SetUpRequest<Params, Started extends RunStart | SessionStart> extends ParamsPlan<Params> {
  /** The start as gates and observers get it. */
  readonly start: (prepared: Prepared<Params>) => Started
  readonly out: Out
}

export interface SetUpOptions<Params> {
  readonly cli: Cli
  readonly options: AgentOptions
  readonly prepared: Prepared<Params>
  readonly stop: Stop
  readonly background: Fork
}

export const startOf = <Type extends "run" | "session", Params extends object>(
  type: Type,
  cli: Cli,
  { limits = {} }: AgentOptions,
  { params, runId, workingDirectory }: Prepared<Params>
) => ({ type, id: runId, cli: cli.id, workingDirectory, limits, params: withoutSecrets(params) })

/** The caller's variables override those of gates; of two amounts the lower counts. Only a resumed session is forked. */
const amended = <Params extends CommonParams>(
  cli: Cli,
  params: Params,
  { env, maxBudgetUsd = Number.POSITIVE_INFINITY, forkSession = false }: Amendment
): Params => {
  const lowest = Math.min(maxBudgetUsd, params.maxBudgetUsd ?? Number.POSITIVE_INFINITY)
  const isBounded = cli.supports.has("maxBudgetUsd") && lowest !== Number.POSITIVE_INFINITY
  const isForked = forkSession && cli.supports.has("forkSession") && params.sessionId !== undefined
  return {
    ...params,
    env: { ...env, ...params.env },
    ...(isBounded ? { maxBudgetUsd: lowest } : {}),
    ...(isForked ? { forkSession: true } : {})
  }
}

export const setUp = Effect.fnUntraced(function* <Params extends CommonParams, Started extends RunStart | SessionStart>(
  { start: describe, out, equip: _beforeTheGates, ...request }: SetUpRequest<Params, Started>,
  input: SetUpOptions<Params>
) {
  const { cli, options, stop, background } = input
  const leave = stopped(stop)
  const { give, giveNotice, outlet } = out
  yield* checkElsewhere(cli, input.prepared) ?? Effect.void
  const start = describe(input.prepared)
  const observers = yield* observersInOrder
  let redactor = makeRedactor(input.prepared.secrets)
  const watchers = makeWatchers({
    observers,
    start,
    clock: yield* Clock.Clock,
    background,
    redact: (text) => redactor.text(text)
  })
  const isWatched = observers.length > 0 || input.prepared.params.record !== undefined
  if (isWatched) yield* Effect.addFinalizer(() => Effect.sync(() => watchers.end(out.ended())))
  if (observers.length > 0) outlet.watch(watchers)
  const admission = yield* Effect.raceFirst(admit(yield* gatesInOrder, start, giveNotice, background), leave)
  outlet.admit(admission, yield* scopedFork)
  const { amend } = admission
  const prepared =
    amend === undefined
      ? input.prepared
      : yield* prepare(cli, options, amended(cli, input.prepared.params, amend), request, input.prepared)
  if (prepared !== input.prepared) redactor = makeRedactor(prepared.secrets)
  const { record: file } = prepared.params
  if (file !== undefined) watchers.add(yield* makeRecorder(file, give))
  if (isWatched) yield* Effect.addFinalizer(() => Effect.sync(watchers.flush))
  const watchdog = yield* makeWatchdog(prepared.budgets, give)
  if (watchdog.expired !== undefined) {
    yield* Effect.forkScoped(Effect.map(watchdog.expired, (reason) => requestStop(stop, "time", reason)))
  }
  return {
    prepared,
    start,
    background,
    /** The files of one process, as long as its scope. */
    files: Effect.fnUntraced(function* (one: Prepared<Params>) {
      yield* writePrivateFiles(one.privateDirectory, one.plan, one.attachments)
      const lease = leaseOf(cli, one, give)
      if (lease === undefined) return undefined
      return yield* Effect.raceFirst(lease, leave)
    }),
    /** Awaited immediately before the spawn. */
    starting: admission.starting && Effect.raceFirst(admission.starting, leave),
    left: admission.left,
    redactor,
    /** Undefined if no observer takes lines. */
    record: watchers.wantLines() ? (line: string) => watchers.line(redactor.text(line)) : undefined,
    watchdog
  }
})

export type ProcessContext<Params, Started extends RunStart | SessionStart> = Effect.Success<
  ReturnType<typeof setUp<Params & CommonParams, Started>>
>
