/** Events of the gateway, and what history has of the time without one → updates of the channel, each once. */
import { Deferred, Effect, Option, Queue, type Scope, Stream } from "effect"
import type { Heard } from "../../../bridge/messages/Channel.ts"
import type { Sender } from "../../../bridge/messages/ChannelMessage.ts"
import type { Incoming } from "../../../bridge/messages/Incoming.ts"
import type { ChannelError } from "../../../bridge/messages/SendError.ts"
import { boundedMap } from "../../kit/boundedMap.ts"
import { makeOnce } from "../../kit/once.ts"
import type { Client } from "../calls/client.ts"
import { type CheckedDiscord, isSnowflake } from "../DiscordOptions.ts"
import type { Memory } from "../outgoing/memory.ts"
import { answerInteraction } from "../outgoing/write.ts"
import { type At, isFromPerson, isMentioned, makeDecode } from "./decode.ts"
import { type GatewayEvent, runGateway } from "./gateway.ts"
import { makeHistory } from "./history.ts"
import { readMark, writeMark } from "./mark.ts"
import { makePlaces } from "./places.ts"
import {
  readChannel,
  readDeleted,
  readEach,
  readGuild,
  readInteraction,
  readMessage,
  type WireMessage
} from "./wire.ts"

export interface ListenOptions extends Pick<CheckedDiscord, "token" | "accountId" | "groups" | "content"> {
  readonly client: Client
  readonly memory: Memory
  /** Fails when the token is refused. */
  readonly ended: Deferred.Deferred<never, ChannelError>
}

const intents = { guilds: 1, guildMessages: 1 << 9, directMessages: 1 << 12, messageContent: 1 << 15 } as const

/** Events that wait for the journal; the gateway is not read while there are more. */
const mostWaiting = 2_000
const mostKnown = 5_000
const mostNamed = 100

