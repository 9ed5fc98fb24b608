/**
 * The service behind both doors, and the whole flow of a run on one screen: params → plan → process → lines → events →
 * result. Read `conduct`; everything it calls is one stage in a file of its own.
 */
import { Context, Deferred, Effect, Layer, type Scope, Stream } from "effect"
import type { Cli } from "./cli/Cli.ts"
import { inHostTime } from "./clock/hostClock.ts"
import { Aborted, type AgentError, type FailureReason, NotInstalled } from "./contract/AgentError.ts"
import type { AgentEvent } from "./contract/AgentEvent.ts"
import type { AgentExecuteParams } from "./contract/AgentExecuteParams.ts"
import type { AgentOpenParams } from "./contract/AgentOpenParams.ts"
import type { AgentOptions } from "./contract/AgentOptions.ts"
import type { AgentRunResult } from "./contract/AgentRunResult.ts"
import type { AgentSession } from "./contract/AgentSession.ts"
import type { Fork } from "./engine/admission.ts"
import { makeBacklog } from "./engine/backlog.ts"
import { withCause } from "./engine/cause.ts"
import { aborted, exited, heardBy, killGrace, muted, settle, silenced, verdictAtEnd } from "./engine/endings.ts"
import type { Ending } from "./engine/judge.ts"
import { makeLifetimes } from "./engine/lifetimes.ts"
import { makeOutbox, type Outbox } from "./engine/outbox.ts"
import { afterGates } from "./engine/outlet.ts"
import { prepare, runRequest, textsOf } from "./engine/prepare.ts"
import { redactedDecoder } from "./engine/redact.ts"
import { guardedDecoder, makeSessionGuard } from "./engine/sessionGuard.ts"
import { setUp, startOf } from "./engine/setUp.ts"
import { resolveCommand } from "./process/findCommand.ts"
import { launch } from "./process/launch.ts"
import type { Platform } from "./process/Platform.ts"
import { makeListener } from "./run/listener.ts"
import { methodsOf } from "./run/methods.ts"
import { openLive } from "./session/openLive.ts"
import { runsOfSessions } from "./session/runsOfSessions.ts"

/** Runs prompts with one CLI. Two runs share nothing and may go on at once. */
export class AgentRuntime extends Context.Service<
  AgentRuntime,
  {
    /** The id of the CLI, such as `claude`. */
    readonly cli: string
    /**
     * The events of one run, from the first to the one `done`. Never fails: what goes wrong with the agent is an
     * `error` event before `done`. Leaving the stream ends the process; so does the signal in the params.
     */
    readonly execute: (params: AgentExecuteParams) => Stream.Stream<AgentEvent>
    /** The same run without its events; fails with the reason when the outcome is not `completed`. */
    readonly run: (params: AgentExecuteParams) => Effect.Effect<AgentRunResult, AgentError>
    /** A live session, ready for its first turn. Closing the scope ends it, and waits until nothing of it is left. */
    readonly open: (params?: AgentOpenParams) => Effect.Effect<AgentSession, AgentError, Scope.Scope>
  }
>()("reins/AgentRuntime") {
  static readonly layer = (cli: Cli, options: AgentOptions = {}): Layer.Layer<AgentRuntime, never, Platform> =>
    Layer.effect(AgentRuntime, make(cli, options))
}

const make = Effect.fnUntraced(function* (cli: Cli, options: AgentOptions) {
  const platform = yield* Effect.context<Platform>()
  const lifetimes = yield* makeLifetimes

  /** A run is a resource: to acquire it starts it, to release it ends it and waits until nothing of it is left. */
  const open = Effect.fnUntraced(function* (params: AgentExecuteParams) {
    const backlog = makeBacklog()
    yield* Effect.addFinalizer(() => Effect.sync(backlog.close))
    const outbox = yield* makeOutbox(backlog.offer)
    yield* lifetimes.begin((left) =>
      conduct(cli, options, params, outbox, left, lifetimes.background).pipe(
        Effect.onExit((exit) => Effect.sync(() => backlog.end(exit))),
        Effect.withSpan("AgentRuntime.run", { attributes: { cli: cli.id } }),
        Effect.provideContext(platform),
        inHostTime
      )
    )
    return { events: backlog.events, ended: outbox.ended }
  })

  const openSession = (params: AgentOpenParams = {}) => openLive({ cli, options, input: params, lifetimes, platform })

  const methods = cli.isLiveOnly === true ? runsOfSessions(cli, openSession) : methodsOf(cli, open)
  return { ...methods, open: (params?: AgentOpenParams) => Effect.map(openSession(params), ({ session }) => session) }
})

/** One run from start to end, with all its guards. When it returns, nothing that it started is left. */
const conduct = (
  cli: Cli,
  options: AgentOptions,
  input: unknown,
  outbox: Outbox,
  left: Deferred.Deferred<void>,
  background: Fork
) =>
  Effect.gen(function* () {
    const request = runRequest(cli)
    const asked = yield* prepare(cli, options, input, request)
    const { abortSignal } = asked.params
    const unwanted = Effect.raceFirst(aborted(abortSignal), Deferred.await(left))
    if (abortSignal?.aborted === true || Deferred.isDoneUnsafe(left)) return yield* new Aborted()
    const leave = Effect.andThen(unwanted, new Aborted())
    const start = startOf("run", cli, options, asked)
    const around = yield* setUp({ cli, options, request, prepared: asked, start, out: outbox, leave, background })
    const { prepared, starting, redactor, record, watchdog, settings } = around
    const { params, budgets } = prepared
    const session = makeSessionGuard(cli, params)
    const decoder = guardedDecoder(redactedDecoder(cli.decoder(params), redactor), session)
    const { permissionMode } = params
    const reads = { cli, options, permissionMode, decoder, session, outbox, watchdog, record, redactor }
    const listener = makeListener(reads)
    const command = yield* resolveCommand(cli, prepared.command, prepared.env)
    yield* starting
    const process = yield* launch({
      ...prepared,
      command,
      stdin: Stream.make(prepared.plan.stdin),
      stopSignal: cli.stopSignal,
      killGrace: killGrace(options, true),
      redactor,
      notInstalled: new NotInstalled({ command: prepared.command, install: cli.install, signIn: cli.signIn })
    })
    const heard = yield* heardBy(process, listener)
    yield* Effect.forkScoped(Effect.andThen(listener.opened, settings.giveBack))
    const verdict = verdictAtEnd(listener, decoder)
    const first: Ending = yield* Effect.raceAllFirst([
      listener.certain,
      exited(process, heard, verdict),
      muted(process, heard, verdict),
      silenced(process, watchdog, () => decoder.verdict(undefined)),
      Effect.map(outbox.outlet.refused, (failure) => ({ failure })),
      Effect.as(unwanted, { failure: new Aborted() })
    ])
    const ending = yield* afterGates(outbox.outlet, first, unwanted)
    const stderr = process.stderr()
    outbox.conclude(
      withCause(ending, { stderr, texts: textsOf(params), hint: listener.hint() }),
      decoder.report(),
      stderr
    )
    yield* outbox.outlet.passed
    const leaving = settle(process, {
      lingerMs: ending.mayLinger ? budgets.linger : 0,
      hurry: aborted(abortSignal),
      grace: killGrace(options, listener.hasSpoken())
    })
    yield* Effect.all([leaving, settings.giveBack], { concurrency: "unbounded", discard: true })
  }).pipe(
    Effect.catch((failure: FailureReason) => {
      outbox.conclude({ failure }, {}, "")
      return outbox.outlet.passed
    }),
    Effect.scoped
  )
