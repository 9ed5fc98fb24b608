/** Handles updates in order: checks senders, and stores messages before confirming them. Never waits for an agent. */
import { Clock, Effect } from "effect"
import type { Role } from "../access/AccessOptions.ts"
import type { Access } from "../access/makeAccess.ts"
import type { CheckedOptions } from "../BridgeOptions.ts"
import type { Command } from "../commands/command.ts"
import { parseCommand } from "../commands/parse.ts"
import { isFull, mostWaiting } from "../intake/collect.ts"
import { hasSoundIds, longestText, sift } from "../intake/sift.ts"
import { commandOf } from "../journal/inbox.ts"
import type { AccountJournal } from "../journal/Journal.ts"
import type { Channel, Heard } from "../messages/Channel.ts"
import type { ChannelMessage } from "../messages/ChannelMessage.ts"
import { type Conversation, conversationText } from "../messages/Conversation.ts"
import type { Incoming, Pressed } from "../messages/Incoming.ts"
import { texts } from "../texts.ts"
import { type JournalFailure, type Replies, retryWhileStoreFails } from "./replies.ts"
import type { Arrival, ArrivalContext, TurnInterrupts } from "./runningTurns.ts"

export interface IncomingOptions {
  readonly options: CheckedOptions
  readonly channel: Channel
  readonly journal: Pick<AccountJournal, "inbox" | "marks" | "outbox">
  readonly access: Access<JournalFailure>
  readonly replies: Replies
  readonly onMessage: (message: ChannelMessage) => Effect.Effect<void>
  readonly runCommand: (command: Command, message: ChannelMessage, role: Role) => Effect.Effect<void>
  readonly onPress: (pressed: Pressed, role: Role | undefined) => Effect.Effect<void>
  /** Takes a text as the answer to an agent's request; returns false if it is not one. */
  readonly answerRequest: (message: ChannelMessage, role: Role) => Effect.Effect<boolean, JournalFailure>
  readonly interrupt: TurnInterrupts["interrupt"]
  /** The effect of a message on a running turn; called before the message is stored. */
  readonly arrival: (message: ChannelMessage, context: ArrivalContext) => Arrival
  readonly onQueued: (message: ChannelMessage) => Effect.Effect<void>
  readonly onWithdrawn: (conversation: Conversation) => Effect.Effect<void>
  /** Called with the outcome of a message without a turn of its own. */
  readonly onOutcome: (message: ChannelMessage, outcome: "taken" | "dropped") => Effect.Effect<void>
  /** The reply while no turns are accepted, sent once per `id` and chat; undefined if they are. */
  readonly pauseNotice: () => { readonly id: string; readonly text: string } | undefined
  readonly receipt: (receipt: Extract<Incoming, { readonly _tag: "Receipt" }>) => Effect.Effect<void, JournalFailure>
  readonly wake: (conversation: string) => Effect.Effect<void>
}

