/** The webhooks of `reins.toml` for `reins serve`: their secrets, the server, and the chats that get their answers. */
import { Effect, Redacted, Result, type Scope } from "effect"
import { readWebhookSecrets } from "../../api/config/secrets.ts"
import { tellTargetOf } from "../../api/config/webhooks.ts"
import type { ChannelBridge } from "../../bridge/ChannelBridge.ts"
import type { Channel } from "../../bridge/messages/Channel.ts"
import type { Conversation } from "../../bridge/messages/Conversation.ts"
import { chatIdOf, type Webhook } from "../../channels/webhooks/webhookOptions.ts"
import { Webhooks } from "../../channels/webhooks/webhooks.ts"
import type { Configuration, ConfiguredWebhook } from "../../contract/Configuration.ts"
import { explain } from "../../contract/errors/system.ts"
import { type DurationInput, toMillis } from "../../contract/Input.ts"
import { parseTemplate } from "../../contract/text/template.ts"
import { untraced } from "../../contract/untraced.ts"
import { Problem } from "./problems.ts"
import { readTls } from "./tls.ts"

export const usualWebhookPort = 7357

type Ready = ReadonlyMap<string, Redacted.Redacted>

/** Webhooks with their secrets. */
export interface ReadyWebhooks {
  /** To be hidden in logs. */
  readonly secrets: ReadonlyArray<string>
  readonly byName: Ready
}

/** Fails with a sentence that never contains a secret. */
export const readyWebhooks = (configuration: Pick<Configuration, "webhooks">): Effect.Effect<ReadyWebhooks, string> =>
  Effect.map(readWebhookSecrets(configuration), (byName) => ({
    secrets: [...byName.values()].map((secret) => Redacted.value(secret)),
    byName
  }))

type Served = ReadonlyArray<Pick<Channel, "id" | "accountId">>

const tellOf = ({ tell }: ConfiguredWebhook, served: Served): Conversation | undefined => {
  const target = tell === undefined ? undefined : tellTargetOf(tell)
  const account = target && served.find(({ id }) => id === target.channel)
  return target && account && { channel: account.id, accountId: account.accountId, chatId: target.chatId }
}

const webhookOf = (name: string, configured: ConfiguredWebhook, secrets: Ready, served: Served): Webhook => {
  const { signature, idHeader, once, prompt, conversation = name } = configured
  const { maxBytes = 1_000_000, rate = 10, rateStatus = 429, pausedStatus = 503 } = configured
  const { answer, deadline = "2 minutes" } = configured
  const secret = secrets.get(name)
  return {
    ...{ name, signature, rateStatus, pausedStatus },
    ...(idHeader === undefined ? {} : { idHeader }),
    ...(once === undefined ? {} : { once }),
    secret: secret === undefined ? "" : Redacted.value(secret),
    // The file was checked.
    template: Result.getOrElse(parseTemplate(prompt), () => []),
    chatId: chatIdOf(conversation),
    mostBytes: maxBytes,
    perMinute: rate,
    answerMs: answer === undefined ? undefined : toMillis(deadline as DurationInput), // checked as one
    tell: tellOf(configured, served)
  }
}

interface OpenOptions {
  readonly configuration: Configuration
  readonly ready: ReadyWebhooks
  /** The channels whose chats get answers. */
  readonly served: Served
  readonly post: ChannelBridge["Service"]["post"]
}

const help = "end what uses the port, or set webhookServer.port to another one"

/** Listens until the scope closes; undefined if no webhook is configured. */
export const openWebhooks = Effect.fn(...untraced("Program.openWebhooks"))(function* ({
  configuration: { webhooks = {}, webhookServer = {} },
  ready,
  served,
  post
}: OpenOptions): Effect.fn.Return<Channel | undefined, Problem, Scope.Scope> {
  const all = Object.entries(webhooks).map(([name, each]) => webhookOf(name, each, ready.byName, served))
  if (all.length === 0) return undefined
  const { host = "127.0.0.1", port = usualWebhookPort } = webhookServer
  const tls =
    webhookServer.tls === undefined
      ? undefined
      : yield* Effect.mapError(readTls(webhookServer.tls, "webhookServer.tls"), (message) => new Problem({ message }))
  const listening = yield* Webhooks.listen({
    ...{ webhooks: all, host, port, tls },
    post: (to, payload, key) =>
      Effect.catch(post(to, payload, key), ({ message }) =>
        Effect.as(Effect.logWarning(`the answer to a webhook waits for the store: ${message}`), false)
      )
  }).pipe(
    Effect.catchTags({
      PortTaken: ({ message }) => Effect.fail(new Problem({ message: `Webhooks: ${message}; ${help}` })),
      ListenRefused: ({ code }) =>
        Effect.fail(
          new Problem({ message: `The webhooks cannot listen at ${host}, port ${port}: ${explain(code)}; ${help}.` })
        )
    })
  )
  const scheme = tls === undefined ? "http" : "https"
  const address = host.includes(":") ? `[${host}]` : host
  for (const { name } of all)
    yield* Effect.logInfo(`A webhook is at ${scheme}://${address}:${listening.port}/hooks/${name}`)
  return listening.channel
})
