/** Handles updates in order: checks senders, and stores messages before confirming them. Never waits for an agent. */
import { Effect } from "effect"
import { untraced } from "../../contract/untraced.ts"
import type { Role } from "../access/AccessOptions.ts"
import { placeOf } from "../access/policy.ts"
import { type Parsed, parseCommand } from "../commands/parse.ts"
import { showMissing } from "../delivery/asking.ts"
import { OutboxSignal } from "../delivery/deliverOutbox.ts"
import { takeReceipt } from "../delivery/receipts.ts"
import { hasSoundIds, longestText, sift } from "../intake/sift.ts"
import { commandOf } from "../journal/inbox.ts"
import type { Heard } from "../messages/Channel.ts"
import { type ChannelMessage, isDelivery } from "../messages/ChannelMessage.ts"
import { conversationText } from "../messages/Conversation.ts"
import type { Incoming } from "../messages/Incoming.ts"
import { texts } from "../texts.ts"
import { Account, Bridge, Newest } from "./account.ts"
import { AccountAccess } from "./accountAccess.ts"
import { AgentRequests } from "./agentRequests.ts"
import { Changes } from "./changes.ts"
import { messageUpdates } from "./channelUpdates.ts"
import { commandRunner } from "./commandRunner.ts"
import { Intake, keyOf } from "./intake.ts"
import { InterruptedTurns } from "./interruptedTurns.ts"
import { makePresses, showPresses } from "./presses.ts"
import { Questions } from "./questions.ts"
import { QueuedNotices } from "./queuedNotices.ts"
import { type JournalFailure, Replies, retryWhileStoreFails } from "./replies.ts"
import { TurnInterrupts } from "./runningTurns.ts"
import { Scheduling } from "./scheduling.ts"
import { settingsPresses } from "./settingsPresses.ts"
import { stopAcknowledgement } from "./stopReplies.ts"
import { draftIdOf, stopPresses } from "./turnProgress.ts"

type StopAsked = Extract<Incoming, { readonly _tag: "StopAsked" }>

