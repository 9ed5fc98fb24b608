/** What a message does while its conversation has a turn under way. */
import { Effect } from "effect"
import { addedTo } from "../../journal/inbox.ts"
import type { AccountJournal } from "../../journal/Journal.ts"
import type { ChannelMessage } from "../../messages/ChannelMessage.ts"
import type { WhileBusy } from "../BridgeOptions.ts"
import type { Core } from "../turn/core.ts"
import { promptOf } from "../turn/prompt.ts"
import type { JournalFailure } from "./voice.ts"

/** `Steered`: the turn takes it up. `Queued`: it waits for its own turn. */
export type Arrival = "Steered" | "Queued" | "Begins"

/**
 * @param policyOf At this moment.
 * @param turnOf The turn under way in a conversation.
 * @param onSteering It is given to the agent now.
 */
export const makeSteering = (
  policyOf: (message: ChannelMessage) => WhileBusy,
  { inbox }: Pick<AccountJournal, "inbox">,
  core: Pick<Core, "running">,
  turnOf: (conversation: ChannelMessage["conversation"]) => string | undefined,
  onSteering: (message: ChannelMessage) => Effect.Effect<void> = () => Effect.void
) =>
  Effect.fnUntraced(function* (message: ChannelMessage): Effect.fn.Return<Arrival, JournalFailure> {
    const { conversation, updateId } = message
    const [running, turnId] = [core.running(conversation), turnOf(conversation)]
    if (running === undefined || turnId === undefined) return "Begins"
    const wanted = policyOf(message)
    if (wanted === "interrupt") yield* running.interrupt
    if (wanted !== "steer" || running.live === undefined || message.attachments.length > 0) return "Queued"
    // Before it is given to the agent: a message that it may have seen is not asked again.
    if (!(yield* inbox.take([updateId], addedTo(turnId)))) return "Queued"
    yield* onSteering(message)
    const isTaken = yield* Effect.orElseSucceed(running.live.session.steer(promptOf([message])), () => false)
    if (isTaken) return "Steered"
    yield* inbox.putBack(updateId)
    return "Queued"
  })
