/**
 * What a channel hears, one after the other: who it is from, whether it is for the bridge itself, and, where it is for an
 * agent, into the journal before the channel is told that it was taken in. Nothing here waits for an agent.
 */
import { Clock, Effect } from "effect"
import type { Role } from "../access/AccessOptions.ts"
import type { Access } from "../access/makeAccess.ts"
import type { CheckedOptions } from "../BridgeOptions.ts"
import type { Command } from "../commands/command.ts"
import { parseCommand } from "../commands/parse.ts"
import { isFull, mostWaiting } from "../intake/collect.ts"
import { longestText, sift } from "../intake/sift.ts"
import { hasSoundIds } from "../intake/soundIds.ts"
import { commandOf } from "../journal/inbox.ts"
import type { AccountJournal } from "../journal/Journal.ts"
import type { Channel, Heard } from "../messages/Channel.ts"
import type { ChannelMessage } from "../messages/ChannelMessage.ts"
import { type Conversation, conversationText } from "../messages/Conversation.ts"
import type { Incoming, Pressed } from "../messages/Incoming.ts"
import { texts } from "../texts.ts"
import type { Arrival, ArrivalContext } from "./steering.ts"
import type { Stopping } from "./stopping.ts"
import type { JournalFailure, Voice } from "./voice.ts"

export interface HeardOptions {
  readonly options: CheckedOptions
  readonly channel: Channel
  readonly journal: Pick<AccountJournal, "inbox" | "marks" | "outbox">
  readonly access: Access<JournalFailure>
  readonly voice: Voice
  /** Somebody who may speak has written. */
  readonly noted: (message: ChannelMessage) => Effect.Effect<void>
  /** Does a command that is kept, and answers it. */
  readonly command: (command: Command, message: ChannelMessage, role: Role) => Effect.Effect<void>
  readonly press: (pressed: Pressed, role: Role | undefined) => Effect.Effect<void>
  /** A text that answers what an agent asks; false: it does not. */
  readonly answers: (message: ChannelMessage, role: Role) => Effect.Effect<boolean, JournalFailure>
  readonly interrupt: Stopping["interrupt"]
  /** What the message does, where a turn is under way; read before it is taken in. */
  readonly arrival: (message: ChannelMessage, context: ArrivalContext) => Arrival
  /** It waits behind a turn. */
  readonly queued: (message: ChannelMessage) => Effect.Effect<void>
  /** A message that waited was taken back. */
  readonly withdrawn: (conversation: Conversation) => Effect.Effect<void>
  /** What became of a message that waits for no turn of its own. */
  readonly became: (message: ChannelMessage, what: "taken" | "dropped") => Effect.Effect<void>
  /** Why nothing new is begun now, and what is said of it, once in each chat; undefined: it is begun. */
  readonly paused: () => { readonly id: string; readonly text: string } | undefined
  readonly receipt: (receipt: Extract<Incoming, { readonly _tag: "Receipt" }>) => Effect.Effect<void, JournalFailure>
  /** There is something new in the conversation. */
  readonly wake: (conversation: string) => Effect.Effect<void>
}

