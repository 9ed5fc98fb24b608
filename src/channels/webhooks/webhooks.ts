/**
 * Webhooks as a channel of the bridge: a delivery is a message of its webhook, which has no rights but to begin a turn, and
 * whose text is the template of the configuration with data in it.
 */
import { Effect, type Scope } from "effect"
import type { Channel } from "../../bridge/messages/Channel.ts"
import { untraced } from "../../contract/untraced.ts"
import { httpServer, type ListenRefused, type PortTaken } from "../kit/HttpServer.ts"
import { makeHandler } from "./incoming/handler.ts"
import { makeInbox } from "./incoming/inbox.ts"
import { limits, makeAnswers, makeSend, render } from "./outgoing/answers.ts"
import { accountId, channelId, type WebhooksListenOptions, type WebhooksOptions } from "./webhookOptions.ts"

interface ServedWebhooks {
  readonly channel: Channel
  /** For the paths `/hooks/NAME`. Never rejects. */
  readonly handler: (request: Request) => Promise<Response>
}

const make = Effect.fn(...untraced("Webhooks.make"))(function* (
  options: WebhooksOptions
): Effect.fn.Return<ServedWebhooks> {
  const { webhooks } = options
  const [inbox, answers] = [yield* makeInbox, makeAnswers()]
  const handler = yield* makeHandler({ webhooks, inbox, answers })
  const names = new Set(webhooks.map(({ name }) => name))
  const channel: Channel = {
    id: channelId,
    accountId,
    limits,
    unattended: true,
    isPerson: (id) => names.has(id),
    incoming: () => inbox.incoming,
    render,
    send: makeSend(options),
    // A repeated send has the same key.
    find: () => Effect.succeed(undefined),
    acknowledge: () => Effect.void,
    check: Effect.succeed([]),
    watch: (sight) =>
      Effect.sync(() => {
        if (sight._tag === "Ended") answers.ended(sight.turnId, sight.result)
      })
  }
  return { channel, handler }
})

export interface ListeningWebhooks extends ServedWebhooks {
  readonly port: number
}

const mostConnections = 200
const requestMs = 30_000

/** With a server of its own, which answers the paths of its webhooks and nothing else, until the scope closes. */
const listen = Effect.fn(...untraced("Webhooks.listen"))(function* ({
  host,
  port,
  tls,
  ...options
}: WebhooksListenOptions): Effect.fn.Return<ListeningWebhooks, PortTaken | ListenRefused, Scope.Scope> {
  const served = yield* make(options)
  const bound = yield* httpServer({ host, port, tls, mostConnections, requestMs }, served.handler)
  return { ...served, port: bound }
})

export const Webhooks = { make, listen }
