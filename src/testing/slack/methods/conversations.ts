/** Methods that read conversations, their messages and threads (docs: conversations.*). */
import { historyScope } from "../events.ts"
import { limits } from "../limits.ts"
import { messageOf, placeOf } from "../messages.ts"
import { flagOf, integerOf, type Params, textOf } from "../params.ts"
import type { Kept, KeptPlace, PlaceKind } from "../places.ts"
import { beyond, Refusal } from "../refusal.ts"
import type { Method, World } from "../world.ts"

/** The kinds of conversation have scopes of their own: the one of this kind is needed. */
const needs = ({ isGranted, scopes }: World, needed: string) => {
  if (!isGranted(needed)) throw new Refusal("missing_scope", { more: { needed, provided: scopes.join(",") } })
}

const kindScope: Readonly<Record<PlaceKind, string>> = {
  im: "im:read",
  mpim: "mpim:read",
  channel: "channels:read",
  group: "groups:read"
}

/** A cursor is the number of those before it. */
const pageOf = <A>(params: Params, all: ReadonlyArray<A>, usual: number, most: number) => {
  const limit = integerOf(params, "limit") ?? usual
  if (limit < 1 || limit > most) throw beyond("invalid_limit", `${limit} is not between 1 and ${most}`)
  const cursor = textOf(params, "cursor")
  const from = cursor === "" ? 0 : Number(Buffer.from(cursor, "base64").toString())
  if (!Number.isSafeInteger(from) || from < 0) throw new Refusal("invalid_cursor")
  const hasMore = from + limit < all.length
  return {
    page: all.slice(from, from + limit),
    hasMore,
    next: hasMore ? Buffer.from(String(from + limit)).toString("base64") : ""
  }
}

const form = /^\d{1,13}(\.\d{1,6})?$/

/** `ts` are compared as numbers of microseconds. */
const microseconds = (ts: string) => {
  const [whole = "0", part = ""] = ts.split(".")
  return Number(whole) * 1_000_000 + Number(part.padEnd(6, "0"))
}

const within = (params: Params) => {
  const [oldest, latest] = [textOf(params, "oldest"), textOf(params, "latest")]
  if (oldest !== "" && !form.test(oldest)) throw new Refusal("invalid_ts_oldest")
  if (latest !== "" && !form.test(latest)) throw new Refusal("invalid_ts_latest")
  const isInclusive = flagOf(params, "inclusive")
  return ({ ts }: Kept) => {
    const at = microseconds(ts)
    const isAfter = oldest === "" || at > microseconds(oldest) || (isInclusive && at === microseconds(oldest))
    const isBefore = latest === "" || at < microseconds(latest) || (isInclusive && at === microseconds(latest))
    return isAfter && isBefore
  }
}

const readable = (world: World, params: Params): KeptPlace => {
  const place = world.places.accessible(textOf(params, "channel"), "read")
  needs(world, historyScope(place.kind))
  return place
}

const answerOf = (world: World, params: Params, place: KeptPlace, messages: ReadonlyArray<Kept>) => {
  const { page, hasMore, next } = pageOf(params, messages, limits.history.usual, limits.history.most)
  const withMetadata = flagOf(params, "include_all_metadata")
  return {
    messages: page.map((message) => messageOf(world, place, message, withMetadata)),
    has_more: hasMore,
    ...(hasMore ? { response_metadata: { next_cursor: next } } : {})
  }
}

/** Newest first; replies are not part of it. */
const history: Method = {
  pace: "tier3",
  run: (world, params) => {
    const place = readable(world, params)
    const visible = place.messages.filter(({ thread, isBroadcast }) => thread === undefined || isBroadcast)
    const found = visible.filter(within(params)).reverse()
    return { ...answerOf(world, params, place, found), pin_count: 0 }
  }
}

/** The root first, whatever the bounds are, then its replies in their order. */
const replies: Method = {
  pace: "tier3",
  run: (world, params) => {
    const place = readable(world, params)
    const root = world.places.messageOf(place, textOf(params, "ts"))
    if (root === undefined) throw new Refusal("thread_not_found")
    // A reply's own `ts` gives that reply alone.
    const found = world.places.repliesOf(place, root.ts).filter(within(params))
    return answerOf(world, params, place, [root, ...found])
  }
}

const info: Method = {
  pace: "tier3",
  run: (world, params) => {
    const place = world.places.accessible(textOf(params, "channel"), "info")
    needs(world, kindScope[place.kind])
    return { channel: placeOf(place) }
  }
}

const kinds: Readonly<Record<string, PlaceKind>> = {
  im: "im",
  mpim: "mpim",
  public_channel: "channel",
  private_channel: "group"
}

const list = (isOwn: boolean): Method => ({
  pace: isOwn ? "tier3" : "tier2",
  run: (world, params) => {
    const names = (textOf(params, "types") || "public_channel").split(",").map((name) => name.trim())
    const target = names.map((name) => {
      const kind = kinds[name]
      if (kind === undefined) throw new Refusal("invalid_types")
      needs(world, kindScope[kind])
      return kind
    })
    const withArchived = !flagOf(params, "exclude_archived")
    const found = world.places.all().filter(({ kind, isMember, isArchived }) => {
      const isVisible = isMember || (!isOwn && kind === "channel")
      return target.includes(kind) && isVisible && (withArchived || !isArchived)
    })
    const { page, next } = pageOf(params, found, 100, 999)
    return { channels: page.map(placeOf), response_metadata: { next_cursor: next } }
  }
})

const open: Method = {
  scopes: ["im:write"],
  pace: "tier3",
  run: ({ places, people }, params) => {
    const channel = textOf(params, "channel")
    const [user = "", ...more] = textOf(params, "users").split(",")
    if (channel !== "") return { channel: { id: places.accessible(channel, "info").id } }
    if (more.length > 0) throw new Refusal("method_not_supported_for_channel_type")
    if (!people.has(user)) throw new Refusal("user_not_found")
    return { channel: { id: places.direct(user).id } }
  }
}

export const conversations: Readonly<Record<string, Method>> = {
  "conversations.history": history,
  "conversations.replies": replies,
  "conversations.info": info,
  "conversations.list": list(false),
  "conversations.open": open,
  "users.conversations": list(true)
}
