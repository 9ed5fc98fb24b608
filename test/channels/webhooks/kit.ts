/** Webhooks with a server of their own, and senders with the right proof. */
import { createHmac, randomUUID } from "node:crypto"
import { Effect, Result, type Scope, Stream } from "effect"
import type { Heard } from "../../../src/bridge/messages/Channel.ts"
import type { ChannelMessage } from "../../../src/bridge/messages/ChannelMessage.ts"
import { chatIdOf, type Webhook, type WebhooksOptions } from "../../../src/channels/webhooks/webhookOptions.ts"
import { type ListeningWebhooks, Webhooks } from "../../../src/channels/webhooks/webhooks.ts"
import { parseTemplate } from "../../../src/contract/text/template.ts"
import { overheard } from "../telegram/kit.ts"

export const secret = "0123456789abcdef-secret"

/** Takes what GitHub signs, at `/hooks/pulls`. */
export const webhook = ({
  prompt = "Look at {{title}}",
  ...more
}: Partial<Webhook> & { prompt?: string } = {}): Webhook => {
  const { name = "pulls" } = more
  return {
    ...{ name, secret, signature: "github", chatId: chatIdOf(name), mostBytes: 10_000, perMinute: 10 },
    ...{ rateStatus: 429, pausedStatus: 503, template: Result.getOrThrow(parseTemplate(prompt)) },
    ...more
  }
}

export interface Listening extends ListeningWebhooks {
  readonly origin: string
}

export const listen = (
  webhooks: ReadonlyArray<Webhook> = [webhook()],
  post: WebhooksOptions["post"] = () => Effect.succeed(false)
): Effect.Effect<Listening, never, Scope.Scope> =>
  Effect.map(Effect.orDie(Webhooks.listen({ webhooks, post, host: "127.0.0.1", port: 0 })), (listening) => ({
    ...listening,
    origin: `http://127.0.0.1:${listening.port}`
  }))

/** A bridge that stores what it hears. `decline`: instead of storing it. */
export const storing = (
  { channel }: Pick<Listening, "channel">,
  decline: (message: ChannelMessage) => "known" | "full" | "paused" | undefined = () => undefined
) =>
  Effect.gen(function* () {
    const stored: Array<ChannelMessage> = []
    const take = ({ incoming, reception, confirm }: Heard) => {
      if (incoming._tag !== "Message") return Effect.die(new Error("it is another update"))
      const { message } = incoming
      const isKnown = stored.some(({ updateId }) => updateId === message.updateId)
      const reason = isKnown ? "known" : decline(message)
      if (reason === undefined || reception?.declines(reason) !== true) {
        stored.push(message)
        reception?.stored()
      }
      return confirm
    }
    yield* Effect.forkScoped(Stream.runForEach(channel.incoming(undefined), take))
    return stored
  })

export const signed = (body: string | Uint8Array, key = secret) =>
  `sha256=${createHmac("sha256", key).update(body).digest("hex")}`

/** The JSON of an answer: texts by name. */
export type AnswerBody = Readonly<
  Partial<Record<"status" | "error" | "help" | "answer" | "reason" | "delivery", string>>
>

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: AnswerBody
}

/** A delivery of GitHub, with an id of its own. */
export const deliver = (
  origin: string,
  body: string = JSON.stringify({ title: "one" }),
  { headers = {}, name = "pulls" }: { readonly headers?: Record<string, string>; readonly name?: string } = {}
): Effect.Effect<Answer> =>
  Effect.promise(async () => {
    const response = await fetch(`${origin}/hooks/${name}`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "x-hub-signature-256": signed(body),
        "x-github-delivery": randomUUID(),
        ...headers
      },
      body
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: text === "" ? undefined : JSON.parse(text) }
  })

/** Without its log. */
export const quietly = <A, E>(test: Effect.Effect<A, E, Scope.Scope>): Effect.Effect<A, E> =>
  test.pipe(Effect.scoped, Effect.provide(overheard([])))
