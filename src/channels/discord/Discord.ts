/** Discord as a channel of the bridge: one bot, by its token. */
import { Deferred, Effect, type Scope, Stream } from "effect"
import { commandsFor } from "../../bridge/commands/command.ts"
import type { Channel } from "../../bridge/messages/Channel.ts"
import { ChannelError } from "../../bridge/messages/SendError.ts"
import { isPersonOn } from "../../contract/peopleOfChannels.ts"
import { untraced } from "../../contract/untraced.ts"
import { type Client, makeClient } from "./calls/client.ts"
import { isTokenRefused } from "./calls/failure.ts"
import { makeLimits } from "./calls/limits.ts"
import { makeCheck } from "./check.ts"
import { channelId, checkDiscord, type DiscordOptions } from "./DiscordOptions.ts"
import { makeDownload } from "./incoming/download.ts"
import { listen } from "./incoming/listen.ts"
import { makeMemory } from "./outgoing/memory.ts"
import { limits, render } from "./outgoing/render.ts"
import { makeAcknowledge, makeWrite } from "./outgoing/write.ts"

const textOption = (form: string) =>
  form === "" ? {} : { options: [{ type: 3, name: "text", description: form.trim().slice(0, 100), required: false }] }

/** Puts the bridge's commands into the menu of the chat. A failure is ignored. */
const offerMenu = ({ call }: Client, accountId: string): Effect.Effect<void> =>
  call({
    method: "PUT",
    path: `/applications/${accountId}/commands`,
    body: commandsFor("owner").map(({ name, does, form }) => ({
      type: 1,
      name,
      description: does.slice(0, 100),
      ...textOption(form)
    }))
  }).pipe(
    Effect.asVoid,
    Effect.catch((failure) =>
      Effect.logDebug("the menu of commands could not be set", {
        reason: failure._tag === "Refused" ? failure.description : failure._tag
      })
    )
  )

const help =
  "Take the bot's present token from https://discord.com/developers/applications (Bot, Reset Token), and start again."

/** Fails if the token is refused. While Discord cannot be reached, `incoming` retries. */
const channel = Effect.fn(...untraced("Discord.channel"))(function* (
  options: DiscordOptions
): Effect.fn.Return<Channel, ChannelError, Scope.Scope> {
  const checked = yield* Effect.fromResult(checkDiscord(options))
  const { accountId, menu } = checked
  const ended = yield* Deferred.make<never, ChannelError>()
  const tokenRefused = new ChannelError({ channel: channelId, accountId, problem: "Discord refuses the token", help })
  const client = makeClient(checked, makeLimits(), Effect.asVoid(Deferred.fail(ended, tokenRefused)))
  const memory = makeMemory()

  yield* Effect.catch(client.call({ method: "GET", path: "/users/@me" }), (failure) =>
    isTokenRefused(failure)
      ? Effect.fail(tokenRefused)
      : Effect.logWarning("Discord cannot be reached yet; it is tried again and again")
  )

  const incoming: Channel["incoming"] = (mark) =>
    Stream.unwrap(
      Effect.gen(function* () {
        if (menu) yield* Effect.forkScoped(offerMenu(client, accountId))
        return listen({ ...checked, client, memory, ended }, mark)
      })
    )

  return {
    id: channelId,
    accountId,
    limits,
    isPerson: isPersonOn.discord,
    incoming,
    render,
    ...makeWrite({ accountId, client, memory }),
    acknowledge: makeAcknowledge(client),
    check: makeCheck({ ...checked, client }),
    download: makeDownload(client)
  }
})

/** `Discord.channel({ token })`, for `serve` of the bridge. */
export const Discord = { channel }
