/** The tools of agents in the chats of an account, and the copies of files that they send. */
import { createHash } from "node:crypto"
import { join } from "node:path"
import { Context, Effect, Layer } from "effect"
import type { HostTool } from "../../contract/HostTool.ts"
import { openStateDirectory } from "../../system/locks/stateDirectory.ts"
import { OutboxSignal } from "../delivery/deliverOutbox.ts"
import { sweepCopies } from "../gateway/copies.ts"
import type { Outlet } from "../gateway/gatewayContext.ts"
import { gatewayTools } from "../gateway/gatewayTools.ts"
import type { Conversation } from "../messages/Conversation.ts"
import { Account, Bridge } from "./account.ts"
import { Questions } from "./questions.ts"
import { RunningTurns } from "./runningTurns.ts"
import { Scheduling } from "./scheduling.ts"

export class AccountGateway extends Context.Service<
  AccountGateway,
  {
    readonly tools: (conversation: Conversation, directory: Effect.Effect<string>) => ReadonlyArray<HostTool>
    /** Directory of the copies; undefined if files cannot be sent. */
    readonly copies: string | undefined
    /** How agents of other accounts write to this one. */
    readonly outlet: Outlet
  }
>()("reins/bridge/AccountGateway") {
  static readonly layer = Layer.effect(
    AccountGateway,
    Effect.suspend(() => makeGateway)
  )
}

const makeGateway = Effect.gen(function* () {
  const { options: all, outletOf } = yield* Bridge
  const { channel, journal } = yield* Account
  const running = yield* RunningTurns
  const questions = yield* Questions
  const { ask } = yield* Scheduling
  const { ring: onPut } = yield* OutboxSignal
  const options = all.gateway
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
  const schedules = { journal: journal.schedules, ask, zone, mostUsd: scheduleUsd }
  const targets = Object.entries(options.targets).map(([name, { conversation, description }]) => ({
    name,
    conversation,
    outlet: () => outletOf(conversation),
    ...(description === undefined ? {} : { description })
  }))
  return AccountGateway.of({
    copies,
    outlet,
    tools: (conversation, directory) => {
      const turn = () => running.of(conversation)
      const role = turn()?.role ?? "user"
      const note = Effect.sync(() => questions.note(conversation))
      const asking: Outlet = { ...outlet, onPut: Effect.andThen(note, onPut) }
      const own = { conversation, turn, role, profile, directory, outlet: asking }
      return gatewayTools({ ...own, targets, schedules, aliases })
    }
  })
})
