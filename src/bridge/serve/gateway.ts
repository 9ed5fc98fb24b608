/** The tools of agents in the chats of an account, and the copies of files that they send. */
import { createHash } from "node:crypto"
import { join } from "node:path"
import { Effect } from "effect"
import type { HostTool } from "../../contract/HostTool.ts"
import { openStateDirectory } from "../../system/locks/stateDirectory.ts"
import { sweepCopies } from "../gateway/copies.ts"
import type { CheckedGateway } from "../gateway/GatewayOptions.ts"
import type { GatewaySchedules, GatewayTurn, Outlet } from "../gateway/gatewayContext.ts"
import { gatewayTools } from "../gateway/gatewayTools.ts"
import type { AccountJournal } from "../journal/Journal.ts"
import type { Channel } from "../messages/Channel.ts"
import type { Conversation } from "../messages/Conversation.ts"

interface AccountGateway {
  readonly tools: (conversation: Conversation, directory: string) => ReadonlyArray<HostTool>
  /** Directory of the copies; undefined if files cannot be sent. */
  readonly copies: string | undefined
  /** How agents of other accounts write to this one. */
  readonly outlet: Outlet
}

interface AccountGatewayOptions {
  readonly channel: Channel
  readonly journal: AccountJournal
  readonly options: CheckedGateway
  /** The running turn, read at each call. */
  readonly turnOf: (conversation: Conversation) => GatewayTurn | undefined
  readonly onPut: Effect.Effect<void>
  readonly onAsk: (conversation: Conversation) => void
  readonly askSchedule: GatewaySchedules["ask"]
  readonly outletOf: (conversation: Conversation) => Outlet | undefined
}

export const makeGateway = Effect.fnUntraced(function* (deps: AccountGatewayOptions): Effect.fn.Return<AccountGateway> {
  const { channel, journal, options, turnOf, onPut, onAsk, askSchedule, outletOf } = deps
  const { profile, aliases, zone, scheduleUsd } = options
  const account = createHash("sha256")
    .update(JSON.stringify([channel.id, channel.accountId]))
    .digest("hex")
  const state = yield* openStateDirectory("gateway").pipe(
    Effect.tapError((error) => Effect.logWarning(`agents cannot send files: ${error.message}`)),
    Effect.orElseSucceed(() => undefined)
  )
  const copies = state === undefined ? undefined : join(state, "gateway", account.slice(0, 16))
  if (copies !== undefined) yield* Effect.ignore(sweepCopies(copies, journal.outbox))
  const { uploadBytes, buttons } = channel.limits
  const outlet: Outlet = {
    journal,
    render: channel.render,
    limits: { uploadBytes: copies === undefined ? 0 : uploadBytes, buttons },
    copies: copies ?? "",
    onPut
  }
  const schedules = { journal: journal.schedules, ask: askSchedule, zone, mostUsd: scheduleUsd }
  const targets = Object.entries(options.targets).map(([name, { conversation, description }]) => ({
    name,
    conversation,
    outlet: () => outletOf(conversation),
    ...(description === undefined ? {} : { description })
  }))
  return {
    copies,
    outlet,
    tools: (conversation, directory) => {
      const turn = () => turnOf(conversation)
      const role = turn()?.role ?? "user"
      const note = Effect.sync(() => onAsk(conversation))
      const asking: Outlet = { ...outlet, onPut: Effect.andThen(note, onPut) }
      const own = { conversation, turn, role, profile, directory, outlet: asking }
      return gatewayTools({ ...own, targets, schedules, aliases })
    }
  }
})