export const makeIncoming = (deps: IncomingOptions) => {
  const { options, channel, journal, access, replies, arrival, runCommand, answerRequest, interrupt } = deps
  const { receipt, wake, onMessage, onPress, onQueued, onWithdrawn, onOutcome, pauseNotice } = deps
  const started = crypto.randomUUID()
  const { inbox, marks, outbox } = journal
  const names = [channel.accountId]
  /** Update ids of stops that were acted on early, and are still to be stored. */
  const stoppedEarly = new Set<string>()
  const sifting = { downloadBytes: channel.download === undefined ? undefined : channel.limits.downloadBytes }

  const reply = (
    { conversation, updateId }: Pick<ChannelMessage, "conversation" | "updateId">,
    text: string,
    what = "said"
  ) => replies.send(conversation, { text }, `${conversation.chatId}/${updateId}/${what}`)

  const isTooMany = Effect.fnUntraced(function* (message: ChannelMessage, waiting: ReadonlyArray<string>) {
    // Few messages wait usually, and their rows need not be read.
    if (waiting.length < mostWaiting) return false
    const [at, rows] = [yield* Clock.currentTimeMillis, yield* inbox.waiting(conversationText(message.conversation))]
    return isFull(rows, { updateId: message.updateId, message, at })
  })

  /** Takes a message for an agent. */
  const take = Effect.fnUntraced(function* (message: ChannelMessage, role: Role, mark: string | undefined) {
    const text = conversationText(message.conversation)
    const waiting = yield* inbox.waitingIds(text)
    if (yield* isTooMany(message, waiting)) {
      // Stored as dropped, so that a repeated update is ignored.
      const isNew = yield* inbox.accept(message, { mark, isDropped: true })
      if (isNew) yield* reply(message, texts.full(mostWaiting), "full")
      return yield* onOutcome(message, "dropped")
    }
    const { takenBy, arrive } = arrival(message, { role, isFirst: waiting.length === 0 })
    if (!(yield* inbox.accept(message, { mark, takenBy }))) return
    const arrived = yield* arrive
    // Its turn may have ended meanwhile: then the queue finishes the message.
    if (arrived === "Steered") return yield* Effect.andThen(onOutcome(message, "taken"), wake(text))
    const pause = pauseNotice()
    if (pause !== undefined) {
      yield* replies.send(message.conversation, { text: pause.text }, `${started}/paused/${pause.id}/${text}`)
      if (channel.watch !== undefined) yield* onQueued(message)
    } else if (arrived === "Queued") yield* onQueued(message)
    yield* wake(text)
  })

  const parse = (message: ChannelMessage, role: Role) => {
    const { agents, directories } = options
    const context = { role, accounts: names, agents: Object.keys(agents), directories: Object.keys(directories) }
    return parseCommand(message, context)
  }

  const handleMessage = Effect.fnUntraced(function* (message: ChannelMessage, role: Role, mark: string | undefined) {
    // A channel repeats an update if its confirmation was lost, or the host died before it.
    if (yield* inbox.knows(message.updateId)) return
    yield* onMessage(message)
    const parsed = parse(message, role)
    if (parsed._tag === "Elsewhere") return
    if (yield* outbox.release(message.conversation)) yield* replies.wake
    let outcome: "taken" | "dropped" = "dropped"
    if (parsed._tag === "Hint") yield* reply(message, parsed.text)
    else if (parsed._tag === "Given" && parsed.command._tag !== "Once") {
      outcome = "taken"
      if (!stoppedEarly.delete(message.updateId)) {
        // Stored before it is run: if the host dies meanwhile, the next one runs it.
        const isNew = yield* inbox.accept(message, { mark, takenBy: commandOf(message.updateId) })
        if (isNew) yield* runCommand(parsed.command, message, role)
        return yield* onOutcome(message, outcome)
      }
    } else {
      const pace = yield* access.pace(message)
      if (pace === "told") yield* reply(message, texts.tooFast(access.perMinute))
      if (pace === "taken") {
        if (yield* answerRequest(message, role)) {
          yield* inbox.accept(message, { mark, isDropped: true })
          return yield* onOutcome(message, "taken")
        }
        const sifted = sift(message, sifting)
        if (sifted.notices.length > 0) yield* reply(message, sifted.notices.join("\n"))
        if (!sifted.isEmpty) return yield* take(sifted.message, role, mark)
      }
    }
    yield* inbox.accept(message, { mark, isDropped: true })
    yield* onOutcome(message, outcome)
  })

  const fromPerson = Effect.fnUntraced(function* (
    incoming: Exclude<Incoming, { readonly _tag: "Left" | "Moved" | "Receipt" }>,
    mark: string | undefined
  ) {
    const entrance = yield* access.enter(incoming)
    const role = entrance._tag === "Allowed" ? entrance.role : undefined
    if (incoming._tag === "Pressed") return yield* onPress(incoming, role)
    if (incoming._tag === "Message") {
      const { message } = incoming
      if (entrance._tag === "Paired") return yield* reply(message, texts.paired)
      if (entrance._tag === "Asked") {
        return yield* reply(message, texts.whoAmI(message.sender.id, message.conversation.chatId, undefined))
      }
      return role === undefined ? undefined : yield* handleMessage(message, role, mark)
    }
    if (role === undefined) return
    const { conversation, updateId } = incoming
    if (incoming._tag === "StopAsked") {
      if (stoppedEarly.delete(updateId)) return
      const message = { ...incoming, sentAt: 0, text: "", attachments: [], addressed: true }
      return yield* runCommand({ _tag: "Stop" }, message, role)
    }
    const { messageId, text } = incoming
    if (text !== undefined && text.length > longestText) {
      return yield* reply({ conversation, updateId }, texts.tooLong(text.length, longestText))
    }
    const amended = yield* inbox.amend(conversation, messageId, text)
    if (amended === "Late" && text !== undefined) yield* reply({ conversation, updateId }, texts.editTooLate)
    if (amended === "Amended" && text === undefined) yield* onWithdrawn(conversation)
  })

  const handleOnce = ({ incoming, mark, confirm }: Heard): Effect.Effect<void, JournalFailure> => {
    // An update that no store takes would be retried forever and block those behind it.
    if (!hasSoundIds(incoming)) {
      return Effect.andThen(Effect.logWarning("an update was ignored: its ids cannot be stored"), confirm)
    }
    const handled =
      incoming._tag === "Receipt"
        ? receipt(incoming)
        : incoming._tag === "Moved"
          ? Effect.flatMap(access.moved(incoming), (isOurs) => {
              const { conversation, chatId, updateId } = incoming
              const text = texts.groupMoved(conversation.chatId, chatId)
              return isOurs
                ? replies.send({ ...conversation, chatId }, { text }, `${chatId}/${updateId}/moved`)
                : Effect.void
            })
          : incoming._tag === "Left"
            ? Effect.logInfo("the account has left a chat")
            : fromPerson(incoming, mark)
    // The mark of a message is stored with it.
    const marked = mark === undefined || incoming._tag === "Message" ? Effect.void : marks.set("incoming", mark)
    return Effect.andThen(Effect.andThen(handled, marked), confirm)
  }

  /** Retries until the store accepts the update. One that breaks the bridge or channel is skipped: it would again. */
  const handle = (update: Heard): Effect.Effect<void, JournalFailure> =>
    retryWhileStoreFails(
      "an update",
      Effect.suspend(() => handleOnce(update))
    ).pipe(
      Effect.catchDefect((defect) =>
        Effect.andThen(
          Effect.logError("an update could not be handled, and is skipped", defect),
          Effect.ignoreCause(update.confirm)
        )
      )
    )

  /** A reply is not urgent: its message may not be stored yet. */
  const isStop = (message: ChannelMessage) => {
    if (message.replyTo !== undefined) return false
    const parsed = parseCommand(message, { role: "user", accounts: names, agents: [], directories: [] })
    return parsed._tag === "Given" && parsed.command._tag === "Stop"
  }

  return {
    handle,
    /** Runs the commands that an earlier host has not answered. */
    afterRestart: Effect.gen(function* () {
      for (const { message, updateId } of yield* inbox.commands) {
        const role = access.roleOf(message)
        const parsed = role === undefined ? undefined : parse(message, role)
        // A pause or restart concerned the host that has ended.
        const isOver = parsed?._tag !== "Given" || parsed.command._tag === "Restart" || parsed.command._tag === "Pause"
        if (role === undefined || isOver) yield* inbox.finish(commandOf(updateId), [])
        else yield* runCommand(parsed.command, message, role)
      }
    }),
    /** Whether the update overtakes those before it. */
    isUrgent: ({ incoming }: Heard) =>
      hasSoundIds(incoming) &&
      // Choices keep their place: they apply to later messages.
      ((incoming._tag === "Pressed" && incoming.choice?._tag !== "Choose") ||
        incoming._tag === "StopAsked" ||
        (incoming._tag === "Message" && isStop(incoming.message))),
    /** Acts on an urgent update; returns the rest for its place. A stop that finds no turn is handled again there. */
    actEarly: Effect.fnUntraced(function* (update: Heard) {
      const { incoming, mark, confirm } = update
      if (incoming._tag === "Pressed") {
        yield* fromPerson(incoming, undefined)
        return mark === undefined ? confirm : Effect.andThen(marks.set("incoming", mark), confirm)
      }
      if (incoming._tag !== "Message" && incoming._tag !== "StopAsked") return handleOnce(update)
      const stop = incoming._tag === "Message" ? incoming.message : incoming
      const { conversation, updateId } = stop
      if (access.roleOf(stop) === undefined || (yield* inbox.knows(updateId))) return handleOnce(update)
      if (!(yield* interrupt(conversation))) return handleOnce(update)
      yield* reply(stop, texts.stopped)
      return Effect.suspend(() => {
        stoppedEarly.add(updateId)
        return handleOnce(update)
      })
    }),
    /** Takes a message of an allowed person for an agent. */
    take: (message: ChannelMessage, role: Role) => take(message, role, undefined)
  }
}
