/**
 * What a message does while its conversation has a turn under way. One that names its agent, has files or comes behind
 * others that wait has a turn of its own.
 */
import { Effect } from "effect"
import { addedTo } from "../../journal/inbox.ts"
import type { AccountJournal } from "../../journal/Journal.ts"
import type { ChannelMessage } from "../../messages/ChannelMessage.ts"
import { type Conversation, conversationText } from "../../messages/Conversation.ts"
import type { Role } from "../access/Role.ts"
import type { WhileBusy } from "../BridgeOptions.ts"
import type { Core } from "../turn/core.ts"
import { promptOf } from "../turn/prompt.ts"
import type { UnderWay } from "./underWay.ts"
import type { JournalFailure } from "./voice.ts"

/** `Steered`: the turn takes it up. `Queued`: it waits for its own turn. */
export type Arrival = "Steered" | "Queued" | "Begins"

export interface SteeringOptions {
  /** At this moment. */
  readonly policy: () => WhileBusy
  /** The host is about to end: no turn gets more to do. */
  readonly isDraining: () => boolean
  readonly journal: Pick<AccountJournal, "inbox">
  readonly core: Pick<Core, "running">
  readonly underWay: Pick<UnderWay, "of" | "join">
  /** It is the message that shows the turn at work: what replies to it is for that turn. */
  readonly isOfTurn: (messageId: string, turnId: string) => boolean
  /** It must have a turn of its own. */
  readonly standsAlone: (message: ChannelMessage) => boolean
  readonly later: (work: Effect.Effect<unknown>) => Effect.Effect<unknown>
  /** It is given to the agent now. */
  readonly onSteering: (message: ChannelMessage) => Effect.Effect<void>
}

export const makeSteering = (options: SteeringOptions) => {
  const { policy, isDraining, journal, core, underWay, isOfTurn, standsAlone, later, onSteering } = options
  const { inbox } = journal

  /** Nobody is overtaken. */
  const isFirst = (conversation: Conversation, updateId: string) =>
    Effect.map(inbox.waiting(conversationText(conversation)), ([first]) => first?.updateId === updateId)

  return Effect.fnUntraced(function* (message: ChannelMessage, role: Role): Effect.fn.Return<Arrival, JournalFailure> {
    const { conversation, updateId, replyTo } = message
    const [running, turn] = [core.running(conversation), underWay.of(conversation)]
    if (running === undefined || turn === undefined) return "Begins"
    if (isDraining()) return "Queued"
    const isReply = replyTo !== undefined && isOfTurn(replyTo.messageId, turn.id)
    const wanted = isReply ? "steer" : (message.whileBusy ?? policy())
    // Its end may take a while, and holds up nothing that is heard.
    if (wanted === "interrupt") yield* later(running.interrupt)
    if (wanted !== "steer" || running.live === undefined || message.attachments.length > 0) return "Queued"
    if (standsAlone(message) || !(isReply || (yield* isFirst(conversation, updateId)))) return "Queued"
    // Before it is given to the agent: a message that it may have seen is not asked again.
    if (!(yield* inbox.take([updateId], addedTo(turn.id)))) return "Queued"
    yield* onSteering(message)
    // Before the agent reads it: from now on the turn may do no more than its sender.
    underWay.join(conversation, role)
    const { replyTo: _, ...plain } = message
    // The agent knows its own work: it needs no quotation of it.
    const prompt = promptOf([isReply ? plain : message])
    const isTaken = yield* Effect.orElseSucceed(running.live.session.steer(prompt), () => false)
    if (isTaken) return "Steered"
    yield* inbox.putBack(updateId)
    return "Queued"
  })
}
