/** How a further message affects a running turn. */
import { Context, Effect, Layer } from "effect"
import type { Role } from "../access/AccessOptions.ts"
import { onceCommandIn } from "../commands/parse.ts"
import { addedTo } from "../journal/inbox.ts"
import { type ChannelMessage, isDelivery } from "../messages/ChannelMessage.ts"
import { promptOf } from "../turn/prompt.ts"
import { Account, Bridge } from "./account.ts"
import { AccountAccess } from "./accountAccess.ts"
import { messageUpdates } from "./channelUpdates.ts"
import type { JournalFailure } from "./replies.ts"
import { lineIn } from "./resumeLines.ts"
import { RunningTurns, TurnInterrupts } from "./runningTurns.ts"
import { TurnProgress } from "./turnProgress.ts"

/** The agent that a message names, if its sender may choose one, and the rest: `/codex look at this`. */
export const namedAgents = Effect.gen(function* () {
  const agents = Object.keys((yield* Bridge).options.agents)
  const { roleOf } = yield* AccountAccess
  return (message: ChannelMessage) =>
    isDelivery(message) ? undefined : onceCommandIn(message, roleOf(message), agents)
})

export class Steering extends Context.Service<Steering, Effect.Success<typeof makeSteering>>()(
  "reins/bridge/Steering"
) {
  static readonly layer = Layer.effect(
    Steering,
    Effect.suspend(() => makeSteering)
  )
}

/** How a message is stored, and its effect on the running turn. */
interface Arrival {
  /** Stored in the transaction of the message: a message that the agent may have seen is not asked again. */
  readonly takenBy?: string
  /** `Steered`: the running turn has it. `Queued`: it waits for its own turn. */
  readonly arrive: Effect.Effect<"Steered" | "Queued" | "Begins", JournalFailure>
}

const begins: Arrival = { arrive: Effect.succeed("Begins") }
const waits: Arrival = { arrive: Effect.succeed("Queued") }

interface ArrivalContext {
  readonly role: Role
  /** No other message waits: the order is kept. */
  readonly isFirst: boolean
}

/** A message that names its agent, has files, or comes behind waiting ones gets a turn of its own. */
const makeSteering = Effect.gen(function* () {
  const { options, core, isDraining } = yield* Bridge
  const { channel, journal } = yield* Account
  const runningTurns = yield* RunningTurns
  const progress = yield* TurnProgress
  const { interrupt } = yield* TurnInterrupts
  const named = yield* namedAgents
  const update = messageUpdates(channel.watch)
  const standsAlone = (message: ChannelMessage) =>
    named(message) !== undefined || lineIn(options.resumable, message.text) !== undefined

  return (message: ChannelMessage, { role, isFirst }: ArrivalContext): Arrival => {
    const { conversation, updateId, replyTo, attachments } = message
    const [running, turn] = [core.running(conversation), runningTurns.of(conversation)]
    if (running === undefined || turn === undefined) return begins
    if (isDraining()) return waits
    const isReply = replyTo !== undefined && progress.isOf(replyTo.messageId, turn.id)
    const effect = isReply ? "steer" : (message.whileBusy ?? options.whileBusy)
    if (effect === "interrupt") return { arrive: Effect.as(interrupt(conversation), "Queued") }
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
    const back = Effect.as(journal.inbox.putBack(updateId, takenBy), "Queued" as const)
    return {
      takenBy,
      arrive: Effect.flatMap(Effect.andThen(update(message, "steering"), steer), (isTaken) =>
        isTaken ? Effect.succeed("Steered" as const) : back
      )
    }
  }
})
