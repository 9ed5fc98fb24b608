/**
 * A live session from start to end, with the guards that a run has: params → process → lines → dialogue → events, and the
 * caller's wishes the other way.
 */
import { Clock, Deferred, Effect, FiberSet } from "effect"
import * as Approvals from "../Approvals.ts"
import { makeApprover } from "../approvals/approver.ts"
import type { Cli } from "../cli/Cli.ts"
import type { Dialogue, Live } from "../cli/Live.ts"
import { startStopwatch } from "../clock/stopwatch.ts"
import { Aborted, type FailureReason, NotInstalled } from "../contract/AgentError.ts"
import type { AgentOpenParams } from "../contract/AgentOpenParams.ts"
import type { AgentOptions } from "../contract/AgentOptions.ts"
import { type HostTool, hostServer } from "../contract/HostTool.ts"
import type { LivePlan } from "../contract/Plan.ts"
import type { Fork } from "../engine/admission.ts"
import { withCause } from "../engine/cause.ts"
import { aborted, exited, heardBy, killGrace, muted, settle, silenced } from "../engine/endings.ts"
import type { Ending } from "../engine/judge.ts"
import { afterGates } from "../engine/outlet.ts"
import { type Prepared, prepare, textsOf } from "../engine/prepare.ts"
import { redactReason } from "../engine/redact.ts"
import { makeSessionGuard } from "../engine/sessionGuard.ts"
import { setUp, startOf } from "../engine/setUp.ts"
import { makeHostCalls } from "../hostTools/hostCalls.ts"
import { resolveCommand } from "../process/findCommand.ts"
import { launch, type RunProcess } from "../process/launch.ts"
import { makeAsks } from "./asks.ts"
import { type Conversation, makeConversation, type TurnSeams } from "./conversation.ts"
import { makeSessionListener } from "./listener.ts"
import { withModeGuard } from "./modeGuard.ts"
import { liveOf, sessionRequest, withHostTools } from "./request.ts"
import { type LiveStdin, makeStdin } from "./stdin.ts"
import { turnSeams } from "./turnSeams.ts"
import type { Turns } from "./turns.ts"

export interface ConverseOptions {
  readonly background: Fork
  readonly cli: Cli
  readonly options: AgentOptions
  readonly input: unknown
  readonly turns: Turns
  /** Completed when turns may begin, or with the reason why they never will. */
  readonly ready: Deferred.Deferred<Conversation, FailureReason>
  readonly left: Deferred.Deferred<void>
}

type PreparedSession = Prepared<AgentOpenParams, LivePlan>
type Around = Pick<Effect.Success<ReturnType<typeof setUp>>, "watchdog" | "redactor">

/** Functions of the host may be called, unless a rule says otherwise; by the names that the CLIs give them. */
const ownTools = (tools: ReadonlyArray<HostTool>): ReadonlyArray<Approvals.ApprovalRule> => {
  const prefixes = [`mcp__${hostServer}__`, `mcp_${hostServer}_`, `${hostServer}_`]
  const names = tools.flatMap(({ name }) => prefixes.map((prefix) => prefix + name))
  return names.length === 0 ? [] : [Approvals.allow({ kinds: ["mcp"], tools: names })]
}

/** What is seldom needed is loaded when it is. */
const exchangeFor = Effect.fnUntraced(function* (live: Live, tools: ReadonlyArray<HostTool>) {
  if (tools.length === 0 || live.hostTools !== "dialogue") return () => Effect.succeed(undefined)
  const { makeHostExchange } = yield* Effect.promise(() => import("../hostTools/hostExchange.ts"))
  return (yield* makeHostExchange(tools)).respond
})

/** The conversation and whom it asks. */
const meet = Effect.fnUntraced(function* (
  live: Live,
  { params, workingDirectory }: PreparedSession,
  dialogue: Dialogue,
  turns: Turns,
  stdin: LiveStdin,
  { watchdog, redactor }: Around,
  seams: TurnSeams
) {
  const clock = yield* Clock.Clock
  const fork = yield* FiberSet.makeRuntime<never, void, never>()
  const give = turns.give
  const { approvals = [], questions, hooks = [], tools = [] } = params
  const now = () => clock.currentTimeMillisUnsafe()
  const facts = { workingDirectory, now: startStopwatch(clock), textLength: turns.textLength }
  const approver = makeApprover([...approvals, ...ownTools(tools)], facts)
  const isWritable = stdin.isOpen
  const respond = yield* exchangeFor(live, tools)
  return makeConversation({
    dialogue,
    turns,
    seams,
    asks: (perform) =>
      makeAsks({ questions, workingDirectory, approver, dialogue, give, perform, isWritable, fork, now }),
    calls: (perform) => makeHostCalls({ hooks, respond, dialogue, give, perform, fork }),
    write: stdin.write,
    touch: watchdog.touch,
    discreet: (failure) => redactReason(failure, redactor)
  })
})

