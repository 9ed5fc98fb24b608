/**
 * What a message does while its conversation has a turn under way. One that names its agent, has files or comes behind
 * others that wait has a turn of its own.
 */
import { Effect } from "effect"
import type { Role } from "../access/AccessOptions.ts"
import type { WhileBusy } from "../BridgeOptions.ts"
import { addedTo } from "../journal/inbox.ts"
import type { AccountJournal } from "../journal/Journal.ts"
import type { ChannelMessage } from "../messages/ChannelMessage.ts"
import type { Core } from "../turn/core.ts"
import { promptOf } from "../turn/prompt.ts"
import type { UnderWay } from "./underWay.ts"
import type { JournalFailure } from "./voice.ts"

/** How a message is taken in, and what it does then. */
export interface Arrival {
  /** In one transaction with it: a message that the agent may have seen is not asked again. */
  readonly takenBy?: string
  /** `Steered`: the turn takes it up. `Queued`: it waits for its own turn. */
  readonly arrive: Effect.Effect<"Steered" | "Queued" | "Begins", JournalFailure>
}

const begins: Arrival = { arrive: Effect.succeed("Begins") }
const waits: Arrival = { arrive: Effect.succeed("Queued") }

export interface ArrivalContext {
  readonly role: Role
  /** Nothing else waits: nobody is overtaken. */
  readonly isFirst: boolean
}

export interface SteeringOptions {
  /** At this moment. */
  readonly policy: () => WhileBusy
  /** The host is about to end: no turn gets more to do. */
  readonly isDraining: () => boolean
  readonly inbox: Pick<AccountJournal["inbox"], "putBack">
  readonly core: Pick<Core, "running">
  readonly underWay: Pick<UnderWay, "of" | "join">
  /** It is the message that shows the turn at work: what replies to it is for that turn. */
  readonly isOfTurn: (messageId: string, turnId: string) => boolean
  /** It must have a turn of its own. */
  readonly standsAlone: (message: ChannelMessage) => boolean
  readonly later: (work: Effect.Effect<unknown>) => Effect.Effect<unknown>
  /** It is given to the agent now. Default: nobody is told. */
  readonly onSteering?: (message: ChannelMessage) => Effect.Effect<void>
}

export const makeSteering = (options: SteeringOptions) => {
  const { policy, isDraining, inbox, core, underWay, isOfTurn, standsAlone, later } = options
  const { onSteering = () => Effect.void } = options
  return (message: ChannelMessage, { role, isFirst }: ArrivalContext): Arrival => {
    const { conversation, updateId, replyTo, attachments } = message
    const [running, turn] = [core.running(conversation), underWay.of(conversation)]
    if (running === undefined || turn === undefined) return begins
    if (isDraining()) return waits
    const isReply = replyTo !== undefined && isOfTurn(replyTo.messageId, turn.id)
    const wanted = isReply ? "steer" : (message.whileBusy ?? policy())
    // Its end may take a while, and holds up nothing that is heard.
    if (wanted === "interrupt") return { arrive: Effect.as(later(running.interrupt), "Queued") }
    const { live } = running
    if (wanted !== "steer" || live === undefined || attachments.length > 0) return waits
    if (standsAlone(message) || !(isReply || isFirst)) return waits
    const takenBy = addedTo(turn.id)
    const { replyTo: _, ...plain } = message
    const steer = Effect.suspend(() => {
      // Before the agent reads it: from now on the turn may do no more than its sender.
      underWay.join(conversation, role)
      // The agent knows its own work: it needs no quotation of it.
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
