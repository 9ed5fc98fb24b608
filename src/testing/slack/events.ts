/** All that the app is told of: events that it subscribed to, has the scope for, and is there to hear (docs: Events API). */
import { randomUUID } from "node:crypto"
import { messageOf } from "./messages.ts"
import type { Params } from "./params.ts"
import type { Kept, KeptPlace, PlaceKind } from "./places.ts"
import type { World } from "./world.ts"

const scopeOf: Readonly<Record<PlaceKind, string>> = {
  im: "im:history",
  mpim: "mpim:history",
  channel: "channels:history",
  group: "groups:history"
}

export const historyScope = (kind: PlaceKind) => scopeOf[kind]

/** The subscription of messages: `message.channels` for a channel. */
const subscriptionOf = (kind: PlaceKind) => `message.${kind === "channel" || kind === "group" ? `${kind}s` : kind}`

/** The envelope's payload around an event. */
const payloadOf = ({ team, me, clock }: World, event: Params): Params => ({
  token: "made-up-verification-token",
  team_id: team.id,
  context_team_id: team.id,
  context_enterprise_id: null,
  api_app_id: me.appId,
  event,
  type: "event_callback",
  event_id: `Ev${randomUUID().replaceAll("-", "").slice(0, 12).toUpperCase()}`,
  event_time: Math.floor(clock.now() / 1_000),
  authorizations: [
    { enterprise_id: null, team_id: team.id, user_id: me.id, is_bot: true, is_enterprise_install: false }
  ],
  is_ext_shared_channel: false,
  event_context: "made-up"
})

/** `more`: other members of the payload. */
export const tellEvent = (world: World, event: Params, more: Params = {}) => {
  world.sockets.deliver({
    type: "events_api",
    payload: { ...payloadOf(world, event), ...more },
    acknowledged: () => undefined,
    lost: () => undefined
  })
}

/** Any event, if the app subscribed to it. */
export const tell = (world: World, event: Params & { readonly type: string }) => {
  if (world.isSubscribed(event.type)) tellEvent(world, event)
}

const tellMessage = (world: World, place: KeptPlace, event: Params) => {
  if (!place.isMember) return
  if (!world.isSubscribed(subscriptionOf(place.kind)) || !world.isGranted(scopeOf[place.kind])) return
  tellEvent(world, event, { is_ext_shared_channel: place.isShared })
}

/** A new message; a mention in a channel comes a second time, as an event of its own. */
export const tellPosted = (world: World, place: KeptPlace, message: Kept) => {
  const { ts, isOurs, text } = message
  const event = { ...messageOf(world, place, message), channel: place.id, event_ts: ts }
  tellMessage(world, place, { ...event, channel_type: place.kind })
  const isMention = !isOurs && place.kind !== "im" && new RegExp(`<@${world.me.id}(\\|[^>]*)?>`).test(text)
  if (!isMention || !place.isMember || !world.isSubscribed("app_mention") || !world.isGranted("app_mentions:read"))
    return
  const { subtype: _, ...words } = event
  tellEvent(world, { ...words, type: "app_mention" }, { is_ext_shared_channel: place.isShared })
}

const about = ({ places }: World, place: KeptPlace) => {
  const ts = places.nextTs()
  return { type: "message", channel: place.id, channel_type: place.kind, hidden: true, ts, event_ts: ts }
}

/** `before`: the message as it was. */
export const tellChanged = (world: World, place: KeptPlace, message: Kept, before: Params) =>
  tellMessage(world, place, {
    ...about(world, place),
    subtype: "message_changed",
    message: messageOf(world, place, message),
    previous_message: before
  })

export const tellDeleted = (world: World, place: KeptPlace, before: Params & { readonly ts: string }) =>
  tellMessage(world, place, {
    ...about(world, place),
    subtype: "message_deleted",
    deleted_ts: before.ts,
    previous_message: before
  })