/** Params in, a process and a conversation with it out; nothing is written yet. */
const begin = Effect.fnUntraced(function* (
  { cli, options, input, turns, left, background }: ConverseOptions,
  live: Live
) {
  const request = sessionRequest(cli, live)
  const accepted = yield* Effect.fromResult(request.accept(input))
  const asked = yield* prepare(cli, options, yield* withHostTools(live, accepted), request)
  const { abortSignal } = asked.params
  const unwanted = Effect.raceFirst(aborted(abortSignal), Deferred.await(left))
  if (abortSignal?.aborted === true || Deferred.isDoneUnsafe(left)) return yield* new Aborted()
  const leave = Effect.andThen(unwanted, new Aborted())
  const start = startOf("session", cli, options, asked)
  const around = yield* setUp({ cli, options, request, prepared: asked, start, out: turns, leave, background })
  const { prepared } = around
  const { params, workingDirectory, privateDirectory } = prepared
  const stdin = yield* makeStdin
  const unguarded = live.dialogue(params, { workingDirectory, privateDirectory })
  const dialogue = withModeGuard(cli, params.permissionMode, unguarded)
  const conversation = yield* meet(
    live,
    prepared,
    dialogue,
    turns,
    stdin,
    around,
    yield* turnSeams({ session: start, turns, grace: killGrace(options, true), background })
  )
  const { record, redactor, watchdog } = around
  const session = makeSessionGuard(cli, params)
  const reads = { watchdog, cli, options, dialogue, session, conversation, record, redactor }
  const listener = makeSessionListener(reads)
  const command = yield* resolveCommand(cli, prepared.command, prepared.env)
  yield* around.starting
  const process = yield* launch({
    ...prepared,
    command,
    stdin: stdin.lines,
    stopSignal: cli.stopSignal,
    killGrace: killGrace(options, true),
    redactor,
    notInstalled: new NotInstalled({ command: prepared.command, install: cli.install, signIn: cli.signIn })
  })
  return {
    prepared,
    around,
    unwanted,
    stdin,
    conversation,
    listener,
    process,
    heard: yield* heardBy(process, listener)
  }
})

const patience = "500 millis"

/** A CLI that refuses to open a session leaves at once, mostly: how, and what it says on stderr, belongs to the refusal. */
const withExit = Effect.fnUntraced(function* (ending: Ending, process: RunProcess, stdin: LiveStdin) {
  yield* stdin.end
  const left = Effect.map(process.finished, (exit): Ending => ({ ...ending, exit }))
  return yield* Effect.raceFirst(left, Effect.as(Effect.sleep(patience), ending))
})

/** When it returns, nothing that the session started is left. */
export const converse = (given: ConverseOptions) =>
  Effect.gen(function* () {
    const { cli, options, ready, left } = given
    const live = yield* Effect.fromResult(liveOf(cli))
    const { prepared, around, unwanted, stdin, conversation, listener, process, heard } = yield* begin(given, live)
    const { params, budgets } = prepared
    // Whatever happens here, nobody waits for ever.
    yield* Effect.addFinalizer(() => Effect.sync(() => conversation.conclude({ failure: new Aborted() }, "")))
    yield* Effect.forkScoped(Effect.andThen(conversation.opened, around.settings.giveBack))
    yield* Effect.forkScoped(Effect.andThen(conversation.opened, Deferred.succeed(ready, conversation)))
    conversation.open()
    const verdict = () => {
      listener.end()
      return conversation.isResting() ? ({ _tag: "Success" } as const) : undefined
    }
    const { outlet } = given.turns
    const first: Ending = yield* Effect.raceAllFirst([
      conversation.failed,
      Effect.map(outlet.refused, (failure) => ({ failure })),
      exited(process, heard, verdict),
      muted(process, heard, verdict),
      silenced(process, around.watchdog, verdict),
      Effect.as(aborted(params.abortSignal), { failure: new Aborted() }),
      Effect.map(Deferred.await(left), () => ({
        failure: conversation.isResting() ? undefined : new Aborted(),
        mayLinger: conversation.isResting()
      }))
    ])
    const isRefusal = first.failure?._tag === "AgentFailed" && !Deferred.isDoneUnsafe(ready)
    const told = isRefusal ? yield* withExit(first, process, stdin) : first
    const ending = yield* afterGates(outlet, told, unwanted)
    const stderr = process.stderr()
    const texts = [...textsOf(params), ...conversation.texts()]
    conversation.conclude(withCause(ending, { stderr, texts, hint: listener.hint() }), stderr)
    yield* Deferred.fail(ready, conversation.ended() ?? new Aborted())
    yield* outlet.passed
    yield* stdin.end
    const leaving = settle(process, {
      lingerMs: ending.mayLinger === true && live.leavesAtEndOfInput ? budgets.linger : 0,
      hurry: aborted(params.abortSignal),
      grace: killGrace(options, listener.hasSpoken())
    })
    yield* Effect.all([leaving, around.settings.giveBack], { concurrency: "unbounded", discard: true })
  }).pipe(
    Effect.catch((failure: FailureReason) => {
      given.turns.conclude({ failure }, "")
      Deferred.doneUnsafe(given.ready, Effect.fail(failure))
      return given.turns.outlet.passed
    }),
    Effect.scoped
  )
