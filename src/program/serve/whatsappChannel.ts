/** The number of WhatsApp for `reins serve`, with the server of its webhook. */
import { Effect, type Scope } from "effect"
import type { ChannelSettings } from "../../api/config/secrets.ts"
import type { Channel } from "../../bridge/messages/Channel.ts"
import { ChannelError } from "../../bridge/messages/SendError.ts"
import { WhatsApp } from "../../channels/whatsapp/WhatsApp.ts"
import type { WhatsAppOptions } from "../../channels/whatsapp/WhatsAppOptions.ts"

type Settings = ChannelSettings<"whatsapp">

const optionsOf = ({ phone, token, appSecret, verifyToken, waba, url, apiRoot }: Settings): WhatsAppOptions => ({
  phone,
  token,
  appSecret,
  verifyToken,
  waba,
  url,
  apiRoot
})

const help = "End what uses the port, or set whatsapp.port to another one."

export const open = (settings: Settings): Effect.Effect<Channel, ChannelError, Scope.Scope> => {
  const { host = "127.0.0.1", port } = settings
  return WhatsApp.listen({ ...optionsOf(settings), host, port }).pipe(
    Effect.catchTags({
      PortTaken: ({ message }) =>
        Effect.fail(new ChannelError({ channel: "whatsapp", accountId: settings.phone, problem: message, help })),
      ListenRefused: ({ message }) =>
        Effect.fail(new ChannelError({ channel: "whatsapp", accountId: settings.phone, problem: message, help }))
    }),
    Effect.tap((channel) =>
      Effect.logInfo(
        `WhatsApp: the webhook is at http://${host}:${channel.port}/whatsapp; the callback URL has to lead there`
      )
    )
  )
}

/** Without the server: a host that runs may have the port. */
export const openForCheck = (settings: Settings): Effect.Effect<Channel, ChannelError> =>
  Effect.map(WhatsApp.make(optionsOf(settings)), ({ channel }) => channel)
