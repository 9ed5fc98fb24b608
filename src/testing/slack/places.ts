/** The conversations, their threads and messages. A message is known by its `ts`, which no other of the workspace has. */
import type { Block } from "./blocks.ts"
import type { Params } from "./params.ts"
import { Refusal } from "./refusal.ts"

export interface SlackPerson {
  /** `U…` or `W…`. */
  readonly id: string
  readonly name: string
  /** For another workspace. Default: the app's. */
  readonly team?: string
  readonly isBot?: boolean
}

export type PlaceKind = "im" | "mpim" | "channel" | "group"

export interface KeptFile {
  readonly id: string
  readonly name: string
  readonly title: string
  readonly mimeType: string
  readonly bytes: number
  readonly user: string
  readonly createdAt: number
  readonly isVoice: boolean
  /** Where it was shared: the messages of each place. */
  readonly shares: Array<{ readonly place: KeptPlace; readonly ts: string; readonly thread: string | undefined }>
}

export interface Metadata {
  readonly event_type: string
  readonly event_payload: Params
}

/** A message; changes are made in place. */
export interface Kept {
  readonly ts: string
  readonly user: string
  readonly isOurs: boolean
  /** In ms since 1970. */
  readonly at: number
  text: string
  blocks: ReadonlyArray<Block>
  metadata: Metadata | undefined
  editedAt: number | undefined
  /** The root of its thread; undefined for the root itself. */
  readonly thread: string | undefined
  /** A reply that the channel shows as well. */
  readonly isBroadcast: boolean
  readonly files: ReadonlyArray<KeptFile>
  subtype: string | undefined
  /** Additions of a test, or of Slack. */
  more: Params
}

export interface KeptPlace {
  readonly id: string
  readonly kind: PlaceKind
  name: string
  /** The person of a direct chat. */
  readonly user: string | undefined
  isMember: boolean
  isArchived: boolean
  /** Shared with another workspace. */
  isShared: boolean
  messages: Array<Kept>
}

export type NewMessage = Pick<Kept, "user" | "isOurs" | "text"> & Partial<Omit<Kept, "ts" | "at">>

const kindOf = (id: string): PlaceKind => (id.startsWith("D") ? "im" : id.startsWith("G") ? "group" : "channel")

export const makePlaces = (now: () => number) => {
  const all = new Map<string, KeptPlace>()
  let lastMicroseconds = 0
  const nextTs = () => {
    lastMicroseconds = Math.max(lastMicroseconds + 1, Math.floor(now() * 1_000))
    return `${Math.floor(lastMicroseconds / 1_000_000)}.${String(lastMicroseconds % 1_000_000).padStart(6, "0")}`
  }

  const open = (id: string, kind = kindOf(id), user?: string): KeptPlace => {
    const found = all.get(id)
    if (found !== undefined) return found
    const place: KeptPlace = {
      id,
      kind,
      name: id.toLowerCase(),
      // The direct chat of `U…` is `D…`.
      user: kind === "im" ? (user ?? `U${id.slice(1)}`) : undefined,
      isMember: true,
      isArchived: false,
      isShared: false,
      messages: []
    }
    all.set(id, place)
    return place
  }

  const messageOf = ({ messages }: KeptPlace, ts: string | undefined) => messages.find((message) => message.ts === ts)

  return {
    open,
    nextTs,
    messageOf,
    get: (id: string): KeptPlace | undefined => all.get(id),
    all: (): ReadonlyArray<KeptPlace> => [...all.values()],
    direct: (user: string): KeptPlace =>
      [...all.values()].find((place) => place.user === user) ?? open(`D${user.slice(1)}`, "im", user),
    /** The place where the bot may write, or at least look. */
    accessible: (id: string, access: "write" | "read" | "info"): KeptPlace => {
      const place = all.get(id)
      if (place === undefined || (!place.isMember && place.kind !== "channel")) throw new Refusal("channel_not_found")
      if (access !== "info" && !place.isMember) throw new Refusal("not_in_channel")
      if (access === "write" && place.isArchived) throw new Refusal("is_archived")
      return place
    },
    /** The root of a thread. */
    rootOf: (place: KeptPlace, ts: string): Kept => {
      const message = messageOf(place, ts)
      const root = message?.thread === undefined ? message : messageOf(place, message.thread)
      if (root === undefined) throw new Refusal("thread_not_found")
      return root
    },
    repliesOf: ({ messages }: KeptPlace, root: string): ReadonlyArray<Kept> =>
      messages.filter(({ thread }) => thread === root),
    add: (place: KeptPlace, message: NewMessage): Kept => {
      const stored: Kept = {
        blocks: [],
        metadata: undefined,
        editedAt: undefined,
        thread: undefined,
        isBroadcast: false,
        files: [],
        subtype: undefined,
        more: {},
        ...message,
        ts: nextTs(),
        at: now()
      }
      place.messages.push(stored)
      return stored
    },
    remove: (place: KeptPlace, ts: string) => {
      place.messages = place.messages.filter((message) => message.ts !== ts)
    }
  }
}

export type Places = ReturnType<typeof makePlaces>
