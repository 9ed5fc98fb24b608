/** Runs the commands of people, and never waits for a turn. Each is answered once, also if the store or host fails. */
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
import { type makeRecords, textReply } from "./records.ts"
import { type JournalFailure, type Replies, retryWhileStoreFails } from "./replies.ts"
import type { TurnInterrupts } from "./runningTurns.ts"

interface CommandsOptions {
  readonly options: CheckedOptions
  readonly core: Core
  readonly journal: Pick<AccountJournal, "inbox">
  readonly chats: ChatMemory
  readonly records: ReturnType<typeof makeRecords>
  readonly pause: Pause
  readonly notices: Pick<QueuedNotices, "end" | "removeStale" | "updateIdOf">
  readonly turnOf: (conversation: Conversation) => { readonly id: string } | undefined
  readonly interrupt: TurnInterrupts["interrupt"]
  /** Whether the turn of a conversation, by its `conversationText`, waits for a place. */
  readonly isWaitingForPlace: (conversation: string) => boolean
  readonly inBackground: (work: Effect.Effect<void>) => Effect.Effect<void>
}

interface CommandSender {
  readonly conversation: Conversation
  readonly role: Role
  readonly personId: string
}

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

  /** Shows a setting, or changes it: then the next turn opens a new session. */
  const setting = Effect.fnUntraced(function* (
    conversation: Conversation,
    name: string,
    present: string | undefined,
    chosen: string | undefined,
    change: Parameters<ChatMemory["change"]>[1]
  ) {
    if (chosen === undefined) return textReply(`${name}: ${present ?? "the agent's default"}`)
    yield* chats.change(conversation, change)
    yield* core.close(conversation)
    return textReply(`${name}: ${chosen}`)
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
      case "Agent": {
        const { agent } = command
        return yield* setting(conversation, "Agent", settings.agent ?? options.agent, agent, {
          agent,
          model: undefined
        })
      }
      case "Model":
        return yield* setting(conversation, "Model", settings.model, command.model, { model: command.model })
      case "Mode":
        return yield* setting(conversation, "Mode", settings.mode, command.mode, { mode: command.mode })
      case "Effort":
        return yield* setting(conversation, "Effort", settings.effort, command.effort, { effort: command.effort })
      case "Directory": {
        const { directory } = command
        const current = settings.directory ?? options.directory
        return yield* setting(conversation, "Directory", current, directory, { directory })
      }
      case "PlanMode": {
        const { planMode } = command
        return yield* setting(conversation, "Plan mode", settings.planMode ?? "off", planMode, { planMode })
      }
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
