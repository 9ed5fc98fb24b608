/**
 * What a channel that draws turns itself is told (`watch`): of messages, from the inbox; of turns, from their beginning to
 * their end. One that draws messages instead has none of this.
 */
import { Effect } from "effect"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { CheckedOptions } from "../BridgeOptions.ts"
import type { ChatSettings } from "../ChatSettings.ts"
import type { AccountJournal } from "../journal/Journal.ts"
import type { Channel } from "../messages/Channel.ts"
import type { ChannelMessage } from "../messages/ChannelMessage.ts"
import { type Conversation, conversationText } from "../messages/Conversation.ts"
import type { BegunSight } from "../messages/Sight.ts"
import type { Outcome } from "../turn/outcome.ts"
import { planOf } from "../turn/plan.ts"
import { type Queued, queuedPress } from "./queued.ts"
import type { Turn } from "./turns.ts"

type Watch = NonNullable<Channel["watch"]>

/** Messages that wait, in place of lines that say so. */
export const makeQueuedSights = (
  watch: Watch,
  journal: Pick<AccountJournal, "inbox">,
  interrupt: (conversation: Conversation) => Effect.Effect<boolean>
): Queued => {
  /** By conversation: those that were told to wait, with their place. */
  const known = new Map<string, Map<string, number>>()

  /** Places move up when one before them is gone. */
  const places = Effect.fnUntraced(function* (text: string) {
    const told = known.get(text)
    if (told === undefined) return
    const waiting = (yield* journal.inbox.waiting(text)).filter(({ updateId }) => told.has(updateId))
    for (const [at, { updateId, message }] of waiting.entries()) {
      if (told.get(updateId) === at + 1) continue
      told.set(updateId, at + 1)
      yield* watch({
        _tag: "Message",
        conversation: message.conversation,
        updateId,
        state: "queued",
        place: at + 1
      })
    }
  })
  const retold = (text: string) => Effect.ignore(places(text))

  const over: Queued["over"] = (text, updateIds, became) =>
    Effect.suspend(() => {
      const told = known.get(text)
      for (const updateId of updateIds) told?.delete(updateId)
      if (told?.size === 0) known.delete(text)
      const [channel = "", accountId = "", chatId = "", threadId] = JSON.parse(text) as ReadonlyArray<string> // its text
      const conversation = { channel, accountId, chatId, ...(threadId === undefined ? {} : { threadId }) }
      const tell = Effect.forEach(
        updateIds,
        (updateId) => watch({ _tag: "Message", conversation, updateId, state: became }),
        { discard: true }
      )
      return Effect.andThen(tell, retold(text))
    })

  return {
    tell: ({ conversation, updateId }) =>
      Effect.suspend(() => {
        const text = conversationText(conversation)
        const told = known.get(text) ?? new Map<string, number>()
        if (told.has(updateId)) return Effect.void
        known.set(text, told.set(updateId, 0))
        return retold(text)
      }),
    over,
    check: (conversation) =>
      Effect.gen(function* () {
        const text = conversationText(conversation)
        const told = known.get(text)
        if (told === undefined) return
        const waiting = new Set((yield* journal.inbox.waiting(text)).map(({ updateId }) => updateId))
        yield* over(
          text,
          [...told.keys()].filter((updateId) => !waiting.has(updateId)),
          "dropped"
        )
      }).pipe(Effect.ignore),
    // There are no notices.
    named: () => undefined,
    press: queuedPress(journal, interrupt, over)
  }
}

export const tellMessage =
  (watch: Channel["watch"]) =>
  ({ conversation, updateId }: ChannelMessage, state: "steering" | "taken" | "dropped"): Effect.Effect<void> =>
    watch === undefined ? Effect.void : watch({ _tag: "Message", conversation, updateId, state })

export interface TurnSight {
  readonly event: (event: AgentEvent) => Effect.Effect<void>
  readonly end: (outcome: Outcome) => Effect.Effect<void>
}

const unseen: TurnSight = { event: () => Effect.void, end: () => Effect.void }

const begunOf = (
  { conversation, turnId, updateIds, once }: Turn,
  options: CheckedOptions,
  settings: ChatSettings
): BegunSight => {
  const { agent, params } = planOf(options, settings)
  const directory = settings.directory ?? options.directory
  const own = { conversation, turnId, updateIds, agent: once ?? agent }
  const { model, permissionMode } = once === undefined ? params : {}
  return {
    ...{ _tag: "Begun", ...own },
    ...(model === undefined ? {} : { model }),
    ...(permissionMode === undefined ? {} : { mode: permissionMode }),
    ...(directory === undefined ? {} : { directory })
  }
}

/**
 * One that a host before this one had begun may be over, or interrupted, so that nothing begins here: that is known with
 * its first event.
 */
export const beginSight = (
  watch: Channel["watch"],
  turn: Turn,
  options: CheckedOptions,
  settings: ChatSettings
): Effect.Effect<TurnSight> => {
  if (watch === undefined) return Effect.succeed(unseen)
  const { conversation, turnId, isRetold } = turn
  let isBegun = false
  const begin = Effect.suspend(() => {
    if (isBegun) return Effect.void
    isBegun = true
    return watch(begunOf(turn, options, settings))
  })
  const sight: TurnSight = {
    event: (event) => {
      if (event.type === "done" || event.type === "turn_done") return Effect.void
      // Of a host that died: its people are asked by a message of its own.
      if (event.type === "error" && event.code === "turn_interrupted") return Effect.void
      return Effect.andThen(begin, watch({ _tag: "Event", conversation, turnId, event }))
    },
    end: ({ result }) => watch({ _tag: "Ended", conversation, turnId, result })
  }
  return isRetold ? Effect.succeed(sight) : Effect.as(begin, sight)
}
