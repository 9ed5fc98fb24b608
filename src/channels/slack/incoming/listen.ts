/** What comes by sockets, and what history has of the time without one → updates of the channel, each once. */
import { Clock, Deferred, Effect, Option, Queue, type Scope, Stream } from "effect"
import type { Heard } from "../../../bridge/messages/Channel.ts"
import type { Incoming } from "../../../bridge/messages/Incoming.ts"
import { ChannelError } from "../../../bridge/messages/SendError.ts"
import { boundedMap } from "../../kit/boundedMap.ts"
import { makeMarks, readMark } from "../../kit/marks.ts"
import { makeOnce } from "../../kit/once.ts"
import type { Client } from "../calls/client.ts"
import { isDirect, isTs, type Place, placeOf, placeText } from "../place.ts"
import { type CheckedSlack, channelId } from "../SlackOptions.ts"
import { makeDecode, type Said } from "./decode.ts"
import { makeHistory } from "./history.ts"
import { mentions } from "./plainText.ts"
import { runSockets, type SocketEvent } from "./sockets.ts"
import { type Me, readCommand, readEvent, readEventPayload, readMessage, readPress } from "./wire.ts"

export interface ListenOptions extends Pick<CheckedSlack, "groups"> {
  readonly client: Pick<Client, "call">
  readonly accountId: string
  readonly me: Effect.Effect<Me, ChannelError>
  /** Fails when a token is refused. */
  readonly ended: Deferred.Deferred<never, ChannelError>
  readonly onHello: (connections: number | undefined) => void
}

/** Sockets are not read while so many events wait for the journal. */
const mostWaiting = 2_000
const mostKnown = 5_000

const updateIdOf = (incoming: Incoming): string =>
  incoming._tag === "Message" ? incoming.message.updateId : incoming.updateId

