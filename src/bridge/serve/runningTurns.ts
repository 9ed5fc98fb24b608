/** Running turns of an account: what each may do, and how it is stopped. */
import { Context, Effect, Exit, Fiber, Latch, Layer, Option, type Scope } from "effect"
import { isAtLeast, type Role } from "../access/AccessOptions.ts"
import type { GatewayTurn } from "../gateway/gatewayContext.ts"
import type { ChannelMessage } from "../messages/ChannelMessage.ts"
import { type Conversation, conversationText } from "../messages/Conversation.ts"
import type { Core } from "../turn/core.ts"
import { Bridge } from "./account.ts"

export interface Turn {
  readonly turnId: string
  readonly conversation: Conversation
  /** The first of its messages. */
  readonly message: ChannelMessage
  /** Current roles of each sender. */
  readonly roles: ReadonlyArray<Role>
  readonly updateIds: ReadonlyArray<string>
  /** An earlier host had taken its messages, and no person has decided about it. */
  readonly isRecovered: boolean
  /** The agent of only this turn. */
  readonly once: string | undefined
}

export class RunningTurns extends Context.Service<RunningTurns, ReturnType<typeof makeRunningTurns>>()(
  "reins/bridge/RunningTurns"
) {
  static readonly layer = Layer.sync(RunningTurns, () => makeRunningTurns())
}

/** The least of several roles; `user` for none. */
export const leastRole = ([first = "user", ...others]: ReadonlyArray<Role>): Role =>
  others.reduce((least, role) => (isAtLeast(role, least) ? least : role), first)

export const makeRunningTurns = () => {
  const turns = new Map<string, GatewayTurn>()
  return {
    of: (conversation: Conversation) => turns.get(conversationText(conversation)),
    begin: (conversation: Conversation, turn: GatewayTurn) => void turns.set(conversationText(conversation), turn),
    /** Adds a participant: from now on the turn may do only what each of them may. */
    join: (conversation: Conversation, role: Role) => {
      const text = conversationText(conversation)
      const turn = turns.get(text)
      if (turn !== undefined) turns.set(text, { ...turn, role: leastRole([turn.role, role]) })
    },
    end: (conversation: Conversation) => void turns.delete(conversationText(conversation))
  }
}

/** Stops the turn of a conversation from the moment its messages are taken, also while it starts. */
export class TurnInterrupts extends Context.Service<
  TurnInterrupts,
  {
    /** Runs work that ends soon after its signal is aborted. `over` is to be run once nothing is left to stop. */
    readonly stoppable: <A, E, R>(
      conversation: Conversation,
      work: (signal: AbortSignal, over: Effect.Effect<void>) => Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E, R>
    /**
     * Requests the stop, and returns at once: undefined if no turn is running or starting, otherwise an effect that waits
     * until nothing of the turn is left. An agent that ignores the request is killed, which takes seconds.
     */
    readonly interrupt: (conversation: Conversation) => Effect.Effect<Effect.Effect<void> | undefined>
    /** Completes when the stop of the present turn is requested. */
    readonly requested: (conversation: Conversation) => Effect.Effect<void>
  }
>()("reins/bridge/TurnInterrupts") {
  static readonly layer = Layer.effect(
    TurnInterrupts,
    Effect.map(Effect.all([Bridge, Effect.scope]), ([{ core }, scope]) => makeTurnInterrupts(core, scope))
  )
}

/** Longest wait for the end of a stopped turn before people are told that it is stopping. */
const soon = "500 millis"

/** Whether a stopped turn is over after a moment. */
export const isOverSoon = (over: Effect.Effect<void>): Effect.Effect<boolean> =>
  Effect.map(Effect.timeoutOption(over, soon), Option.isSome)

const makeTurnInterrupts = (core: Pick<Core, "running">, scope: Scope.Scope): TurnInterrupts["Service"] => {
  const turns = new Map<string, ReturnType<typeof makeTurn>>()
  const makeTurn = () => ({ abort: new AbortController(), requested: Latch.makeUnsafe(), over: Latch.makeUnsafe() })
  return {
    stoppable: (conversation, work) => {
      const text = conversationText(conversation)
      const begin = Effect.sync(() => {
        const turn = makeTurn()
        turns.set(text, turn)
        return turn
      })
      const end = ({ over }: ReturnType<typeof makeTurn>) =>
        Effect.sync(() => {
          turns.delete(text)
          over.openUnsafe()
        })
      return Effect.acquireUseRelease(begin, (turn) => work(turn.abort.signal, end(turn)), end)
    },
    interrupt: Effect.fnUntraced(function* (conversation) {
      const turn = turns.get(conversationText(conversation))
      if (turn?.requested.isOpen() === true) return turn.over.await
      const running = core.running(conversation)
      if (running === undefined) {
        if (turn === undefined) return undefined
        turn.abort.abort()
      } else {
        const stopping = yield* Effect.forkIn(running.interrupt, scope, { startImmediately: true })
        const exit = stopping.pollUnsafe()
        // The turn has ended by itself.
        if (exit !== undefined && Exit.isSuccess(exit) && !exit.value) return undefined
        // A turn of `handle`.
        if (turn === undefined) return Effect.asVoid(Fiber.await(stopping))
      }
      turn.requested.openUnsafe()
      return turn.over.await
    }),
    requested: (conversation) =>
      Effect.suspend(() => turns.get(conversationText(conversation))?.requested.await ?? Effect.never)
  }
}
