/** `Steering` of an account whose other services are stubs: only the members that it uses. */
import { Context, Effect, Layer } from "effect"
import type { WhileBusy } from "../../src/bridge/BridgeOptions.ts"
import type { AccountJournal } from "../../src/bridge/journal/Journal.ts"
import type { Channel } from "../../src/bridge/messages/Channel.ts"
import { Account, Bridge } from "../../src/bridge/serve/account.ts"
import { AccountAccess } from "../../src/bridge/serve/accountAccess.ts"
import { RunningTurns, TurnInterrupts } from "../../src/bridge/serve/runningTurns.ts"
import { Steering } from "../../src/bridge/serve/steering.ts"
import { TurnProgress } from "../../src/bridge/serve/turnProgress.ts"
import type { Running } from "../../src/bridge/turn/answering.ts"
import { resumableClis } from "../../src/conversations/ResumeLine.ts"

interface Stubs {
  readonly whileBusy: WhileBusy
  readonly running: Running | undefined
  readonly inbox: Pick<AccountJournal["inbox"], "putBack">
  readonly watch?: Channel["watch"]
}

/** There is an agent `other`. The progress message of a turn has the id `progress of <turn>`. */
export const steeringOf = Effect.fnUntraced(function* ({ whileBusy, running, inbox, watch }: Stubs) {
  const stub = <I, S>(service: Context.Key<I, S>, used: unknown) => Layer.succeed(service, used as S)
  const layer = Steering.layer.pipe(
    Layer.provide([
      stub(Bridge, {
        options: { whileBusy, agents: { other: {} }, resumable: resumableClis() },
        ...{ core: { running: () => running }, isDraining: () => false }
      }),
      stub(Account, { channel: { watch }, journal: { inbox } }),
      stub(AccountAccess, { roleOf: () => "owner" }),
      stub(TurnInterrupts, { interrupt: () => Effect.as(running?.interrupt ?? Effect.void, Effect.void) }),
      stub(TurnProgress, { isOf: (messageId: string, turnId: string) => messageId === `progress of ${turnId}` })
    ]),
    Layer.provideMerge(RunningTurns.layer)
  )
  const context = yield* Layer.build(layer)
  return { steering: Context.get(context, Steering), runningTurns: Context.get(context, RunningTurns) }
})
