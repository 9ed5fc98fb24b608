/** The channel's side of the world: chats that outlive each host. A chat is that of one case, by its id. */
import type { ShownMessage } from "../../../src/testing/channels/board.ts"
import type { Fault } from "./plan.ts"

export interface Outside {
  /** Where a host finds it. */
  readonly url: string
  /** Secrets and other options of the channel of a service. */
  readonly options?: Readonly<Record<string, string | number>>
  /** To be called once a host serves. Default: nothing. */
  readonly connect?: () => Promise<void>
  /** Who writes there, as the channel has it. */
  readonly personOf: (chat: string) => string
  readonly say: (chat: string, text: string) => void
  readonly press: (chat: string, messageId: string, label: string) => void
  /** Presses that no host hears are lost, as the person sees: it presses again. Default: they are kept. */
  readonly losesPresses?: boolean
  /** Messages as a person sees them, in order. */
  readonly chat: (chat: string) => ReadonlyArray<ShownMessage>
  /** The fault of the next send: one of this chat that is not progress, if the channel can tell. */
  readonly fail: (chat: string, fault: Fault) => void
  /** How many sends of a chat met one. */
  readonly faultsOf: (chat: string) => number
  /** Messages that the channel must never see. */
  readonly violations: () => ReadonlyArray<string>
  /** From now on nothing fails. */
  readonly calm: () => void
  readonly close: () => Promise<void>
}
