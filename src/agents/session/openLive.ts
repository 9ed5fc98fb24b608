/** Opens a live session for its caller, whose input is checked at run time, since JavaScript has no types. */
import { Cause, Clock, Deferred, Effect, Exit, Result, type Scope, Semaphore, Stream } from "effect"
import type { Cli } from "../../cli/Cli.ts"
import type { Change } from "../../cli/Live.ts"
import { Aborted, AgentError, type FailureReason, UnsupportedOption } from "../../contract/AgentError.ts"
import type { TurnOptions } from "../../contract/AgentOpenParams.ts"
import type { AgentOptions } from "../../contract/AgentOptions.ts"
import type { AgentSession } from "../../contract/AgentSession.ts"
import type { LoadedAttachment } from "../../contract/Attachment.ts"
import { failingAtCall } from "../../contract/errors/callSite.ts"
import { inHostTime } from "../../system/hostClock.ts"
import { answeringOf, withOutput } from "../answers/answering.ts"
import { loadAttachments } from "../engine/attachments.ts"
import { killGrace } from "../engine/endings.ts"
import type { Lifetimes } from "../engine/lifetimes.ts"
import { OwnTurn } from "../engine/ownSeams.ts"
import { refusedContract } from "../engine/prepare.ts"
import { resultOfNothing } from "../engine/result.ts"
import { makeStop } from "../engine/stop.ts"
import { supervise } from "../engine/supervise.ts"
import { type Broadcast, makeBroadcast } from "./broadcast.ts"
import { checkPermissionMode, checkText, checkTurn, noOptions } from "./checks.ts"
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

/** The caller's own stream alone has the output that a schema makes of the answer: all others get JSON. */
const eventsOf = <Output>({ backlog, answering }: Turn) => withOutput<Output>(answering, backlog.events)
const sessionOf = (
  cli: Cli,
  options: AgentOptions,
  conversation: Conversation,
  turns: Turns,
  broadcast: Broadcast,
  asError: (reason: FailureReason) => AgentError
): OpenedSession => {
  const schemaBy = cli.live?.takesOutputSchema === true ? "turn" : "prompt"
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

  /** Returns the wait for the end, to be run in the background. */
  const leave = (turn: Turn) => {
    turn.backlog.close()
    const isOver = conversation.leave(turn)
    return isOver === undefined ? undefined : Effect.asVoid(Effect.forkDetach(orEnd(isOver)))
  }

  const change = (checked: Result.Result<void, FailureReason>, requested: Change) =>
    Effect.mapError(Effect.andThen(Effect.fromResult(checked), conversation.change(requested)), asError)

  /** Texts are taken in the order of the calls, also while the attachments of one are being read. */
  const oneAtATime = Semaphore.makeUnsafe(1)
  const inOrder = <A, E, R>(taken: Effect.Effect<A, E, R>) =>
    Effect.andThen(Effect.interruptible(oneAtATime.take(1)), Effect.ensuring(taken, oneAtATime.release(1))).pipe(
      Effect.uninterruptible
    )

  /** Called after the options are checked: from JavaScript they may be anything. */
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
    const began = Effect.map(Effect.all([Effect.result(read), OwnTurn]), ([attached, id]) => {
      if (Result.isSuccess(attached)) {
        const turn = makeTurn(prompt, answeringFor(turnOptions), attached.success, id)
        conversation.turn(turn)
        return turn
      }
      const refused = makeTurn(prompt)
      turns.refuse(refused, attached.failure, Result.isSuccess(checked))
      return refused
    })
    return Effect.acquireRelease(inOrder(began), (turn) => Effect.suspend(() => leave(turn) ?? Effect.void))
  }

  /** The attachments of a text for the CLI; fails if the session has ended. */
  const toBeGiven = Effect.fnUntraced(function* (text: string, turnOptions: TurnOptions) {
    yield* Effect.fromResult(checkTurn("text", text, turnOptions))
    const attached = yield* readAttached(turnOptions)
    const ended = conversation.ended()
    if (ended !== undefined) return yield* Effect.fail(ended)
    return attached
  })
  const giving = <A>(
    text: string,
    turnOptions: TurnOptions,
    give: (attached: Attached) => A
  ): Effect.Effect<A, AgentError> =>
    Effect.mapError(inOrder(Effect.interruptible(Effect.map(toBeGiven(text, turnOptions), give))), asError)

  const checked = <A>(run: () => Result.Result<A, FailureReason>) =>
    Effect.suspend(() => Effect.mapError(Effect.fromResult(run()), asError))

  const session: AgentSession = {
    cli: cli.id,
    get sessionId() {
      return turns.sessionId()
    },
    get isOver() {
      return conversation.isOver()
    },
    turn: <Output>(prompt: string, turnOptions: TurnOptions<Output> = noOptions) =>
      Stream.unwrap(
        Effect.suspend(() => Effect.map(begin(prompt, turnOptions, readAttached(turnOptions)), eventsOf<Output>))
      ),
    send: failingAtCall((text, turnOptions = noOptions) =>
      giving(text, turnOptions, (attached) => conversation.send(text, answeringFor(turnOptions), attached))
    ),
    steer: failingAtCall((text, turnOptions = noOptions) =>
      giving(text, turnOptions, (attached) => conversation.steer(text, attached))
    ),
    interrupt,
    idle: conversation.idle,
    setModel: failingAtCall((model) => change(checkText("model", model), { _tag: "Model", model })),
    setPermissionMode: failingAtCall((permissionMode) =>
      change(checkPermissionMode(permissionMode), { _tag: "PermissionMode", permissionMode })
    ),
    decide: failingAtCall((requestId, answer) => checked(() => conversation.requests.decide(requestId, answer))),
    answer: failingAtCall((requestId, answers, decider) =>
      checked(() => conversation.requests.answer(requestId, answers, decider))
    ),
    events: broadcast.events
  }
  return { session, begin }
}

export const openLive = Effect.fnUntraced(function* ({ cli, options, input, lifetimes }: OpenOptions) {
  const { live } = cli
  const { background } = lifetimes
  const broadcast = makeBroadcast()
  const stop = makeStop()
  const turns = makeTurns(broadcast, yield* Clock.Clock, stop)
  const ready = Deferred.makeUnsafe<Conversation, FailureReason>()
  const over = Deferred.makeUnsafe<void>()
  const errorOf = (reason: FailureReason) =>
    new AgentError({ cli: cli.id, reason, result: turns.ended()?.result ?? resultOfNothing(reason), hadOutput: false })
  const refusal = refusedContract(cli)
  if (refusal !== undefined) return yield* errorOf(refusal)
  if (live === undefined) return yield* errorOf(new UnsupportedOption({ option: "live session", cli: cli.id }))
  yield* lifetimes.begin(
    { type: "session", ended: turns.ended, stop },
    supervise({ cli, options, input, task: sessionTask(cli, live, options, turns, ready), stop, background }),
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
  return sessionOf(cli, options, conversation, turns, broadcast, errorOf)
})
