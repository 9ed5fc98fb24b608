/** Opens a live session, and gives what its caller can do with it. */
import { Cause, Clock, type Context, Deferred, Effect, Exit, type Result, type Scope, Stream } from "effect"
import type { Cli } from "../cli/Cli.ts"
import type { Change } from "../cli/Live.ts"
import { inHostTime } from "../clock/hostClock.ts"
import { Aborted, AgentError, type FailureReason } from "../contract/AgentError.ts"
import type { AgentOptions } from "../contract/AgentOptions.ts"
import type { AgentSession } from "../contract/AgentSession.ts"
import { killGrace } from "../engine/endings.ts"
import { resultOfNothing } from "../engine/failure.ts"
import type { Lifetimes } from "../engine/lifetimes.ts"
import type { Platform } from "../process/Platform.ts"
import { type Audience, makeAudience } from "./audience.ts"
import type { Conversation } from "./conversation.ts"
import { converse } from "./converse.ts"
import { makeTurn, makeTurns, type Turn, type Turns } from "./turns.ts"
import { wrongChange, wrongText } from "./wishes.ts"

export interface OpenOptions {
  readonly cli: Cli
  readonly options: AgentOptions
  readonly input: unknown
  readonly lifetimes: Lifetimes
  readonly platform: Context.Context<Platform>
}

/** A session, and its turns for those who need to know how each came out. */
export interface OpenedSession {
  readonly session: AgentSession
  /** Begins a turn, and interrupts it when the scope closes before its end. */
  readonly begin: (prompt: string) => Effect.Effect<Turn, never, Scope.Scope>
}

const sessionOf = (
  cli: string,
  options: AgentOptions,
  conversation: Conversation,
  turns: Turns,
  audience: Audience,
  asError: (reason: FailureReason) => AgentError
): OpenedSession => {
  /** An agent that does not heed an interrupt is ended: the caller wants it to stop. */
  const heeded = (isOver: Effect.Effect<void>) => {
    const impatient = Effect.andThen(Effect.sleep(killGrace(options, true)), () => {
      conversation.giveUp(new Aborted())
      return isOver
    })
    return inHostTime(Effect.raceFirst(isOver, impatient))
  }

  const interrupt = Effect.suspend(() => {
    const isOver = conversation.interrupt()
    return isOver === undefined ? Effect.succeed(false) : Effect.as(heeded(isOver), true)
  })

  const leave = (turn: Turn) =>
    Effect.suspend(() => {
      turn.backlog.close()
      const isOver = conversation.leave(turn)
      return isOver === undefined ? Effect.void : Effect.asVoid(Effect.forkDetach(heeded(isOver)))
    })

  const change = (wanted: Change) => {
    const wrong = wrongChange(wanted)
    return Effect.mapError(wrong === undefined ? conversation.change(wanted) : Effect.fail(wrong), asError)
  }

  const begin = (prompt: string) =>
    Effect.acquireRelease(
      Effect.sync(() => {
        const turn = makeTurn(prompt)
        const wrong = wrongText("prompt", prompt)
        if (wrong === undefined) conversation.turn(turn)
        else turns.refuse(turn, wrong)
        return turn
      }),
      leave
    )

  const checked = <A>(run: () => Result.Result<A, FailureReason>) =>
    Effect.suspend(() => Effect.mapError(Effect.fromResult(run()), asError))

  const session: AgentSession = {
    cli,
    get sessionId() {
      return turns.sessionId()
    },
    turn: (prompt) => Stream.unwrap(Effect.map(begin(prompt), ({ backlog }) => backlog.events)),
    send: (text) =>
      Effect.suspend(() => {
        const wrong = wrongText("text", text) ?? conversation.ended()
        return wrong === undefined ? Effect.succeed(conversation.send(text)) : Effect.fail(asError(wrong))
      }),
    interrupt,
    idle: conversation.idle,
    setModel: (model) => change({ _tag: "Model", model }),
    setPermissionMode: (permissionMode) => change({ _tag: "PermissionMode", permissionMode }),
    decide: (requestId, answer) => checked(() => conversation.asks.decide(requestId, answer)),
    answer: (requestId, answers) => checked(() => conversation.asks.answer(requestId, answers)),
    events: audience.events
  }
  return { session, begin }
}

export const openLive = Effect.fnUntraced(function* (given: OpenOptions) {
  const { cli, options, input, lifetimes, platform } = given
  const audience = makeAudience()
  const turns = makeTurns(audience, yield* Clock.Clock)
  const ready = yield* Deferred.make<Conversation, FailureReason>()
  const over = yield* Deferred.make<void>()
  yield* lifetimes.begin((left) =>
    converse({ cli, options, input, turns, ready, left, background: lifetimes.background }).pipe(
      Effect.onExit((exit) =>
        Effect.sync(() => {
          if (Exit.isFailure(exit)) Deferred.doneUnsafe(ready, Effect.die(Cause.squash(exit.cause)))
          // Of a session that has ended nothing is left, as of a run.
          audience.end()
          Deferred.doneUnsafe(over, Effect.void)
        })
      ),
      Effect.withSpan("AgentRuntime.session", { attributes: { cli: cli.id } }),
      Effect.provideContext(platform),
      inHostTime
    )
  )
  const errorOf = (reason: FailureReason) =>
    new AgentError({ cli: cli.id, reason, result: turns.ended()?.result ?? resultOfNothing(reason), hadOutput: false })
  const conversation = yield* Deferred.await(ready).pipe(
    // Whoever hears of it finds nothing left.
    Effect.tapError(() => Deferred.await(over)),
    Effect.mapError(errorOf)
  )
  return sessionOf(cli.id, options, conversation, turns, audience, errorOf)
})
