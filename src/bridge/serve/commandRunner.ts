/**
 * Runs the commands of people. They never wait for a turn; replies go through the outbox. Each accepted command is answered
 * once: failures of the store are retried, and the next host runs the commands of one that died.
 */
import { Cause, Effect } from "effect"
import type { Role } from "../access/AccessOptions.ts"
import type { CheckedOptions } from "../BridgeOptions.ts"
import { type Command, helpText } from "../commands/command.ts"
import { addedTo, commandOf } from "../journal/inbox.ts"
import type { AccountJournal } from "../journal/Journal.ts"
import type { ChannelMessage } from "../messages/ChannelMessage.ts"
import { type Conversation, conversationText } from "../messages/Conversation.ts"
import type { ReplyPayload } from "../messages/ReplyPayload.ts"
import { texts } from "../texts.ts"
import type { Core } from "../turn/core.ts"
import type { ChatMemory } from "./chatMemory.ts"
import type { Pause } from "./pause.ts"
import type { QueuedNotices } from "./queuedNotices.ts"
import type { makeRecords } from "./records.ts"
import type { JournalFailure, Replies } from "./replies.ts"
import { retryWhileStoreFails } from "./retryWhileStoreFails.ts"
import type { TurnInterrupts } from "./runningTurns.ts"

interface CommandsOptions {
  readonly options: CheckedOptions
  readonly core: Core
  readonly journal: Pick<AccountJournal, "inbox">
  readonly chats: ChatMemory
  readonly records: ReturnType<typeof makeRecords>
  readonly pause: Pause
  readonly notices: Pick<QueuedNotices, "end" | "removeStale" | "updateIdOf">
  /** The running turn. */
  readonly turnOf: (conversation: Conversation) => { readonly id: string } | undefined
  readonly interrupt: TurnInterrupts["interrupt"]
  /** Whether the turn of a conversation, by its `conversationText`, waits for a place. */
  readonly isWaitingForPlace: (conversation: string) => boolean
  readonly inBackground: (work: Effect.Effect<void>) => Effect.Effect<void>
}

/** The sender of a command, and its conversation. */
interface CommandSender {
  readonly conversation: Conversation
  readonly role: Role
  readonly personId: string
}

const textReply = (text: string): ReplyPayload => ({ text })

/** The reply that shows a setting, or confirms its change. */
const settingReply = (name: string, value: string | undefined) =>
  textReply(`${name}: ${value ?? "the agent's default"}`)

