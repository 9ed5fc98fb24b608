/** Running turns of an account: what each may do, how it is stopped, and how a further message affects it. */
import { Effect } from "effect"
import { isAtLeast, type Role } from "../access/AccessOptions.ts"
import type { WhileBusy } from "../BridgeOptions.ts"
import type { GatewayTurn } from "../gateway/gatewayContext.ts"
import { addedTo } from "../journal/inbox.ts"
import type { AccountJournal } from "../journal/Journal.ts"
import type { ChannelMessage } from "../messages/ChannelMessage.ts"
import { type Conversation, conversationText } from "../messages/Conversation.ts"
import type { Core } from "../turn/core.ts"
import { promptOf } from "../turn/prompt.ts"
import type { JournalFailure } from "./replies.ts"

export type RunningTurns = ReturnType<typeof makeRunningTurns>

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
export interface TurnInterrupts {
  /** Runs work that ends soon after its signal is aborted. `over` is to be run once nothing is left to stop. */
  readonly stoppable: <A, E, R>(
    conversation: Conversation,
    work: (signal: AbortSignal, over: Effect.Effect<void>) => Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E, R>
  /** Returns false if no turn is running or starting, or it was stopped before. */
  readonly interrupt: (conversation: Conversation) => Effect.Effect<boolean>
}

export const makeTurnInterrupts = (core: Pick<Core, "running">): TurnInterrupts => {
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

/** How a message is stored, and its effect on the running turn. */
export interface Arrival {
  /** Stored in the transaction of the message: a message that the agent may have seen is not asked again. */
  readonly takenBy?: string
  /** `Steered`: the running turn has it. `Queued`: it waits for its own turn. */
  readonly arrive: Effect.Effect<"Steered" | "Queued" | "Begins", JournalFailure>
}

const begins: Arrival = { arrive: Effect.succeed("Begins") }
const waits: Arrival = { arrive: Effect.succeed("Queued") }

export interface ArrivalContext {
  readonly role: Role
  /** No other message waits: the order is kept. */
  readonly isFirst: boolean
}

interface SteeringOptions {
  /** Read for each message. */
  readonly policy: () => WhileBusy
  /** Whether the host is about to end: no turn gets more to do. */
  readonly isDraining: () => boolean
  readonly inbox: Pick<AccountJournal["inbox"], "putBack">
  readonly core: Pick<Core, "running">
  readonly runningTurns: Pick<RunningTurns, "of" | "join">
  /** Whether the message shows the progress of the turn: a reply to it is for that turn. */
  readonly isOfTurn: (messageId: string, turnId: string) => boolean
  readonly standsAlone: (message: ChannelMessage) => boolean
  readonly inBackground: (work: Effect.Effect<unknown>) => Effect.Effect<unknown>
  /** Called when it is passed to the agent. Default: none. */
  readonly onSteering?: (message: ChannelMessage) => Effect.Effect<void>
}

/** A message that names its agent, has files, or comes behind waiting ones gets a turn of its own. */
export const makeSteering = (options: SteeringOptions) => {
  const { policy, isDraining, inbox, core, runningTurns, isOfTurn, standsAlone, inBackground } = options
  const { onSteering = () => Effect.void } = options
  return (message: ChannelMessage, { role, isFirst }: ArrivalContext): Arrival => {
    const { conversation, updateId, replyTo, attachments } = message
    const [running, turn] = [core.running(conversation), runningTurns.of(conversation)]
    if (running === undefined || turn === undefined) return begins
    if (isDraining()) return waits
    const isReply = replyTo !== undefined && isOfTurn(replyTo.messageId, turn.id)
    const effect = isReply ? "steer" : (message.whileBusy ?? policy())
    // In the background: the turn may take a while to end, and must not delay later updates.
    if (effect === "interrupt") return { arrive: Effect.as(inBackground(running.interrupt), "Queued") }
    const { live } = running
    if (effect !== "steer" || live === undefined || attachments.length > 0) return waits
    if (standsAlone(message) || !(isReply || isFirst)) return waits
    const takenBy = addedTo(turn.id)
    const { replyTo: _, ...plain } = message
    const steer = Effect.suspend(() => {
      // Before the agent reads it: from now on the turn may do no more than its sender.
      runningTurns.join(conversation, role)
      // The agent knows its own work, so it is not quoted.
      return Effect.orElseSucceed(live.session.steer(promptOf([isReply ? plain : message])), () => false)
    })
    const back = Effect.as(inbox.putBack(updateId, takenBy), "Queued" as const)
    return {
      takenBy,
      arrive: Effect.flatMap(Effect.andThen(onSteering(message), steer), (isTaken) =>
        isTaken ? Effect.succeed("Steered" as const) : back
      )
    }
  }
}
