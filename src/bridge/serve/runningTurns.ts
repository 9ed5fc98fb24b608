/** Running turns of an account: what each may do, and how it is stopped. */
import { Context, Effect, Layer } from "effect"
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
    /** Returns false if no turn is running or starting, or it was stopped before. */
    readonly interrupt: (conversation: Conversation) => Effect.Effect<boolean>
  }
>()("reins/bridge/TurnInterrupts") {
  static readonly layer = Layer.effect(
    TurnInterrupts,
    Effect.map(Bridge, ({ core }) => makeTurnInterrupts(core))
  )
}

const makeTurnInterrupts = (core: Pick<Core, "running">): TurnInterrupts["Service"] => {
  const starting = new Map<string, AbortController>()
  return {
    stoppable: (conversation, work) => {
      const text = conversationText(conversation)
      const begin = Effect.sync(() => {
        const controller = new AbortController()
        starting.set(text, controller)
        return controller
      })
      const end = Effect.sync(() => void starting.delete(text))
      return Effect.acquireUseRelease(
        begin,
        ({ signal }) => work(signal, end),
        () => end
      )
    },
    interrupt: (conversation) =>
      Effect.suspend(() => {
        const running = core.running(conversation)
        if (running !== undefined) return running.interrupt
        const controller = starting.get(conversationText(conversation))
        if (controller === undefined || controller.signal.aborted) return Effect.succeed(false)
        controller.abort()
        return Effect.succeed(true)
      })
  }
}
