/** The web page as `reins serve` has it: the one file that knows how the channel is made. */
import { Effect, type Scope } from "effect"
import type { Channel } from "../../bridge/messages/Channel.ts"
import { WebChat } from "../../channels/web/WebChat.ts"
import type { WebAgent, WebBudget, WebDirectory } from "../../channels/web/WebChatOptions.ts"
import type { ListenRefused, PortTaken } from "../../channels/web/WebListenOptions.ts"
import type { InvalidParams } from "../../contract/AgentError.ts"
import type { StoreError } from "../../contract/StoreError.ts"
import type { Store } from "../../conversations/store/Store.ts"

export type { PortTaken, WebAgent, WebBudget }

export interface WebOptions {
  readonly host: string
  /** Names by which other machines reach it. */
  readonly hosts: ReadonlyArray<string>
  /** 0: any free one. */
  readonly port: number
  readonly key: string
  /** Each machine of a cluster has its own page. Default: `web`. */
  readonly accountId?: string
  /** Pages that show the conversations of each other. */
  readonly group?: string
  readonly title: string
  readonly allowRemote: boolean
  /** As PEM. */
  readonly tls: { readonly cert: string; readonly key: string } | undefined
  readonly agents: Effect.Effect<ReadonlyArray<WebAgent>>
  readonly directories: () => ReadonlyArray<WebDirectory>
  readonly budget: Effect.Effect<WebBudget | undefined>
}

export interface ServedWeb {
  readonly channel: Channel
  /** For the person alone: the key is in it. */
  readonly url: string
  readonly port: number
}

/** Who has the key. */
export const ownerId = "you"

export const openWeb = ({
  key,
  agents,
  directories,
  budget,
  ...options
}: WebOptions): Effect.Effect<ServedWeb, PortTaken | ListenRefused | StoreError | InvalidParams, Scope.Scope | Store> =>
  WebChat.listen({
    ...options,
    token: key,
    person: { id: ownerId, name: "You" },
    agents: () => agents,
    directories: () => Effect.succeed(directories()),
    budget: () => budget
  })
