/** Opens a live session for its caller, whose input is checked at run time, since JavaScript has no types. */
import { Cause, Clock, Deferred, Effect, Exit, Result, Schema, type Scope, Semaphore } from "effect"
import { answeringOf, type SchemaBy, withOutput } from "../answers/answering.ts"
import { withJsonSchema } from "../answers/outputForm.ts"
import type { Cli } from "../cli/Cli.ts"
import type { Change } from "../cli/Live.ts"
import { inHostTime } from "../clock/hostClock.ts"
import { Aborted, AgentError, type FailureReason, InvalidParams, UnsupportedOption } from "../contract/AgentError.ts"
import { AgentExecuteParams, PermissionMode } from "../contract/AgentExecuteParams.ts"
import type { AgentOptions } from "../contract/AgentOptions.ts"
import type { AgentSession } from "../contract/AgentSession.ts"
import type { LoadedAttachment } from "../contract/attachments.ts"
import { makeParser } from "../contract/input.ts"
import { hintFor } from "../contract/suggestions.ts"
import { loadAttachments } from "../engine/attachments.ts"
import { killGrace } from "../engine/endings.ts"
import type { Lifetimes } from "../engine/lifetimes.ts"
import { resultOfNothing } from "../engine/result.ts"
import { supervise } from "../engine/supervise.ts"
import { failingAtCall } from "../errors/callSite.ts"
import { unwrapPollable } from "../process/pollable.ts"
import type { TurnOptions } from "../types/TurnOptions.ts"
import { type Broadcast, makeBroadcast } from "./broadcast.ts"
import type { Conversation } from "./conversation.ts"
import { sessionTask } from "./sessionTask.ts"
import { makeTurn, type Turn } from "./turn.ts"
import { makeTurns, type Turns } from "./turns.ts"

export interface OpenOptions {
  readonly cli: Cli
  readonly options: AgentOptions
  readonly input: unknown
  readonly lifetimes: Lifetimes
}

/** The attachments of a text, read. */
type Attached = ReadonlyArray<LoadedAttachment>

/** A session, and its turns for callers that need the outcome of each. */
export interface OpenedSession {
  readonly session: AgentSession
  /** Starts a turn, and interrupts it if the scope closes before its end. */
  readonly begin: (
    prompt: string,
    options: TurnOptions,
    reading: Effect.Effect<Attached, FailureReason>
  ) => Effect.Effect<Turn, never, Scope.Scope>
}

const isMode = Schema.is(PermissionMode)

export const checkText = (option: string, text: unknown): Result.Result<void, InvalidParams> => {
  if (typeof text !== "string") return Result.fail(new InvalidParams({ option, problem: "is not text" }))
  return text.trim() === "" ? Result.fail(new InvalidParams({ option, problem: "is empty" })) : Result.void
}

export const checkPermissionMode = (mode: unknown): Result.Result<void, InvalidParams> => {
  if (isMode(mode)) return Result.void
  const hint = typeof mode === "string" ? hintFor(mode, PermissionMode.literals) : ""
  const problem = `${JSON.stringify(mode)} is not one of ${PermissionMode.literals.join(", ")}${hint}`
  return Result.fail(new InvalidParams({ option: "permissionMode", problem }))
}

const { attachments, outputSchema, retries } = AgentExecuteParams.fields
const parseTurnOptions = makeParser(Schema.Struct({ attachments, outputSchema, retries }), "options")

/** Those of most turns. */
const noOptions = Object.freeze<TurnOptions<never>>({})

export const checkTurn = (option: string, text: unknown, options: unknown): Result.Result<void, InvalidParams> => {
  const checked = checkText(option, text)
  if (Result.isFailure(checked) || options === noOptions) return checked
  return Result.map(Result.flatMap(withJsonSchema(options), parseTurnOptions), () => undefined)
}

/** The output that a schema of the caller makes of the answer is in the caller's own stream alone: all others get JSON. */
const eventsOf = <Output>({ backlog, answering }: Turn) => withOutput<Output>(answering, backlog.events)

