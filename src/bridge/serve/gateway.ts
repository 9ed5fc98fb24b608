/** The tools that an agent has in the chats of an account, and the copies of the files that it sends. */
import { createHash } from "node:crypto"
import { join } from "node:path"
import { Effect } from "effect"
import { sweepCopies } from "../../gateway/copies.ts"
import type { GatewayTurn, Outlet } from "../../gateway/gatewayContext.ts"
import { gatewayTools } from "../../gateway/gatewayTools.ts"
import type { GatewayProfile } from "../../gateway/profiles.ts"
import type { AccountJournal } from "../../journal/Journal.ts"
import { openStateDirectory } from "../../locks/stateDirectory.ts"
import type { Channel } from "../../messages/Channel.ts"
import type { Conversation } from "../../messages/Conversation.ts"
import type { HostTool } from "../../types/HostTool.ts"

export interface AccountGateway {
  readonly tools: (conversation: Conversation, directory: string) => ReadonlyArray<HostTool>
  /** Where the copies lie; undefined: no files are sent. */
  readonly copies: string | undefined
}

/** @param turnOf The turn under way, read at each call. */
export const makeGateway = Effect.fnUntraced(function* (
  channel: Channel,
  journal: AccountJournal,
  profile: GatewayProfile,
  turnOf: (conversation: Conversation) => GatewayTurn | undefined,
  onPut: Effect.Effect<void>
): Effect.fn.Return<AccountGateway> {
  const account = createHash("sha256")
    .update(JSON.stringify([channel.id, channel.accountId]))
    .digest("hex")
  const state = yield* openStateDirectory("gateway").pipe(
    Effect.tapError((error) => Effect.logWarning(`agents cannot send files: ${error.message}`)),
    Effect.orElseSucceed(() => undefined)
  )
  const copies = state === undefined ? undefined : join(state, "gateway", account.slice(0, 16))
  if (copies !== undefined) yield* Effect.ignore(sweepCopies(copies, journal.outbox))
  const { uploadBytes } = channel.limits
  const outlet: Outlet = {
    journal,
    render: channel.render,
    // The options of a question are lines: its answer is a message like any other.
    limits: { uploadBytes: copies === undefined ? 0 : uploadBytes, buttons: { most: 0, label: 0, data: 0 } },
    copies: copies ?? "",
    onPut
  }
  return {
    copies,
    tools: (conversation, directory) => {
      const turn = () => turnOf(conversation)
      return gatewayTools({ conversation, turn, role: turn()?.role ?? "user", profile, directory, outlet })
    }
  }
})