export const listen = (options: ListenOptions, mark: string | undefined): Stream.Stream<Heard, ChannelError> =>
  Stream.callback<Heard, ChannelError>(
    (out) =>
      Effect.gen(function* () {
        const { client, memory, ended, token, accountId, groups, content } = options
        const start = readMark(mark)
        const { newest } = start
        const places = makePlaces(accountId, groups)
        const decode = makeDecode(accountId)
        const history = makeHistory(client)
        const isFirst = makeOnce()
        /** Who wrote what: Discord does not say whose message was deleted. */
        const authors = boundedMap<Sender>(mostKnown)
        const unlisted = boundedMap<true>(mostNamed)
        const roles = boundedMap<ReadonlyArray<string>>(mostKnown)
        const events = yield* Queue.bounded<GatewayEvent>(mostWaiting)
        /** Sequences of events that are not in the journal yet. */
        let open: ReadonlyArray<number> = []
        let handled = start.seq

        const emit = (incoming: Incoming, own: string, seq: number) =>
          Effect.suspend(() => {
            let isTaken = false
            open = [...open, seq]
            const confirm = Effect.sync(() => {
              if (isTaken) return
              isTaken = true
              open = open.filter((each, at) => each !== seq || at !== open.indexOf(seq))
            })
            return Queue.offer(out, { incoming, mark: own, confirm })
          })

        /** Drops what was heard already, by the ids that the journal has, too. */
        const give = (incoming: Incoming | undefined, event: Pick<GatewayEvent, "seq"> & Partial<GatewayEvent>) =>
          Effect.suspend(() => {
            const id =
              incoming === undefined || incoming._tag === "Message" ? incoming?.message.updateId : incoming.updateId
            if (incoming === undefined || id === undefined || !isFirst(id)) return Effect.void
            return emit(incoming, writeMark(event.session, event.seq, newest), event.seq)
          })

        const placeOf = (channel: string) =>
          Effect.gen(function* () {
            const known = places.of(channel)
            if (known !== undefined) return known
            const found = yield* history.channel(channel)
            if (found !== undefined) places.keep(found)
            return places.of(channel)
          })

        /** Undefined where the bot is not meant to hear. */
        const whereOf = (channel: string, guild: string | null | undefined): Effect.Effect<At | undefined> =>
          Effect.gen(function* () {
            if (guild == null) return { place: { chatId: channel }, isDirect: true }
            const place = yield* placeOf(channel)
            return place !== undefined && places.isListed(place.chatId) ? { place, isDirect: false } : undefined
          })

        const isFollowed = ({ place, isDirect }: At, { id }: WireMessage) =>
          Effect.gen(function* () {
            const mention = places.mentionOf(place.chatId)
            const { threadId } = place
            if (isDirect || threadId === undefined || mention !== true) return false
            const known = places.isFollowed(place)
            if (known !== undefined) return known
            const messages = yield* history.newest(threadId)
            const before = messages.filter((each) => BigInt(each.id) < BigInt(id))
            const found = before.some((each) => each.author?.id === accountId || isMentioned(each, accountId))
            places.follow(threadId, found)
            return found
          })

        const nameUnlisted = (message: WireMessage) =>
          Effect.suspend(() => {
            const chatId = places.of(message.channel_id)?.chatId
            if (chatId === undefined || !isMentioned(message, accountId) || unlisted.has(chatId)) return Effect.void
            unlisted.set(chatId, true)
            return Effect.logInfo("the bot was mentioned in a channel of Discord that is not listed", {
              channel: chatId
            })
          })

        const onMessage = (
          message: WireMessage,
          event: Pick<GatewayEvent, "seq"> & Partial<GatewayEvent>,
          input?: At
        ) =>
          Effect.gen(function* () {
            if (message.author?.id === accountId && message.nonce != null) memory.own(String(message.nonce), message.id)
            if (!isFromPerson(message, accountId)) return
            const at = input ?? (yield* whereOf(message.channel_id, message.guild_id))
            if (at === undefined) return yield* nameUnlisted(message)
            const facts = { isFollowed: yield* isFollowed(at, message), mention: places.mentionOf(at.place.chatId) }
            // A thread that begins here, or this one, is meant for the bot from now on.
            if (isMentioned(message, accountId)) places.follow(at.place.threadId ?? message.id, true)
            const incoming = decode.message(message, at, facts)
            if (incoming?._tag !== "Message") return
            if (isSnowflake(message.channel_id) && isSnowflake(message.id)) newest.hear(message.channel_id, message.id)
            memory.hear(message.id, incoming.message.text)
            authors.set(message.id, incoming.message.sender)
            yield* give(incoming, event)
          })

        /** Messages of history have neither server nor roles. */
        const onMissed = (message: WireMessage, at: At) =>
          Effect.gen(function* () {
            const { author } = message
            const { guild } = at.place
            if (author == null || guild === undefined || at.isDirect || !isFromPerson(message, accountId))
              return yield* onMessage(message, { seq: 0 }, at)
            const key = `${guild}/${author.id}`
            const known = roles.get(key) ?? (yield* history.roles(guild, author.id))
            roles.set(key, known)
            yield* onMessage({ ...message, member: { roles: known } }, { seq: 0 }, at)
          })

        /** Behind a new session. Until it is done, no mark has that session: a restart reads all of it again. */
        const readMissed = Effect.gen(function* () {
          // Oldest first: the places heard last stay the last.
          const at = newest.places().toReversed()
          const latest = at.reduce((all, [, id]) => (BigInt(id) > BigInt(all) ? id : all), "0")
          // In a channel without a known message, anything newer than the newest of all is new.
          const others = [...(groups?.keys() ?? [])].filter(
            (id) => /^\d+$/.test(id) && !at.some(([channel]) => channel === id)
          )
          if (at.length === 0) return
          for (const [channel, after] of [...at, ...others.map((id) => [id, latest] as const)]) {
            const found = yield* history.channel(channel)
            if (found === undefined) continue
            places.keep(found)
            const where = yield* whereOf(channel, found.guild_id)
            if (where === undefined) continue
            for (const message of yield* history.since(channel, after)) yield* onMissed(message, where)
          }
        })

        const onGuild = ({ d, t, seq, session }: GatewayEvent) =>
          Effect.gen(function* () {
            const guild = Option.getOrUndefined(readGuild(d))
            if (guild === undefined) return
            for (const each of readEach(readChannel, [...(guild.channels ?? []), ...(guild.threads ?? [])]))
              places.keep({ ...each, guild_id: guild.id })
            if (t !== "GUILD_DELETE" || guild.unavailable === true) return
            for (const chatId of places.inGuild(guild.id))
              if (places.isListed(chatId))
                yield* give(decode.left({ chatId }, `${session.id}:${seq}`), { seq, session })
          })

        const onChannel = ({ d, t, seq, session }: GatewayEvent) =>
          Effect.gen(function* () {
            const channel = Option.getOrUndefined(readChannel(d))
            if (channel === undefined) return
            const before = places.of(channel.id)
            if (t !== "THREAD_DELETE" && t !== "CHANNEL_DELETE") return places.keep(channel)
            places.keep(channel)
            const place = before ?? places.of(channel.id)
            places.forget(channel.id)
            if (place !== undefined && places.isListed(place.chatId))
              yield* give(decode.left(place, `${session.id}:${seq}`), { seq, session })
          })

        const onInteraction = (event: GatewayEvent) =>
          Effect.gen(function* () {
            const interaction = Option.getOrUndefined(readInteraction(event.d))
            if (interaction?.channel_id == null) return
            const at = yield* whereOf(interaction.channel_id, interaction.guild_id)
            if (at === undefined) return
            const incoming = decode.press(interaction, at)
            // The bridge acknowledges presses alone; a command without an answer would look like a failure.
            if (incoming?._tag === "Message")
              yield* Effect.forkScoped(answerInteraction(client, interaction, incoming.message.text))
            yield* give(incoming, event)
          })

        const onUpdate = (event: GatewayEvent) =>
          Effect.gen(function* () {
            const message = Option.getOrUndefined(readMessage(event.d))
            if (message === undefined || !isFromPerson(message, accountId)) return
            const at = yield* whereOf(message.channel_id, message.guild_id)
            if (at !== undefined) yield* give(decode.edit(message, at), event)
          })

        const onRemoval = (event: GatewayEvent) =>
          Effect.gen(function* () {
            const deleted = Option.getOrUndefined(readDeleted(event.d))
            const sender = deleted === undefined ? undefined : authors.get(deleted.id)
            if (deleted === undefined || sender === undefined) return
            const at = yield* whereOf(deleted.channel_id, deleted.guild_id)
            if (at !== undefined) yield* give(decode.removal(deleted, at, sender), event)
          })

        const handle = (event: GatewayEvent) => {
          switch (event.t) {
            case "READY":
              return readMissed
            case "GUILD_CREATE":
            case "GUILD_DELETE":
              return onGuild(event)
            case "CHANNEL_CREATE":
            case "CHANNEL_UPDATE":
            case "CHANNEL_DELETE":
            case "THREAD_CREATE":
            case "THREAD_UPDATE":
            case "THREAD_DELETE":
              return onChannel(event)
            case "MESSAGE_CREATE": {
              const message = Option.getOrUndefined(readMessage(event.d))
              if (message !== undefined) return onMessage(message, event)
              return Effect.logWarning("a message of Discord could not be read, and is passed over")
            }
            case "MESSAGE_UPDATE":
              return onUpdate(event)
            case "MESSAGE_DELETE":
              return onRemoval(event)
            case "INTERACTION_CREATE":
              return onInteraction(event)
            default:
              return Effect.void
          }
        }

        const perform = Effect.gen(function* () {
          for (;;) {
            const event = yield* Queue.take(events)
            yield* handle(event)
            handled = event.seq
          }
        })

        const target =
          intents.guilds | intents.guildMessages | intents.directMessages | (content ? intents.messageContent : 0)
        const gateway = runGateway({
          client,
          token,
          accountId,
          intents: target,
          start,
          events,
          taken: () => (open.length === 0 ? handled : Math.min(...open) - 1),
          ended
        })
        const all = Effect.raceAllFirst<Effect.Effect<never, ChannelError, Scope.Scope>>([
          gateway,
          perform,
          Deferred.await(ended)
        ])
        yield* all
      }),
    { bufferSize: mostWaiting }
  )
