/** What a message does while its conversation has a turn under way. */
import { Effect } from "effect"
import { addedTo } from "../../journal/inbox.ts"
import type { AccountJournal } from "../../journal/Journal.ts"
import type { ChannelMessage } from "../../messages/ChannelMessage.ts"
import type { WhileBusy } from "../BridgeOptions.ts"
import type { Core } from "../turn/core.ts"
import { promptOf } from "../turn/prompt.ts"
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

/** @param turnOf The turn under way in a conversation. */
export const makeSteering =
  (
    policy: WhileBusy,
    { putBack }: Pick<AccountJournal["inbox"], "putBack">,
    core: Pick<Core, "running">,
    turnOf: (conversation: ChannelMessage["conversation"]) => string | undefined
  ) =>
  (message: ChannelMessage): Arrival => {
    const { conversation, updateId, attachments } = message
    const [running, turnId] = [core.running(conversation), turnOf(conversation)]
    if (running === undefined || turnId === undefined) return begins
    if (policy === "interrupt") return { arrive: Effect.as(running.interrupt, "Queued") }
    const { live } = running
    if (policy !== "steer" || live === undefined || attachments.length > 0) return waits
    const takenBy = addedTo(turnId)
    const steer = Effect.orElseSucceed(live.session.steer(promptOf([message])), () => false)
    const back = Effect.as(putBack(updateId, takenBy), "Queued" as const)
    return {
      takenBy,
      arrive: Effect.flatMap(steer, (isTaken) => (isTaken ? Effect.succeed("Steered" as const) : back))
    }
  }
