/** Commands of people at work. They never wait for a turn; what they say goes through the outbox like all else. */
import { Effect } from "effect"
import type { Role } from "../access/AccessOptions.ts"
import type { CheckedOptions } from "../BridgeOptions.ts"
import type { Command } from "../commands/command.ts"
import { helpText } from "../commands/table.ts"
import { addedTo } from "../journal/inbox.ts"
import type { AccountJournal } from "../journal/Journal.ts"
import { type Conversation, conversationText } from "../messages/Conversation.ts"
import type { ReplyPayload } from "../messages/ReplyPayload.ts"
import { texts } from "../texts.ts"
import type { Core } from "../turn/core.ts"
import type { ChatMemory } from "./chatMemory.ts"
import type { Pausing } from "./pausing.ts"
import type { Queued } from "./queued.ts"
import type { makeRecords } from "./records.ts"
import type { Stopping } from "./stopping.ts"
import type { JournalFailure } from "./voice.ts"

export interface ControlOptions {
  readonly options: CheckedOptions
  readonly core: Core
  readonly journal: Pick<AccountJournal, "inbox">
  readonly chats: ChatMemory
  readonly records: ReturnType<typeof makeRecords>
  readonly pausing: Pausing
  readonly queued: Pick<Queued, "over" | "check" | "named">
  /** The turn under way. */
  readonly turnOf: (conversation: Conversation) => { readonly id: string } | undefined
  readonly interrupt: Stopping["interrupt"]
  /** By `conversationText`: its turn waits for others of this host. */
  readonly isHeld: (conversation: string) => boolean
  /** In the background. */
  readonly later: (work: Effect.Effect<void>) => Effect.Effect<void>
}

/** Who gave it, and where. */
export interface Giver {
  readonly conversation: Conversation
  readonly role: Role
  readonly personId: string
}

const says = (text: string): ReplyPayload => ({ text })

/** A choice that is shown, or made. */
const chosen = (name: string, value: string | undefined) => says(`${name}: ${value ?? "as the agent has it"}`)

export const makeControl = (given: ControlOptions) => {
  const { options, core, chats, records, pausing, queued, turnOf, later, interrupt, isHeld } = given
  const { inbox } = given.journal

  /** Drops what waits; gives how much that was. */
  const empty = Effect.fnUntraced(function* (conversation: Conversation) {
    const waiting = yield* inbox.waiting(conversationText(conversation))
    const dropped = yield* inbox.drop(waiting.map(({ updateId }) => updateId))
    yield* queued.over(conversationText(conversation), dropped, "dropped")
    return dropped.length
  })

  /** As a reply it is about that message alone: one that waits is dropped, and one that is over stops nothing else. */
  const stopReplied = Effect.fnUntraced(function* (conversation: Conversation, messageId: string) {
    const noticed = queued.named(conversation, messageId)
    const meant = noticed === undefined ? yield* inbox.ofMessage(conversation, messageId) : undefined
    const updateId = noticed ?? (meant?.state === "waiting" ? meant.updateId : undefined)
    if (updateId !== undefined && (yield* inbox.drop([updateId])).length > 0) {
      yield* queued.check(conversation)
      return texts.dropped
    }
    const turnId = turnOf(conversation)?.id
    if (meant === undefined || turnId === undefined) return undefined
    return meant.turnId === turnId || meant.turnId === addedTo(turnId) ? undefined : texts.stopWhich
  })

  const choose = Effect.fnUntraced(function* (
    conversation: Conversation,
    change: Parameters<ChatMemory["change"]>[1],
    told: ReplyPayload
  ) {
    yield* chats.change(conversation, change)
    // The next turn opens a session that has it.
    yield* core.close(conversation)
    return told
  })

  /** The turn; where there is none, what is about to begin one. */
  const stop = Effect.fnUntraced(function* (conversation: Conversation) {
    if (yield* interrupt(conversation)) return true
    return pausing.current() === undefined && (yield* empty(conversation)) > 0
  })

  return Effect.fnUntraced(function* (
    command: Command,
    { conversation, role, personId }: Giver
  ): Effect.fn.Return<ReplyPayload, JournalFailure> {
    const settings = yield* chats.get(conversation)
    switch (command._tag) {
      case "Stop": {
        const said = command.replyTo === undefined ? undefined : yield* stopReplied(conversation, command.replyTo)
        if (said !== undefined) return says(said)
        return says((yield* stop(conversation)) ? texts.stopped : texts.nothingRuns)
      }
      case "New": {
        yield* interrupt(conversation)
        const dropped = yield* empty(conversation)
        yield* core.close(conversation)
        yield* core.forget(conversation)
        return says(dropped === 0 ? "A new session begins." : `A new session begins. ${dropped} waiting dropped.`)
      }
      case "Agent":
        if (command.agent === undefined) return chosen("Agent", settings.agent ?? options.agent)
        return yield* choose(conversation, { agent: command.agent, model: undefined }, chosen("Agent", command.agent))
      case "Model":
        if (command.model === undefined) return chosen("Model", settings.model)
        return yield* choose(conversation, { model: command.model }, chosen("Model", command.model))
      case "Mode":
        if (command.mode === undefined) return chosen("Mode", settings.mode)
        return yield* choose(conversation, { mode: command.mode }, chosen("Mode", command.mode))
      case "Effort":
        if (command.effort === undefined) return chosen("Effort", settings.effort)
        return yield* choose(conversation, { effort: command.effort }, chosen("Effort", command.effort))
      case "Directory":
        if (command.directory === undefined) return chosen("Directory", settings.directory ?? options.directory)
        return yield* choose(conversation, { directory: command.directory }, chosen("Directory", command.directory))
      case "PlanMode":
        if (command.planMode === undefined) return chosen("Plan mode", settings.planMode ?? "off")
        return yield* choose(conversation, { planMode: command.planMode }, chosen("Plan mode", command.planMode))
      case "Status": {
        const waiting = (yield* inbox.waiting(conversationText(conversation))).length
        const state = core.running(conversation) === undefined ? "idle" : "at work"
        const paused = pausing.current() === undefined ? "" : " Paused by an owner."
        const held = isHeld(conversationText(conversation)) ? ` ${texts.waitsForPlace(core.places.most)}` : ""
        return says(`${settings.agent ?? options.agent}: ${state}, ${waiting} waiting.${paused}${held}`)
      }
      case "Usage":
      case "Sessions":
      case "Resume":
      case "Export":
      case "Files":
        return yield* records(command, conversation)
      case "Pause":
        return says(yield* pausing.toggle)
      case "Restart": {
        const { said, work } = pausing.restart()
        yield* later(work)
        return says(said)
      }
      case "Help":
        return says(helpText(role, Object.keys(options.agents)))
      case "WhoAmI":
        return says(texts.whoAmI(personId, conversation.chatId, role))
      case "Once":
        // It is a message.
        return says(texts.notHere)
    }
  })
}
