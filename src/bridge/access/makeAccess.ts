/** Access to an account. Everything that comes from a person passes `enter` before any of it is stored. */
import { Clock, Effect, Option } from "effect"
import { InvalidParams } from "../../contract/AgentError.ts"
import { exact } from "../../contract/text/harmless.ts"
import { untraced } from "../../contract/untraced.ts"
import { monotonicMillis } from "../../system/hostClock.ts"
import type { Channel } from "../messages/Channel.ts"
import type { ChannelMessage } from "../messages/ChannelMessage.ts"
import type { Conversation } from "../messages/Conversation.ts"
import type { Incoming } from "../messages/Incoming.ts"
import { type AccessError, type AccessOptions, isRole, type Role } from "./AccessOptions.ts"
import { checkAccess, noPeopleListed } from "./checkAccess.ts"
import type { Pairing } from "./pairing.ts"
import {
  type FromPerson,
  groupOf,
  hasPeople,
  mayEnter,
  type Place,
  type Policy,
  placeOf,
  type Refusal,
  roleIn,
  withMember,
  withMoves
} from "./policy.ts"

/** Stored access of an account, from its journal. */
export interface AccessMemory<E> {
  readonly members: {
    readonly all: Effect.Effect<ReadonlyArray<{ readonly person: string; readonly role: string }>, E>
    readonly add: (person: string, role: string) => Effect.Effect<void, E>
  }
  readonly marks: {
    readonly all: (prefix: string) => Effect.Effect<ReadonlyArray<{ readonly name: string; readonly value: string }>, E>
    readonly set: (name: string, value: string) => Effect.Effect<void, E>
  }
}

/** `Paired`: the message was the code, not stored. `Asked`: an unknown person asks for their id while pairing is open. */
type Entrance =
  | { readonly _tag: "Allowed"; readonly role: Role }
  | { readonly _tag: "Refused"; readonly reason: Refusal }
  | { readonly _tag: "Paired" }
  | { readonly _tag: "Asked" }

export interface Access<E> {
  readonly enter: (incoming: FromPerson) => Effect.Effect<Entrance, E>
  /** Applies the rate limit to messages that begin or steer a turn; commands and presses have none. */
  readonly pace: (message: ChannelMessage) => Effect.Effect<ReturnType<RateLimit["take"]>>
  /** The current role of a person, wherever it was assigned; undefined without one. */
  readonly roleOf: (place: Place) => Role | undefined
  readonly isGroup: (chatId: string) => boolean
  readonly perMinute: number
  /** Checks new lists; the returned effect applies them. Paired people and the rate limit stay. */
  readonly relist: (options: AccessOptions) => Effect.Effect<Effect.Effect<void>, InvalidParams>
  /** Returns true if the group was listed and is now listed under its new id; its people get a notice. */
  readonly moved: (moved: Extract<Incoming, { readonly _tag: "Moved" }>) => Effect.Effect<boolean, E>
}

interface AccessParams<E> {
  readonly options: AccessOptions
  readonly channel: Pick<Channel, "id" | "accountId" | "isPerson">
  readonly memory: AccessMemory<E>
  readonly pairing?: Pairing | undefined
}

const movedPrefix = "moved:"
/** Answers to `/whoami` of unknown people, while pairing is possible. */
const mostWhoAmI = 20

