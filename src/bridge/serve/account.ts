/** The account of a channel that is served, and the bridge that serves it: all services of an account may use them. */
import { Context, Effect, type Fiber, Layer, type Scope } from "effect"
import type { StoreError } from "../../contract/StoreError.ts"
import type { UsageQuery, UsageReport } from "../../contract/Usage.ts"
import type { History } from "../../conversations/history/History.ts"
import type { Worktrees } from "../../conversations/Worktrees.ts"
import type { CheckedOptions } from "../BridgeOptions.ts"
import { makeNewest } from "../delivery/attempt.ts"
import type { Outlet } from "../gateway/gatewayContext.ts"
import type { Transcriber } from "../intake/Transcriber.ts"
import type { AccountJournal } from "../journal/Journal.ts"
import type { Channel } from "../messages/Channel.ts"
import type { Conversation } from "../messages/Conversation.ts"
import type { Core, Surroundings } from "../turn/core.ts"

/** The bridge, for all its accounts. */
export class Bridge extends Context.Service<
  Bridge,
  {
    /** Read when they are needed: they may be changed. */
    readonly options: CheckedOptions
    readonly core: Core
    readonly worktrees: Worktrees["Service"]
    readonly history: History
    readonly usage: (query: UsageQuery) => Effect.Effect<UsageReport, StoreError>
    /** Registers an account's additions to the turns of its conversations, until the scope closes. */
    readonly surround: (surroundings: Surroundings) => Effect.Effect<void, never, Scope.Scope>
    /** The outlet of the account of a conversation; undefined if it is not served. */
    readonly outletOf: (conversation: Conversation) => Outlet | undefined
    /** Undefined if voice messages cannot be transcribed. */
    readonly transcribe: Transcriber | undefined
    /** Channels whose owners have paused the bridge. */
    readonly paused: Set<Channel>
    /** The host is about to end: no turns are started. */
    readonly isDraining: () => boolean
  }
>()("reins/bridge/Bridge") {}

/** The account that is served. */
export class Account extends Context.Service<
  Account,
  {
    readonly channel: Channel
    readonly journal: AccountJournal
    /** Messages can have the buttons of a question. */
    readonly hasButtons: boolean
    /** Starts work at once, without waiting for it; it ends with the account. */
    readonly inBackground: <A>(work: Effect.Effect<A>) => Effect.Effect<Fiber.Fiber<A>>
  }
>()("reins/bridge/Account") {}

/** The newest known message of each conversation of the account. */
export class Newest extends Context.Service<Newest, ReturnType<typeof makeNewest>>()("reins/bridge/Newest") {
  static readonly layer = Layer.effect(
    Newest,
    Effect.map(Account, ({ journal }) => makeNewest(journal))
  )
}
