/** Runs the commands of people, and never waits for a turn. Each is answered once, also if the store or host fails. */
import { Cause, Context, Effect, Layer } from "effect"
import { planless } from "../../agents/approvals/planless.ts"
import { untraced } from "../../contract/untraced.ts"
import type { Role } from "../access/AccessOptions.ts"
import type { ChatSettings } from "../ChatSettings.ts"
import { type Command, helpText } from "../commands/command.ts"
import { addedTo, commandOf } from "../journal/inbox.ts"
import type { ChannelMessage } from "../messages/ChannelMessage.ts"
import { type Conversation, conversationText } from "../messages/Conversation.ts"
import type { ReplyPayload } from "../messages/ReplyPayload.ts"
import { texts } from "../texts.ts"
import { plansFirst } from "../turn/agents.ts"
import { Account, Bridge } from "./account.ts"
import { Changes } from "./changes.ts"
import { ChatMemory } from "./chatMemory.ts"
import { PlaceRequests } from "./conversationQueues.ts"
import { Pause } from "./pause.ts"
import { QueuedNotices } from "./queuedNotices.ts"
import { makeRecords, textReply } from "./records.ts"
import { type JournalFailure, Replies, retryWhileStoreFails } from "./replies.ts"
import { RunningTurns, TurnInterrupts } from "./runningTurns.ts"
import { stopAcknowledgement } from "./stopReplies.ts"

export interface CommandSender {
  readonly updateId: string
  readonly conversation: Conversation
  readonly role: Role
  readonly personId: string
}

export class Commands extends Context.Service<
  Commands,
  {
    /** Returns the reply. */
    readonly execute: (command: Command, sender: CommandSender) => Effect.Effect<ReplyPayload, JournalFailure>
  }
>()("reins/bridge/Commands") {
  static readonly layer = Layer.effect(
    Commands,
    Effect.suspend(() => makeCommands)
  )
}

const makeCommands = Effect.gen(function* () {
  const { options, core } = yield* Bridge
  const { journal, inBackground } = yield* Account
  const [chats, running, { interrupt }] = [yield* ChatMemory, yield* RunningTurns, yield* TurnInterrupts]
  const [pause, notices, places] = [yield* Pause, yield* QueuedNotices, yield* PlaceRequests]
  const [records, changes] = [yield* makeRecords, yield* Changes]
  const acknowledge = yield* stopAcknowledgement
  const { inbox } = journal

  /** Drops the waiting messages; returns their number. */
  const dropWaiting = Effect.fn(...untraced("CommandRunner.dropWaiting"))(function* (conversation: Conversation) {
    const waiting = yield* inbox.waiting(conversationText(conversation))
    const dropped = yield* inbox.drop(waiting.map(({ updateId }) => updateId))
    yield* notices.end(conversationText(conversation), dropped, "dropped")
    return dropped.length
  })

  /** Stop as a reply concerns only that message: a waiting one is dropped; one that is over stops no other turn. */
  const stopReplied = Effect.fn(...untraced("CommandRunner.stopReplied"))(function* (
    conversation: Conversation,
    messageId: string
  ) {
    const noticed = notices.updateIdOf(conversation, messageId)
    const target = noticed === undefined ? yield* inbox.ofMessage(conversation, messageId) : undefined
    const updateId = noticed ?? (target?.state === "waiting" ? target.updateId : undefined)
    if (updateId !== undefined && (yield* inbox.drop([updateId])).length > 0) {
      yield* notices.removeStale(conversation)
      return texts.dropped
    }
    const turnId = running.of(conversation)?.id
    if (target === undefined || turnId === undefined) return undefined
    return target.turnId === turnId || target.turnId === addedTo(turnId) ? undefined : texts.stopWhich
  })

  /** Shows a setting, or changes it: then the next turn opens a new session. */
  const setting = Effect.fn(...untraced("CommandRunner.setting"))(function* (
    conversation: Conversation,
    name: string,
    present: string | undefined,
    chosen: string | undefined,
    change: Parameters<ChatMemory["Service"]["change"]>[1]
  ) {
    if (chosen === undefined) return textReply(`${name}: ${present ?? "the agent's default"}`)
    yield* chats.change(conversation, change)
    yield* core.close(conversation)
    const problem = yield* planProblem(conversation, yield* chats.get(conversation))
    if (problem === undefined) return textReply(`${name}: ${chosen}`)
    yield* chats.change(conversation, { planMode: "off" })
    return textReply(`${name}: ${chosen}\nPlan mode: off. ${problem}`)
  })

  /** Why a plan could not be approved here. */
  const planProblem = (conversation: Conversation, settings: ChatSettings) =>
    Effect.map(core.answerer(conversation), ({ cli, isLive }) => {
      if (!plansFirst(settings)) return undefined
      if (planless.has(cli)) return texts.noPlans(cli)
      return settings.planMode === "auto" && !isLive ? texts.noLivePlans : undefined
    })

  /** Waits for the end of the running turn, or the one that is starting; returns false without one. */
  const endTurn = Effect.fn(...untraced("CommandRunner.endTurn"))(function* (sender: CommandSender) {
    const over = yield* interrupt(sender.conversation)
    if (over !== undefined) yield* acknowledge(sender, over)
    return over !== undefined
  })

  /** Stops the running turn; otherwise the one that is about to start. */
  const stop = Effect.fn(...untraced("CommandRunner.stop"))(function* (sender: CommandSender) {
    if (yield* endTurn(sender)) return true
    return pause.current() === undefined && (yield* dropWaiting(sender.conversation)) > 0
  })

  const execute = Effect.fn(...untraced("CommandRunner.execute"))(function* (
    command: Command,
    sender: CommandSender
  ): Effect.fn.Return<ReplyPayload, JournalFailure> {
    const { conversation, role, personId } = sender
    const settings = yield* chats.get(conversation)
    switch (command._tag) {
      case "Stop": {
        const reply = command.replyTo === undefined ? undefined : yield* stopReplied(conversation, command.replyTo)
        if (reply !== undefined) return textReply(reply)
        return textReply((yield* stop(sender)) ? texts.stopped : texts.nothingRuns)
      }
      case "New": {
        yield* endTurn(sender)
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
        const problem = planMode && (yield* planProblem(conversation, { ...settings, planMode }))
        if (problem !== undefined) return { text: `/planmode ${planMode}: ${problem}`, isError: true }
        return yield* setting(conversation, "Plan mode", settings.planMode ?? "off", planMode, { planMode })
      }
      case "Status": {
        const waiting = (yield* inbox.waiting(conversationText(conversation))).length
        const state = core.running(conversation) === undefined ? "idle" : "working"
        const paused = pause.current() === undefined ? "" : " Paused by an owner."
        const placeText = places.isWaiting(conversationText(conversation))
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
      case "Changes":
        return yield* changes.command(command, conversation, role)
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
  return Commands.of({ execute })
})

export const commandRunner = Effect.gen(function* () {
  const { journal, inBackground } = yield* Account
  const { execute } = yield* Commands
  const replies = yield* Replies
  const { inbox } = journal
  return (command: Command, { conversation, sender, updateId }: ChannelMessage, role: Role): Effect.Effect<void> => {
    const sentBy = { conversation, updateId, role, personId: sender.id }
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
})