export const makeCommands = (deps: CommandsOptions) => {
  const { options, core, chats, records, pause, notices, turnOf, inBackground, interrupt, isWaitingForPlace } = deps
  const { inbox } = deps.journal

  /** Drops the waiting messages; returns their number. */
  const dropWaiting = Effect.fnUntraced(function* (conversation: Conversation) {
    const waiting = yield* inbox.waiting(conversationText(conversation))
    const dropped = yield* inbox.drop(waiting.map(({ updateId }) => updateId))
    yield* notices.end(conversationText(conversation), dropped, "dropped")
    return dropped.length
  })

  /** Stop as a reply concerns only that message: a waiting one is dropped; one that is over stops no other turn. */
  const stopReplied = Effect.fnUntraced(function* (conversation: Conversation, messageId: string) {
    const noticed = notices.updateIdOf(conversation, messageId)
    const target = noticed === undefined ? yield* inbox.ofMessage(conversation, messageId) : undefined
    const updateId = noticed ?? (target?.state === "waiting" ? target.updateId : undefined)
    if (updateId !== undefined && (yield* inbox.drop([updateId])).length > 0) {
      yield* notices.removeStale(conversation)
      return texts.dropped
    }
    const turnId = turnOf(conversation)?.id
    if (target === undefined || turnId === undefined) return undefined
    return target.turnId === turnId || target.turnId === addedTo(turnId) ? undefined : texts.stopWhich
  })

  const choose = Effect.fnUntraced(function* (
    conversation: Conversation,
    change: Parameters<ChatMemory["change"]>[1],
    reply: ReplyPayload
  ) {
    yield* chats.change(conversation, change)
    // The next turn opens a session with the new setting.
    yield* core.close(conversation)
    return reply
  })

  /** Stops the running turn; otherwise the one that is about to start. */
  const stop = Effect.fnUntraced(function* (conversation: Conversation) {
    if (yield* interrupt(conversation)) return true
    return pause.current() === undefined && (yield* dropWaiting(conversation)) > 0
  })

  return Effect.fnUntraced(function* (
    command: Command,
    { conversation, role, personId }: CommandSender
  ): Effect.fn.Return<ReplyPayload, JournalFailure> {
    const settings = yield* chats.get(conversation)
    switch (command._tag) {
      case "Stop": {
        const reply = command.replyTo === undefined ? undefined : yield* stopReplied(conversation, command.replyTo)
        if (reply !== undefined) return textReply(reply)
        return textReply((yield* stop(conversation)) ? texts.stopped : texts.nothingRuns)
      }
      case "New": {
        yield* interrupt(conversation)
        const dropped = yield* dropWaiting(conversation)
        yield* core.close(conversation)
        yield* core.forget(conversation)
        return textReply(texts.newSession(dropped))
      }
      case "Agent":
        if (command.agent === undefined) return settingReply("Agent", settings.agent ?? options.agent)
        return yield* choose(
          conversation,
          { agent: command.agent, model: undefined },
          settingReply("Agent", command.agent)
        )
      case "Model":
        if (command.model === undefined) return settingReply("Model", settings.model)
        return yield* choose(conversation, { model: command.model }, settingReply("Model", command.model))
      case "Mode":
        if (command.mode === undefined) return settingReply("Mode", settings.mode)
        return yield* choose(conversation, { mode: command.mode }, settingReply("Mode", command.mode))
      case "Effort":
        if (command.effort === undefined) return settingReply("Effort", settings.effort)
        return yield* choose(conversation, { effort: command.effort }, settingReply("Effort", command.effort))
      case "Directory":
        if (command.directory === undefined) return settingReply("Directory", settings.directory ?? options.directory)
        return yield* choose(
          conversation,
          { directory: command.directory },
          settingReply("Directory", command.directory)
        )
      case "PlanMode":
        if (command.planMode === undefined) return settingReply("Plan mode", settings.planMode ?? "off")
        return yield* choose(conversation, { planMode: command.planMode }, settingReply("Plan mode", command.planMode))
      case "Status": {
        const waiting = (yield* inbox.waiting(conversationText(conversation))).length
        const state = core.running(conversation) === undefined ? "idle" : "working"
        const paused = pause.current() === undefined ? "" : " Paused by an owner."
        const placeText = isWaitingForPlace(conversationText(conversation))
          ? ` ${texts.waitsForPlace(core.places.most)}`
          : ""
        return textReply(`${settings.agent ?? options.agent}: ${state}, ${waiting} waiting.${paused}${placeText}`)
      }
      case "Usage":
      case "Sessions":
      case "Resume":
      case "Export":
      case "Files":
        return yield* records(command, conversation)
      case "Pause":
        return textReply(yield* pause.toggle)
      case "Restart": {
        const { reply, work } = pause.restart()
        yield* inBackground(work)
        return textReply(reply)
      }
      case "Help":
        return textReply(helpText(role, Object.keys(options.agents)))
      case "WhoAmI":
        return textReply(texts.whoAmI(personId, conversation.chatId, role))
      case "Once":
        // Such a message becomes a turn and never gets here.
        return textReply(texts.notHere)
    }
  })
}

interface CommandRunnerOptions {
  readonly execute: ReturnType<typeof makeCommands>
  readonly replies: Pick<Replies, "noticePieces" | "wake">
  readonly inbox: Pick<AccountJournal["inbox"], "finish">
  readonly inBackground: (work: Effect.Effect<void>) => Effect.Effect<unknown>
}

export const makeCommandRunner =
  ({ execute, replies, inbox, inBackground }: CommandRunnerOptions) =>
  (command: Command, { conversation, sender, updateId }: ChannelMessage, role: Role): Effect.Effect<void> => {
    const sentBy = { conversation, role, personId: sender.id }
    const payload = retryWhileStoreFails("a command", execute(command, sentBy)).pipe(
      Effect.catchDefect((defect) =>
        Effect.as(Effect.logError("a command broke off", defect), { text: texts.notDone, isError: true })
      )
    )
    const answered = Effect.gen(function* () {
      const pieces = replies.noticePieces(conversation, yield* payload, `${conversation.chatId}/${updateId}/said`)
      yield* retryWhileStoreFails("the answer to a command", inbox.finish(commandOf(updateId), pieces))
      yield* replies.wake
    })
    return answered.pipe(
      Effect.catchCause((cause) =>
        // The host ends: the next one runs the command.
        Cause.hasInterruptsOnly(cause)
          ? Effect.void
          : Effect.logWarning("a command could not be answered", Cause.squash(cause))
      ),
      inBackground,
      Effect.asVoid
    )
  }
