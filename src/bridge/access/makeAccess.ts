/**
 * The door of an account: lists of the application, people who have paired, groups that have moved, and how fast somebody
 * may write. Everything that comes from a person passes `enter` before anything of it is kept.
 */
import { Clock, Effect, Option } from "effect"
import { InvalidParams } from "../../contract/AgentError.ts"
import { exact } from "../../contract/text/harmless.ts"
import { monotonicMillis } from "../../system/hostClock.ts"
import type { Channel } from "../messages/Channel.ts"
import type { ChannelMessage } from "../messages/ChannelMessage.ts"
import type { Conversation } from "../messages/Conversation.ts"
import type { Incoming } from "../messages/Incoming.ts"
import { type AccessError, type AccessOptions, isRole, type Role } from "./AccessOptions.ts"
import { checkAccess, nobodyListed } from "./checkAccess.ts"
import type { Pairing } from "./pairing.ts"
import {
  type FromPerson,
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

/**
 * The log of those who were refused: one line a day for each, with ids alone. Memory and log are bounded: many strangers
 * in a day share one last line.
 */
export interface Stranger {
  readonly conversation: Conversation
  readonly sender: { readonly id: string }
}

const dayMs = 86_400_000
const mostLines = 100

const words: { readonly [R in Refusal]: string | undefined } = {
  bot: "a bot",
  not_a_person: "an anonymous sender or a channel",
  chat_not_listed: "somebody in a group that is not listed",
  not_listed: "somebody who is not listed",
  elsewhere: "somebody on another account",
  // One who is listed talks to others.
  not_addressed: undefined
}

const shown = (id: string) => exact(JSON.stringify(id.slice(0, 64)))

/** Gives the line for the log, if there is one. */
export const makeStrangers = (): ((reason: Refusal, stranger: Stranger, nowMs: number) => string | undefined) => {
  let day = Number.NaN
  const seen = new Set<string>()
  return (reason, { conversation, sender }, nowMs) => {
    const word = words[reason]
    if (word === undefined) return undefined
    const today = Math.floor(nowMs / dayMs)
    if (today !== day) seen.clear()
    day = today
    // A group is one stranger, whoever writes in it.
    const key = (reason === "chat_not_listed" ? `chat ${conversation.chatId}` : `person ${sender.id}`).slice(0, 100)
    if (seen.size >= mostLines || seen.has(key)) return undefined
    seen.add(key)
    if (seen.size === mostLines) return "Many strangers wrote today; further ones are not logged until tomorrow."
    return `Not answered: ${word}, id ${shown(sender.id)}, chat ${shown(conversation.chatId)}`
  }
}

/** How many messages a person may send in a minute. Of the people that wrote longest ago the count is forgotten. */

export interface RateLimit {
  /** `told`: the first one too many, for which the person is told; `silent`: those after it. */
  readonly take: (sender: string, nowMs: number, group?: string) => "taken" | "told" | "silent"
}

export const usualPerMinute = 20
const windowMs = 60_000
/** Of people whose messages are counted. */
const mostSenders = 1_000

interface Count {
  /** Of those that were taken, the newest last. */
  times: ReadonlyArray<number>
  group: string | undefined
  isTold: boolean
}

/** `nowMs` is of a clock that is not set. The parts of an album, which share their `group`, count as one message. */
export const makeRateLimit = (most: number = usualPerMinute): RateLimit => {
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

/** What is remembered of an account: as its journal has it. */
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

/**
 * `Paired`: the person is an owner from now on, and is told; the message was the code, and is not kept. `Asked`: somebody
 * unknown asks for the own id while pairing is possible.
 */
export type Entrance =
  | { readonly _tag: "Allowed"; readonly role: Role }
  | { readonly _tag: "Refused"; readonly reason: Refusal }
  | { readonly _tag: "Paired" }
  | { readonly _tag: "Asked" }

export interface Access<E> {
  readonly enter: (incoming: FromPerson) => Effect.Effect<Entrance, E>
  /** For messages that begin or steer a turn; commands and presses are never too fast. `told`: the first one too many. */
  readonly pace: (message: ChannelMessage) => Effect.Effect<"taken" | "told" | "silent">
  /** Of somebody now, wherever the role was given; undefined: none. */
  readonly roleOf: (place: Place) => Role | undefined
  /** Whether the chat is one of the groups. */
  readonly isGroup: (chatId: string) => boolean
  /** Messages of one person that are taken in a minute. */
  readonly perMinute: number
  /** Other lists, from when its effect is run. People who have paired stay; so does the pace. */
  readonly relist: (options: AccessOptions) => Effect.Effect<Effect.Effect<void>, InvalidParams>
  /** True: the group was listed and is so under its new id; its people are told. */
  readonly moved: (moved: Extract<Incoming, { readonly _tag: "Moved" }>) => Effect.Effect<boolean, E>
}

export interface AccessGiven<E> {
  readonly options: AccessOptions
  readonly channel: Pick<Channel, "id" | "accountId" | "isPerson">
  readonly memory: AccessMemory<E>
  readonly pairing?: Pairing | undefined
}

const movedPrefix = "moved:"
/** Answers to people unknown, while pairing is possible. */
const mostAsked = 20

export const makeAccess = Effect.fnUntraced(function* <E>({
  options,
  channel,
  memory: { members, marks },
  pairing
}: AccessGiven<E>): Effect.fn.Return<Access<E>, E | AccessError> {
  const listed = yield* Effect.fromResult(checkAccess(options, channel))
  const moves = new Map(
    (yield* marks.all(movedPrefix)).map(({ name, value }) => [name.slice(movedPrefix.length), value])
  )
  const known: Array<readonly [person: string, role: Role]> = []
  for (const { person, role } of yield* members.all) {
    // A channel may have become stricter about ids, and the store is older.
    if (isRole(role) && channel.isPerson(person)) known.push([person, role])
  }
  const policyOf = (lists: Policy) =>
    known.reduce((all, [person, role]) => withMember(all, person, role), withMoves(lists, moves))
  let policy = policyOf(listed)
  if (pairing === undefined && !hasPeople(policy)) return yield* nobodyListed(channel)

  const { perMinute = usualPerMinute } = options
  const rate = makeRateLimit(perMinute)
  const lineOf = makeStrangers()
  let askedLeft = mostAsked

  /** Of somebody unknown who writes to the account alone. */
  const paired = Effect.fnUntraced(function* ({ text, sender }: ChannelMessage, { offer, isOpen, reopen }: Pairing) {
    if ((yield* offer(text)) === "paired") {
      yield* Effect.tapError(members.add(sender.id, "owner"), () => reopen)
      known.push([sender.id, "owner"])
      policy = withMember(policy, sender.id, "owner")
      return Option.some<Entrance>({ _tag: "Paired" })
    }
    if (!/^\s*[/!]whoami\s*$/i.test(text) || askedLeft === 0 || !(yield* isOpen)) return Option.none<Entrance>()
    askedLeft -= 1
    return Option.some<Entrance>({ _tag: "Asked" })
  })

  return {
    enter: Effect.fnUntraced(function* (incoming) {
      const verdict = mayEnter(policy, incoming)
      if (verdict.isAllowed) return { _tag: "Allowed", role: verdict.role }
      const { reason } = verdict
      if (reason === "not_listed" && pairing !== undefined && incoming._tag === "Message") {
        const { message } = incoming
        const found = message.chat === "direct" ? yield* paired(message, pairing) : Option.none()
        if (Option.isSome(found)) return found.value
      }
      const line = lineOf(reason, placeOf(incoming), yield* Clock.currentTimeMillis)
      if (line !== undefined) yield* Effect.logInfo(line)
      return { _tag: "Refused", reason }
    }),

    pace: ({ sender, group }) => Effect.map(monotonicMillis, (now) => rate.take(sender.id, now, group)),

    roleOf: (place) => roleIn(policy, place),

    isGroup: (chatId) => policy.groups.has(chatId),

    perMinute,

    relist: (given) =>
      Effect.gen(function* () {
        const lists = yield* Effect.fromResult(checkAccess(given, channel))
        if (pairing === undefined && !hasPeople(policyOf(lists))) return yield* nobodyListed(channel)
        return Effect.sync(() => {
          policy = policyOf(lists)
        })
      }).pipe(
        Effect.mapError(
          ({ option, problem, help }) =>
            new InvalidParams({ option: `access of ${channel.id}: ${option}`, problem: `${problem}. ${help}` })
        )
      ),

    moved: Effect.fnUntraced(function* ({ conversation, chatId }) {
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