export const makeIncoming = Effect.gen(function* () {
  const { options, transcribe } = yield* Bridge
  const { channel, journal, inBackground } = yield* Account
  const { access, note } = yield* AccountAccess
  const { interrupt } = yield* TurnInterrupts
  const newest = yield* Newest
  const replies = yield* Replies
  const acknowledge = yield* stopAcknowledgement
  const notices = yield* QueuedNotices
  const { ring } = yield* OutboxSignal
  const { take } = yield* Intake
  const runCommand = yield* commandRunner
  const onPress = yield* presses
  const answerRequest = yield* requestAnswers
  const onOutcome = messageUpdates(channel.watch)
  const { inbox, marks, outbox } = journal
  const names = [channel.accountId]
  /** Update ids of stops that were acted on early, and are still to be stored. */
  const stoppedEarly = new Set<string>()
  const sifting = {
    downloadBytes: channel.download === undefined ? undefined : channel.limits.downloadBytes,
    hasTranscriber: transcribe !== undefined
  }

  const reply = (message: Pick<ChannelMessage, "conversation" | "updateId">, text: string) =>
    replies.send(message.conversation, { text }, keyOf(message, "said"))

  const parse = (message: ChannelMessage, role: Role): Parsed => {
    if (isDelivery(message)) return { _tag: "NoCommand" }
    const { agents, directories } = options
    const context = { role, accounts: names, agents: Object.keys(agents), directories: Object.keys(directories) }
    return parseCommand(message, context)
  }

  /** The stop of a draft concerns only its turn, also while this host continues the turn of an earlier one. */
  const isOfEndedTurn = Effect.fnUntraced(function* ({ conversation, draftId }: StopAsked) {
    if (draftId === undefined) return false
    const rows = yield* inbox.openIn(conversationText(conversation))
    return !rows.some(({ state, turnId }) => state === "taken" && turnId !== undefined && draftIdOf(turnId) === draftId)
  })

  const handleMessage = Effect.fn(...untraced("Incoming.handleMessage"))(function* (
    message: ChannelMessage,
    role: Role,
    about: Pick<Heard, "mark" | "reception">
  ) {
    const { mark, reception } = about
    // A channel repeats an update if its confirmation was lost, or the host died before it.
    if (yield* inbox.knows(message.updateId)) return void reception?.declines("known")
    if (message.messageId !== undefined) yield* newest.heard(message.conversation, message.messageId)
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
      // Channels with deliveries have rates of their own, and answer who exceeds them.
      const pace = isDelivery(message) ? "taken" : yield* access.pace(message)
      if (pace === "told") yield* reply(message, texts.tooFast(access.perMinute))
      if (pace === "taken") {
        if (!isDelivery(message) && (yield* answerRequest(message, role))) {
          yield* inbox.accept(message, { mark, isDropped: true })
          return yield* onOutcome(message, "taken")
        }
        const sifted = sift(message, sifting)
        if (sifted.notices.length > 0) yield* reply(message, sifted.notices.join("\n"))
        if (!sifted.isEmpty) return yield* take(sifted.message, role, about)
      }
    }
    yield* inbox.accept(message, { mark, isDropped: true })
    yield* onOutcome(message, outcome)
  })

  const fromPerson = Effect.fn(...untraced("Incoming.fromPerson"))(function* (
    incoming: Exclude<Incoming, { readonly _tag: "Left" | "Moved" | "Receipt" }>,
    about: Pick<Heard, "mark" | "reception">
  ) {
    const entrance = yield* access.enter(incoming)
    const role = entrance._tag === "Allowed" ? entrance.role : undefined
    if (role !== undefined) note(placeOf(incoming))
    if (incoming._tag === "Pressed") return yield* onPress(incoming, role)
    if (incoming._tag === "Message") {
      const { message } = incoming
      if (entrance._tag === "Paired") return yield* reply(message, texts.paired)
      if (entrance._tag === "Asked") {
        return yield* reply(message, texts.whoAmI(message.sender.id, message.conversation.chatId, undefined))
      }
      return role === undefined ? undefined : yield* handleMessage(message, role, about)
    }
    if (role === undefined) return
    const { conversation, updateId } = incoming
    if (incoming._tag === "StopAsked") {
      // The stop of a draft that found no turn is over: waiting messages stay.
      if (stoppedEarly.delete(updateId) || incoming.draftId !== undefined) return
      const message = { ...incoming, sentAt: 0, text: "", attachments: [], addressed: true }
      return yield* runCommand({ _tag: "Stop" }, message, role)
    }
    const { messageId, text } = incoming
    if (text !== undefined && text.length > longestText) {
      return yield* reply({ conversation, updateId }, texts.tooLong(text.length, longestText))
    }
    const amended = yield* inbox.amend(conversation, messageId, text)
    if (amended === "Late" && text !== undefined) yield* reply({ conversation, updateId }, texts.editTooLate)
    if (amended === "Amended" && text === undefined) yield* notices.removeStale(conversation)
  })

  const handleOnce = (update: Heard): Effect.Effect<void, JournalFailure> => {
    const { incoming, mark, confirm } = update
    // An update that no store takes would be retried forever and block those behind it.
    if (!hasSoundIds(incoming)) {
      return Effect.andThen(Effect.logWarning("an update was ignored: its ids cannot be stored"), confirm)
    }
    const handled =
      incoming._tag === "Receipt"
        ? Effect.andThen(takeReceipt({ journal, channel }, incoming), ring)
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
            : fromPerson(incoming, update)
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
    if (message.replyTo !== undefined || isDelivery(message)) return false
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
    actEarly: Effect.fn(...untraced("Incoming.actEarly"))(function* (update: Heard) {
      const { incoming, mark, confirm } = update
      if (incoming._tag === "Pressed") {
        yield* fromPerson(incoming, {})
        return mark === undefined ? confirm : Effect.andThen(marks.set("incoming", mark), confirm)
      }
      if (incoming._tag !== "Message" && incoming._tag !== "StopAsked") return handleOnce(update)
      const stop = incoming._tag === "Message" ? incoming.message : incoming
      const { conversation, updateId } = stop
      if (access.roleOf(stop) === undefined || (yield* inbox.knows(updateId))) return handleOnce(update)
      if (incoming._tag === "StopAsked" && (yield* isOfEndedTurn(incoming))) return handleOnce(update)
      const over = yield* interrupt(conversation)
      if (over === undefined) return handleOnce(update)
      const answering = Effect.andThen(acknowledge(stop, over), reply(stop, texts.stopped))
      yield* inBackground(Effect.ignore(retryWhileStoreFails("the answer to a stop", answering), { log: "Warn" }))
      return Effect.suspend(() => {
        stoppedEarly.add(updateId)
        return handleOnce(update)
      })
    })
  }
})

/** The readers of buttons, in order. */
const presses = Effect.gen(function* () {
  const [show, stop, settings] = [yield* showPresses, yield* stopPresses, yield* settingsPresses]
  const [interrupted, { press: changes }] = [yield* InterruptedTurns, yield* Changes]
  const [scheduling, questions, notices] = [yield* Scheduling, yield* Questions, yield* QueuedNotices]
  const readers = [show, stop, interrupted.press, scheduling.press, questions.press, notices.press, changes, settings]
  return yield* makePresses(readers)
})

/** Takes a text as the answer to a request; returns false if it is not one. */
const requestAnswers = Effect.gen(function* () {
  const { journal } = yield* Account
  const { ring } = yield* OutboxSignal
  const [questions, requests] = [yield* Questions, yield* AgentRequests]
  const [scheduling, interrupted] = [yield* Scheduling, yield* InterruptedTurns]
  return Effect.fnUntraced(function* (message: ChannelMessage, role: Role) {
    yield* questions.closeBy(message)
    if (yield* requests.text(message)) return true
    if (yield* scheduling.text(message, role)) return true
    if (yield* interrupted.text(message)) return true
    if (!/^\s*show\s*$/i.test(message.text)) return false
    const result = yield* showMissing(journal, message.conversation, undefined)
    yield* ring
    return result !== "nothing"
  })
})