export const makeAccess = Effect.fn(...untraced("Bridge.makeAccess"))(function* <E>({
  options,
  channel,
  memory: { members, marks },
  pairing
}: AccessParams<E>): Effect.fn.Return<Access<E>, E | AccessError> {
  const listed = yield* Effect.fromResult(checkAccess(options, channel))
  const moves = new Map(
    (yield* marks.all(movedPrefix)).map(({ name, value }) => [name.slice(movedPrefix.length), value])
  )
  const known: Array<readonly [person: string, role: Role]> = []
  for (const { person, role } of yield* members.all) {
    // A later version of a channel may be stricter about ids than when this was stored.
    if (isRole(role) && channel.isPerson(person)) known.push([person, role])
  }
  const policyOf = (lists: Policy) =>
    known.reduce((all, [person, role]) => withMember(all, person, role), withMoves(lists, moves))
  let policy = policyOf(listed)
  if (pairing === undefined && !hasPeople(policy)) return yield* noPeopleListed(channel)

  const { perMinute = defaultPerMinute } = options
  const rate = makeRateLimit(perMinute)
  const lineOf = makeStrangers()
  let whoAmILeft = mostWhoAmI

  const tryPairing = Effect.fn(...untraced("MakeAccess.tryPairing"))(function* (
    { text, sender }: ChannelMessage,
    { offer, isOpen, reopen }: Pairing
  ) {
    if ((yield* offer(text)) === "paired") {
      yield* Effect.tapError(members.add(sender.id, "owner"), () => reopen)
      known.push([sender.id, "owner"])
      policy = withMember(policy, sender.id, "owner")
      return Option.some<Entrance>({ _tag: "Paired" })
    }
    if (!/^\s*[/!]whoami\s*$/i.test(text) || whoAmILeft === 0 || !(yield* isOpen)) return Option.none<Entrance>()
    whoAmILeft -= 1
    return Option.some<Entrance>({ _tag: "Asked" })
  })

  return {
    enter: Effect.fn(...untraced("MakeAccess.enter"))(function* (incoming) {
      const verdict = mayEnter(policy, incoming)
      if (verdict.isAllowed) return { _tag: "Allowed", role: verdict.role }
      const { reason } = verdict
      if (reason === "not_listed" && pairing !== undefined && incoming._tag === "Message") {
        const { message } = incoming
        const entrance = message.chat === "direct" ? yield* tryPairing(message, pairing) : Option.none()
        if (Option.isSome(entrance)) return entrance.value
      }
      const line = lineOf(reason, placeOf(incoming), yield* Clock.currentTimeMillis)
      if (line !== undefined) yield* Effect.logInfo(line)
      return { _tag: "Refused", reason }
    }),

    pace: ({ sender, group }) => Effect.map(monotonicMillis, (now) => rate.take(sender.id, now, group)),
    roleOf: (place) => roleIn(policy, place),
    isGroup: (chatId) => groupOf(policy, chatId) !== undefined,
    perMinute,
    relist: (newOptions) =>
      Effect.gen(function* () {
        const lists = yield* Effect.fromResult(checkAccess(newOptions, channel))
        if (pairing === undefined && !hasPeople(policyOf(lists))) return yield* noPeopleListed(channel)
        return Effect.sync(() => {
          policy = policyOf(lists)
        })
      }).pipe(
        Effect.mapError(
          ({ option, problem, help }) =>
            new InvalidParams({ option: `access of ${channel.id}: ${option}`, problem: `${problem}. ${help}` })
        )
      ),

    moved: Effect.fn(...untraced("MakeAccess.moved"))(function* ({ conversation, chatId }) {
      const from = conversation.chatId
      const isOurs = conversation.channel === channel.id && conversation.accountId === channel.accountId
      if (!isOurs || from === chatId || !policy.groups.has(from)) return false
      yield* marks.set(`${movedPrefix}${from}`, chatId)
      moves.set(from, chatId)
      policy = withMoves(policy, new Map([[from, chatId]]))
      return true
    })
  }
})

/** Messages that a person may send per minute. Counts are bounded: the least recently active people are evicted. */
interface RateLimit {
  /** `told`: the first message above the limit, for a notice; `silent`: further ones. */
  readonly take: (sender: string, nowMs: number, group?: string) => "taken" | "told" | "silent"
}

const defaultPerMinute = 20
const windowMs = 60_000
const mostSenders = 1_000

interface Count {
  /** Times of accepted messages, the newest last. */
  times: ReadonlyArray<number>
  group: string | undefined
  isTold: boolean
}

/** `nowMs` is of a monotonic clock. The parts of an album, which share their `group`, count as one message. */
export const makeRateLimit = (most: number = defaultPerMinute): RateLimit => {
  const counts = new Map<string, Count>()
  return {
    take: (sender, nowMs, group) => {
      const count = counts.get(sender) ?? { times: [], group: undefined, isTold: false }
      counts.delete(sender)
      counts.set(sender, count)
      const [oldest] = counts.keys()
      if (counts.size > mostSenders && oldest !== undefined) counts.delete(oldest)
      count.times = count.times.filter((at) => nowMs - at < windowMs)
      if (group !== undefined && group === count.group) return count.isTold ? "silent" : "taken"
      count.group = group
      if (count.times.length < most) {
        count.times = [...count.times, nowMs]
        count.isTold = false
        return "taken"
      }
      if (count.isTold) return "silent"
      count.isTold = true
      return "told"
    }
  }
}

interface Stranger {
  readonly conversation: Conversation
  readonly sender: { readonly id: string }
}

const dayMs = 86_400_000
const mostLines = 100

const words: { readonly [R in Refusal]: string | undefined } = {
  bot: "a bot",
  not_a_person: "an anonymous sender or a channel",
  chat_not_listed: "a person in an unlisted group",
  not_listed: "an unlisted person",
  elsewhere: "a person on another account",
  // Listed people may talk to others.
  not_addressed: undefined
}

const quoted = (id: string) => exact(JSON.stringify(id.slice(0, 64)))

/** Log lines for refused people: one a day for each, ids only, bounded. Undefined for no line. */
export const makeStrangers = (): ((reason: Refusal, stranger: Stranger, nowMs: number) => string | undefined) => {
  let day = Number.NaN
  const logged = new Set<string>()
  return (reason, { conversation, sender }, nowMs) => {
    const word = words[reason]
    if (word === undefined) return undefined
    const today = Math.floor(nowMs / dayMs)
    if (today !== day) logged.clear()
    day = today
    // An unlisted group counts as one stranger.
    const key = (reason === "chat_not_listed" ? `chat ${conversation.chatId}` : `person ${sender.id}`).slice(0, 100)
    if (logged.size >= mostLines || logged.has(key)) return undefined
    logged.add(key)
    if (logged.size === mostLines) return "Many strangers wrote today; further ones are not logged until tomorrow."
    return `Not answered: ${word}, id ${quoted(sender.id)}, chat ${quoted(conversation.chatId)}`
  }
}
