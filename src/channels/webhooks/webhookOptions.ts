/** Options of the webhooks of a host: the paths that programs call, and the server that answers them. */
import type { Effect } from "effect"
import type { Conversation } from "../../bridge/messages/Conversation.ts"
import type { ReplyPayload } from "../../bridge/messages/ReplyPayload.ts"
import type { ConfiguredWebhook } from "../../contract/Configuration.ts"
import type { Template } from "../../contract/text/template.ts"

export type WebhookSignature = ConfiguredWebhook["signature"]

export interface Webhook extends Pick<ConfiguredWebhook, "signature" | "idHeader" | "once"> {
  /** Part of its path: letters, digits, `.`, `_` and `-`. */
  readonly name: string
  readonly secret: string
  readonly template: Template
  /** Webhooks with the same chat share a conversation. */
  readonly chatId: string
  readonly mostBytes: number
  /** Deliveries in a minute. */
  readonly perMinute: number
  /** Answered to further ones. */
  readonly rateStatus: number
  /** Answered while an owner has paused the bridge, or too many deliveries wait; 202: those of a pause are stored. */
  readonly pausedStatus: number
  /** How long a request waits for the answer of the agent. Default: it is answered at once. */
  readonly answerMs?: number | undefined
  /** The chat that gets the answers. Default: they are logged. */
  readonly tell?: Conversation | undefined
}

export interface WebhooksOptions {
  readonly webhooks: ReadonlyArray<Webhook>
  /** Writes into a chat of another account, once per key; false if that is not possible now. */
  readonly post: (to: Conversation, payload: ReplyPayload, key: string) => Effect.Effect<boolean>
}

export interface WebhooksListenOptions extends WebhooksOptions {
  readonly host: string
  /** 0 for any that is free. */
  readonly port: number
  readonly tls?: { readonly key: string; readonly cert: string } | undefined
}

export const channelId = "webhook"
export const accountId = "webhooks"

/** The chat of a conversation: no other channel has ids of this form. */
export const chatIdOf = (conversation: string): string => `webhook:${conversation}`