export const listen = (options: ListenOptions, mark: string | undefined): Stream.Stream<Heard, ChannelError> =>
  Stream.callback<Heard, ChannelError>((out) =>
    Effect.gen(function* () {
      const { client, accountId, groups, ended, onHello } = options
      const me = yield* options.me
      const decode = makeDecode(me, accountId)
      const history = makeHistory(client)
      const marks = makeMarks(readMark(mark))
      const isFirst = makeOnce()
      /** Whether the bot takes part in a thread. */
      const followed = boundedMap<boolean>(mostKnown)
      const events = yield* Queue.bounded<SocketEvent>(mostWaiting)

      const groupOf = (chatId: string) => groups.get(chatId) ?? groups.get("*")

      /** A mention comes as two events, and Slack repeats what it believes to be lost. */
      const give = (incoming: Incoming | undefined, acknowledge: Effect.Effect<void>) =>
        Effect.suspend(() => {
          if (incoming === undefined || !isFirst(updateIdOf(incoming))) return acknowledge
          return Queue.offer(out, { incoming, mark: JSON.stringify(marks.value()), confirm: acknowledge })
        })

      const isOwn = (input: unknown) => {
        const message = Option.getOrUndefined(readMessage(input))
        return message?.user === me.userId || mentions(message?.text ?? "", me.userId)
      }

      /** In a thread that the bot was brought into, what people write is meant for it, unless it begins with another name. */
      const isFollowed = ({ chatId, message: { thread_ts, ts }, isMention, isForAnother }: Said) =>
        Effect.gen(function* () {
          const key = `${chatId}/${thread_ts ?? ts}`
          if (isMention) followed.set(key, true)
          if (isDirect(chatId) || isMention || isForAnother || !thread_ts) return false
          if (groupOf(chatId)?.mention !== true) return false
          const known = followed.get(key)
          if (known !== undefined) return known
          const isPart = (yield* history.thread({ chatId, threadId: thread_ts })).some(isOwn)
          followed.set(key, isPart)
          return isPart
        })

      /** The mark goes on only where somebody is listened to. */
      const remember = ({ chatId, message: { ts, thread_ts } }: Said) => {
        if (!isDirect(chatId) && groupOf(chatId) === undefined) return
        if (!thread_ts) marks.hear(chatId, ts)
        if (thread_ts || !isDirect(chatId)) marks.hear(placeText({ chatId, threadId: thread_ts ?? ts }), ts)
      }

      const onSaid = (said: Said, acknowledge: Effect.Effect<void>) =>
        Effect.gen(function* () {
          const incoming = decode.message(said, yield* isFollowed(said))
          remember(said)
          yield* give(incoming, acknowledge)
        })

      const readPlace = (place: Place, since: string) =>
        Effect.gen(function* () {
          for (const input of yield* history.since(place, since)) {
            const said = decode.said(place.chatId, input)
            if (said !== undefined) yield* onSaid(said, Effect.void)
          }
        })

      const readMissed = Effect.gen(function* () {
        const known = marks.places().flatMap(([text, ts]) => {
          const place = placeOf(text)
          return place === undefined || !isTs(ts) ? [] : [{ place, ts }]
        })
        if (known.length === 0) return
        // A person may have written for the first time: what is newer than anything heard is new.
        const latest = known
          .map(({ ts }) => ts)
          .sort()
          .at(-1)
        const chats = new Set(known.map(({ place }) => place.chatId))
        const others = (yield* history.directChats).filter((id) => !chats.has(id))
        for (const { place, ts } of known.reverse()) yield* readPlace(place, ts)
        for (const chatId of others) yield* readPlace({ chatId }, latest ?? "")
      })

      const gone = (problem: string, help: string) =>
        Effect.fail(new ChannelError({ channel: channelId, accountId, problem, help }))

      const onEvent = (payload: unknown, acknowledge: Effect.Effect<void>) =>
        Effect.gen(function* () {
          const about = Option.getOrUndefined(readEventPayload(payload))
          const event = Option.getOrUndefined(readEvent(about?.event))
          const isElsewhere = about?.team_id != null && about.team_id !== me.teamId
          if (event === undefined || (isElsewhere && about?.is_ext_shared_channel !== true)) return yield* acknowledge
          const { type, subtype, channel } = event
          if (type === "app_uninstalled")
            return yield* gone("the app was removed from the workspace", "Install it again, and start again.")
          if (type === "message" && (subtype === "message_changed" || subtype === "message_deleted"))
            return yield* give(decode.edited(event), acknowledge)
          const left = decode.left(event)
          if (left !== undefined) return yield* give(left, acknowledge)
          const said =
            (type === "message" || type === "app_mention") && channel ? decode.said(channel, about?.event) : undefined
          return yield* said === undefined ? acknowledge : onSaid(said, acknowledge)
        })

      const onEnvelope = ({ envelope: { type, payload }, acknowledge }: Extract<SocketEvent, { _tag: "Envelope" }>) => {
        if (type === "events_api") return onEvent(payload, acknowledge)
        if (type === "interactive") {
          const press = Option.getOrUndefined(readPress(payload))
          return press === undefined ? Effect.void : give(decode.press(press), Effect.void)
        }
        return Effect.flatMap(Clock.currentTimeMillis, (now) => {
          const command = Option.getOrUndefined(readCommand(payload))
          return command === undefined ? Effect.void : give(decode.command(command, now), Effect.void)
        })
      }

      const perform = Effect.gen(function* () {
        for (;;) {
          const event = yield* Queue.take(events)
          if (event._tag === "Envelope") yield* onEnvelope(event)
          else if (event.isGap) yield* readMissed
        }
      })

      const all = Effect.raceAllFirst<Effect.Effect<never, ChannelError, Scope.Scope>>([
        runSockets({ client, accountId, events, onHello }),
        perform,
        Deferred.await(ended)
      ])
      yield* Effect.catch(all, (failure) => Queue.fail(out, failure))
    })
  )