const sessionOf = (
  cli: Cli,
  schemaBy: SchemaBy,
  options: AgentOptions,
  conversation: Conversation,
  turns: Turns,
  broadcast: Broadcast,
  asError: (reason: FailureReason) => AgentError
): OpenedSession => {
  /** Waits for the end of an interrupted turn; ends the session if the agent ignores the interrupt. */
  const orEnd = (isOver: Effect.Effect<void>) => {
    const impatient = Effect.andThen(Effect.sleep(killGrace(options, true)), () => {
      conversation.fail(new Aborted())
      return isOver
    })
    return inHostTime(Effect.raceFirst(isOver, impatient))
  }

  const interrupt = Effect.suspend(() => {
    const isOver = conversation.interrupt()
    return isOver === undefined ? Effect.succeed(false) : Effect.as(orEnd(isOver), true)
  })

  const leave = (turn: Turn) =>
    Effect.suspend(() => {
      turn.backlog.close()
      const isOver = conversation.leave(turn)
      return isOver === undefined ? Effect.void : Effect.asVoid(Effect.forkDetach(orEnd(isOver)))
    })

  const change = (checked: Result.Result<void, FailureReason>, requested: Change) =>
    Effect.mapError(Effect.andThen(Effect.fromResult(checked), conversation.change(requested)), asError)

  /** Texts are taken in the order of the calls, also while the attachments of one are being read. */
  const oneAtATime = Semaphore.makeUnsafe(1)

  /** Not before the options are checked: from JavaScript they may be anything. */
  const readAttached = (turnOptions: TurnOptions) =>
    Effect.suspend((): Effect.Effect<Attached, FailureReason> => {
      const { attachments } = turnOptions
      if (attachments === undefined) return Effect.succeed([])
      return loadAttachments(cli, attachments, conversation.workingDirectory)
    })

  const answeringFor = (turnOptions: TurnOptions) =>
    turnOptions === noOptions ? undefined : answeringOf(turnOptions, schemaBy)

  const begin: OpenedSession["begin"] = (prompt, turnOptions, reading) => {
    const checked = checkTurn("prompt", prompt, turnOptions)
    const read = Effect.andThen(Effect.fromResult(checked), Effect.interruptible(reading))
    const began = Effect.map(Effect.result(read), (attached) => {
      if (Result.isSuccess(attached)) {
        const turn = makeTurn(prompt, answeringFor(turnOptions), attached.success)
        conversation.turn(turn)
        return turn
      }
      const refused = makeTurn(prompt)
      turns.refuse(refused, attached.failure, Result.isSuccess(checked))
      return refused
    })
    const inOrder = Effect.ensuring(began, oneAtATime.release(1))
    return Effect.acquireRelease(Effect.andThen(Effect.interruptible(oneAtATime.take(1)), inOrder), leave)
  }

  const send = Effect.fnUntraced(function* (text: string, turnOptions: TurnOptions) {
    yield* Effect.fromResult(checkTurn("text", text, turnOptions))
    const attached = yield* readAttached(turnOptions)
    const ended = conversation.ended()
    if (ended !== undefined) return yield* Effect.fail(ended)
    return conversation.send(text, answeringFor(turnOptions), attached)
  })

  const checked = <A>(run: () => Result.Result<A, FailureReason>) =>
    Effect.suspend(() => Effect.mapError(Effect.fromResult(run()), asError))

  const session: AgentSession = {
    cli: cli.id,
    get sessionId() {
      return turns.sessionId()
    },
    turn: <Output>(prompt: string, turnOptions: TurnOptions<Output> = noOptions) =>
      unwrapPollable(Effect.map(begin(prompt, turnOptions, readAttached(turnOptions)), eventsOf<Output>)),
    send: failingAtCall((text, turnOptions = noOptions) =>
      Effect.mapError(oneAtATime.withPermit(send(text, turnOptions)), asError)
    ),
    interrupt,
    idle: conversation.idle,
    setModel: failingAtCall((model) => change(checkText("model", model), { _tag: "Model", model })),
    setPermissionMode: failingAtCall((permissionMode) =>
      change(checkPermissionMode(permissionMode), { _tag: "PermissionMode", permissionMode })
    ),
    decide: failingAtCall((requestId, answer) => checked(() => conversation.asks.decide(requestId, answer))),
    answer: failingAtCall((requestId, answers) => checked(() => conversation.asks.answer(requestId, answers))),
    events: broadcast.events
  }
  return { session, begin }
}

export const openLive = Effect.fnUntraced(function* ({ cli, options, input, lifetimes }: OpenOptions) {
  const { live } = cli
  const { background } = lifetimes
  const broadcast = makeBroadcast()
  const turns = makeTurns(broadcast, yield* Clock.Clock)
  const ready = yield* Deferred.make<Conversation, FailureReason>()
  const over = yield* Deferred.make<void>()
  const errorOf = (reason: FailureReason) =>
    new AgentError({ cli: cli.id, reason, result: turns.ended()?.result ?? resultOfNothing(reason), hadOutput: false })
  if (live === undefined) return yield* errorOf(new UnsupportedOption({ option: "live session", cli: cli.id }))
  yield* lifetimes.begin(
    "AgentRuntime.session",
    (left) => supervise({ cli, options, input, task: sessionTask(cli, live, options, turns, ready), left, background }),
    (exit) => {
      if (Exit.isFailure(exit)) Deferred.doneUnsafe(ready, Effect.die(Cause.squash(exit.cause)))
      // Only now: after the end of its events, nothing of a session is left.
      broadcast.end()
      Deferred.doneUnsafe(over, Effect.void)
    }
  )
  const conversation = yield* Deferred.await(ready).pipe(
    // Fails only after teardown.
    Effect.tapError(() => Deferred.await(over)),
    Effect.mapError(errorOf)
  )
  return sessionOf(
    cli,
    live.takesOutputSchema === true ? "turn" : "prompt",
    options,
    conversation,
    turns,
    broadcast,
    errorOf
  )
})