export const makeHeard = (given: HeardOptions) => {
  const { options, channel, journal, access, voice, noted, command, press, answers, arrival, receipt, wake } = given
  const { queued, withdrawn, became, paused, interrupt } = given
  const started = crypto.randomUUID()
  const { inbox, marks, outbox } = journal
  const names = [channel.accountId]
  /** Stops that were acted on, and are still to be taken in. */
  const stopped = new Set<string>()
  const sifting = { downloadBytes: channel.download === undefined ? undefined : channel.limits.downloadBytes }

  const say = (
    { conversation, updateId }: Pick<ChannelMessage, "conversation" | "updateId">,
    text: string,
    what = "said"
  ) => voice.say(conversation, { text }, `${conversation.chatId}/${updateId}/${what}`)

  const isTooMany = Effect.fnUntraced(function* (message: ChannelMessage, waiting: ReadonlyArray<string>) {
    const text = conversationText(message.conversation)
    // Most often so few wait that nothing has to be known of them.
    if (waiting.length < mostWaiting) return false
    const at = yield* Clock.currentTimeMillis
    return isFull(yield* inbox.waiting(text), { updateId: message.updateId, message, at })
  })

  /** For an agent. */
  const take = Effect.fnUntraced(function* (message: ChannelMessage, role: Role, mark: string | undefined) {
    const text = conversationText(message.conversation)
    const waiting = yield* inbox.waitingIds(text)
    if (yield* isTooMany(message, waiting)) {
      // Told, and not taken when it comes again.
      if (yield* inbox.accept(message, { mark, isDropped: true })) yield* say(message, texts.full(mostWaiting), "full")
      return yield* became(message, "dropped")
    }
    const { takenBy, arrive } = arrival(message, { role, isFirst: waiting.length === 0 })
    if (!(yield* inbox.accept(message, { mark, takenBy }))) return
    const arrived = yield* arrive
    // Its turn may have ended meanwhile: then its lane is to see that it is done.
    if (arrived === "Steered") return yield* Effect.andThen(became(message, "taken"), wake(text))
    const pause = paused()
    // Once for each pause.
    if (pause !== undefined) {
      yield* voice.say(message.conversation, { text: pause.text }, `${started}/paused/${pause.id}/${text}`)
      if (channel.watch !== undefined) yield* queued(message)
    } else if (arrived === "Queued") yield* queued(message)
    yield* wake(text)
  })

  const parsedOf = (heard: ChannelMessage, role: Role) => {
    const { agents, directories } = options
    const context = { role, accounts: names, agents: Object.keys(agents), directories: Object.keys(directories) }
    return parseCommand(heard, context)
  }

  const message = Effect.fnUntraced(function* (heard: ChannelMessage, role: Role, mark: string | undefined) {
    // Given again by a channel that was not told: a host died, or its word was lost.
    if (yield* inbox.knows(heard.updateId)) return
    yield* noted(heard)
    const parsed = parsedOf(heard, role)
    if (parsed._tag === "Elsewhere") return
    if (yield* outbox.release(heard.conversation)) yield* voice.wake
    let end: "taken" | "dropped" = "dropped"
    if (parsed._tag === "Hint") yield* say(heard, parsed.text)
    else if (parsed._tag === "Given" && parsed.command._tag !== "Once") {
      end = "taken"
      if (!stopped.delete(heard.updateId)) {
        // Kept before it is done, as a message is: a host that dies meanwhile leaves it to the next one.
        const isNew = yield* inbox.accept(heard, { mark, takenBy: commandOf(heard.updateId) })
        if (isNew) yield* command(parsed.command, heard, role)
        return yield* became(heard, end)
      }
    } else {
      const pace = yield* access.pace(heard)
      if (pace === "told") yield* say(heard, texts.tooFast(access.perMinute))
      if (pace === "taken") {
        if (yield* answers(heard, role)) {
          yield* inbox.accept(heard, { mark, isDropped: true })
          return yield* became(heard, "taken")
        }
        const sifted = sift(heard, sifting)
        if (sifted.told.length > 0) yield* say(heard, sifted.told.join("\n"))
        if (!sifted.isEmpty) return yield* take(sifted.message, role, mark)
      }
    }
    yield* inbox.accept(heard, { mark, isDropped: true })
    yield* became(heard, end)
  })

  const fromPerson = Effect.fnUntraced(function* (
    incoming: Exclude<Incoming, { readonly _tag: "Left" | "Moved" | "Receipt" }>,
    mark: string | undefined
  ) {
    const entrance = yield* access.enter(incoming)
    const role = entrance._tag === "Allowed" ? entrance.role : undefined
    if (incoming._tag === "Pressed") return yield* press(incoming, role)
    if (incoming._tag === "Message") {
      const { message: own } = incoming
      if (entrance._tag === "Paired") return yield* say(own, texts.paired)
      if (entrance._tag === "Asked") {
        return yield* say(own, texts.whoAmI(own.sender.id, own.conversation.chatId, undefined))
      }
      return role === undefined ? undefined : yield* message(own, role, mark)
    }
    if (role === undefined) return
    const { conversation, updateId } = incoming
    if (incoming._tag === "StopAsked") {
      if (stopped.delete(updateId)) return
      const asked = { ...incoming, sentAt: 0, text: "", attachments: [], addressed: true }
      return yield* command({ _tag: "Stop" }, asked, role)
    }
    const { messageId, text } = incoming
    if (text !== undefined && text.length > longestText) {
      return yield* say({ conversation, updateId }, texts.tooLong(text.length, longestText))
    }
    const amended = yield* inbox.amend(conversation, messageId, text)
    if (amended === "Late" && text !== undefined) yield* say({ conversation, updateId }, texts.editTooLate)
    if (amended === "Amended" && text === undefined) yield* withdrawn(conversation)
  })

  const all = ({ incoming, mark, confirm }: Heard): Effect.Effect<void, JournalFailure> => {
    // What no store takes would be tried for ever, and nothing behind it be heard.
    if (!hasSoundIds(incoming)) {
      return Effect.andThen(Effect.logWarning("something was heard whose ids cannot be kept: it is not taken"), confirm)
    }
    const taken =
      incoming._tag === "Receipt"
        ? receipt(incoming)
        : incoming._tag === "Moved"
          ? Effect.flatMap(access.moved(incoming), (isOurs) => {
              const { conversation, chatId, updateId } = incoming
              const text = texts.groupMoved(conversation.chatId, chatId)
              return isOurs
                ? voice.say({ ...conversation, chatId }, { text }, `${chatId}/${updateId}/moved`)
                : Effect.void
            })
          : incoming._tag === "Left"
            ? Effect.logInfo("the account has left a chat")
            : fromPerson(incoming, mark)
    // That of a message is written with it.
    const marked = mark === undefined || incoming._tag === "Message" ? Effect.void : marks.set("incoming", mark)
    return Effect.andThen(Effect.andThen(taken, marked), confirm)
  }

  /** A reply may be about a message that is still to be taken in. */
  const isStop = (own: ChannelMessage) => {
    if (own.replyTo !== undefined) return false
    const parsed = parseCommand(own, { role: "user", accounts: names, agents: [], directories: [] })
    return parsed._tag === "Given" && parsed.command._tag === "Stop"
  }

  return {
    all,
    /** Does what people asked of a host before this one, and were not answered. */
    afterRestart: Effect.gen(function* () {
      for (const { message: own, updateId } of yield* inbox.commands) {
        const role = access.roleOf(own)
        const parsed = role === undefined ? undefined : parsedOf(own, role)
        // Those are about a host that is no more.
        const isOver = parsed?._tag !== "Given" || parsed.command._tag === "Restart" || parsed.command._tag === "Pause"
        if (role === undefined || isOver) yield* inbox.finish(commandOf(updateId), [])
        else yield* command(parsed.command, own, role)
      }
    }),
    /** It waits for nothing that was heard before it. */
    isControl: ({ incoming }: Heard) =>
      hasSoundIds(incoming) &&
      // What is chosen is for the messages behind it.
      ((incoming._tag === "Pressed" && incoming.choice?._tag !== "Choose") ||
        incoming._tag === "StopAsked" ||
        (incoming._tag === "Message" && isStop(incoming.message))),
    /** Acts on control; gives what is to be done in its place: where there is nothing to stop yet, there may be then. */
    act: Effect.fnUntraced(function* (given: Heard) {
      const { incoming, mark, confirm } = given
      if (incoming._tag === "Pressed") {
        yield* fromPerson(incoming, undefined)
        return mark === undefined ? confirm : Effect.andThen(marks.set("incoming", mark), confirm)
      }
      if (incoming._tag !== "Message" && incoming._tag !== "StopAsked") return all(given)
      const about = incoming._tag === "Message" ? incoming.message : incoming
      const { conversation, updateId } = about
      if (access.roleOf(about) === undefined || (yield* inbox.knows(updateId))) return all(given)
      if (!(yield* interrupt(conversation))) return all(given)
      yield* say(about, texts.stopped)
      return Effect.suspend(() => {
        stopped.add(updateId)
        return all(given)
      })
    }),
    /** A message of a person that was allowed, for an agent. */
    take: (own: ChannelMessage, role: Role) => take(own, role, undefined)
  }
}
