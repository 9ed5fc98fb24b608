/** A number of a fake WhatsApp, as a channel whose server gets the posts. */
import { Effect, type Scope } from "effect"
import { type ListeningWhatsApp, WhatsApp } from "../../../src/channels/whatsapp/WhatsApp.ts"
import type { WhatsAppListenOptions, WhatsAppOptions } from "../../../src/channels/whatsapp/WhatsAppOptions.ts"
import { WhatsAppServer } from "../../../src/testing/Scoped.ts"
import type { WhatsAppServerOptions } from "../../../src/testing/WhatsAppServer.ts"

export { asTimePasses, listenTo, overheard, pieceOf, textOf, untilTrue } from "../telegram/kit.ts"

/** Ann's user id, and her number. */
export const [ann, annNumber] = ["US.1001", "15550001001"]
export const phone = "106540352242922"
export const place = { channel: "whatsapp", accountId: phone, chatId: ann }

export const optionsFor = ({ token, appSecret, verifyToken, url }: WhatsAppServer): WhatsAppOptions => ({
  phone,
  token,
  appSecret,
  verifyToken,
  apiRoot: url
})

export interface Started {
  readonly wa: WhatsAppServer
  readonly channel: ListeningWhatsApp
  /** The address of the webhook. */
  readonly webhook: string
}

export const openFor = (wa: WhatsAppServer, more: Partial<WhatsAppListenOptions> = {}) =>
  Effect.gen(function* () {
    const channel = yield* WhatsApp.listen({ ...optionsFor(wa), port: 0, ...more })
    const webhook = `http://127.0.0.1:${channel.port}${more.path ?? "/whatsapp"}`
    yield* Effect.promise(() => wa.subscribe(webhook))
    return { wa, channel, webhook }
  })

export const start = (
  options: WhatsAppServerOptions = {},
  more: Partial<WhatsAppListenOptions> = {}
): Effect.Effect<Started, never, Scope.Scope> =>
  Effect.gen(function* () {
    const wa = yield* WhatsAppServer.make({ pace: false, repeatMs: [20], ...options })
    return yield* openFor(wa, more)
  }).pipe(Effect.orDie)
