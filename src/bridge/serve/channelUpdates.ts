/** Updates for a channel that draws turns itself (`watch`): the state of messages, and turns from beginning to end. */
import { Effect } from "effect"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { Access } from "../access/makeAccess.ts"
import type { CheckedOptions } from "../BridgeOptions.ts"
import type { ChatSettings } from "../ChatSettings.ts"
import type { AccountJournal } from "../journal/Journal.ts"
import type { Channel } from "../messages/Channel.ts"
import type { ChannelMessage } from "../messages/ChannelMessage.ts"
import { type Conversation, conversationText, knownConversation } from "../messages/Conversation.ts"
import type { BegunSight } from "../messages/Sight.ts"
import { planOf } from "../turn/agents.ts"
import type { Outcome } from "../turn/outcome.ts"
import { type QueuedNotices, queuedPress } from "./queuedNotices.ts"
import type { JournalFailure } from "./replies.ts"
import type { Turn } from "./turns.ts"

type Watch = NonNullable<Channel["watch"]>

/** Reports the places of waiting messages, in place of notices. */
export const makeQueueUpdates = (
  watch: Watch,
  journal: Pick<AccountJournal, "inbox">,
  interrupt: (conversation: Conversation) => Effect.Effect<boolean>
): QueuedNotices => {
  /** Reported places of messages, by conversation. */
  const reported = new Map<string, Map<string, number>>()

  /** Reports places that have changed: they move up when an earlier message is gone. */
  const reportPlaces = Effect.fnUntraced(function* (text: string): Effect.fn.Return<void, JournalFailure> {
    const places = reported.get(text)
    if (places === undefined) return
    const waiting = (yield* journal.inbox.waiting(text)).filter(({ updateId }) => places.has(updateId))
    for (const [at, { updateId, message }] of waiting.entries()) {
      if (places.get(updateId) === at + 1) continue
      places.set(updateId, at + 1)
      yield* watch({ _tag: "Message", conversation: message.conversation, updateId, state: "queued", place: at + 1 })
    }
  })

  const end: QueuedNotices["end"] = (text, updateIds, state) =>
    Effect.suspend(() => {
      const places = reported.get(text)
      for (const updateId of updateIds) places?.delete(updateId)
      if (places?.size === 0) reported.delete(text)
      const conversation = knownConversation(text)
      const report = Effect.forEach(
        updateIds,
        (updateId) => watch({ _tag: "Message", conversation, updateId, state }),
        {
          discard: true
        }
      )
      return Effect.andThen(report, Effect.ignore(reportPlaces(text)))
    })

  return {
    add: ({ conversation, updateId }) =>
      Effect.suspend(() => {
        const text = conversationText(conversation)
        const places = reported.get(text) ?? new Map<string, number>()
        if (places.has(updateId)) return Effect.void
        reported.set(text, places.set(updateId, 0))
        return Effect.ignore(reportPlaces(text))
      }),
    end,
    removeStale: Effect.fnUntraced(
      function* (conversation) {
        const text = conversationText(conversation)
        const places = reported.get(text)
        if (places === undefined) return
        const waiting = new Set((yield* journal.inbox.waiting(text)).map(({ updateId }) => updateId))
        const gone = [...places.keys()].filter((updateId) => !waiting.has(updateId))
        yield* end(text, gone, "dropped")
      },
      (work) => Effect.ignore(work)
    ),
    // Such a channel has no notices.
    updateIdOf: () => undefined,
    press: queuedPress(journal, interrupt, end)
  }
}

export const messageUpdates =
  (watch: Channel["watch"]) =>
  ({ conversation, updateId }: ChannelMessage, state: "steering" | "taken" | "dropped"): Effect.Effect<void> =>
    watch === undefined ? Effect.void : watch({ _tag: "Message", conversation, updateId, state })

/** The account's agents, directories and roles, read when the effect runs. */
export const servedUpdate = (
  watch: Channel["watch"],
  options: CheckedOptions,
  { roleOf }: Pick<Access<unknown>, "roleOf">
): Effect.Effect<void> =>
  Effect.suspend(
    () =>
      watch?.({
        ...{ _tag: "Served", agents: Object.keys(options.agents), agent: options.agent },
        directories: Object.entries(options.directories).map(([name, { path }]) => ({ name, path })),
        ...(options.directory === undefined ? {} : { directory: options.directory }),
        roleOf: (conversation, sender) => roleOf({ conversation, sender, chat: "direct" })
      }) ?? Effect.void
  )

interface TurnUpdates {
  readonly event: (event: AgentEvent) => Effect.Effect<void>
  readonly end: (outcome: Outcome) => Effect.Effect<void>
}

const noUpdates: TurnUpdates = { event: () => Effect.void, end: () => Effect.void }

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

/** A turn of an earlier host may be over, or interrupted: it begins with its first event. */
export const beginTurnUpdates = (
  watch: Channel["watch"],
  turn: Turn,
  options: CheckedOptions,
  settings: ChatSettings
): Effect.Effect<TurnUpdates> => {
  if (watch === undefined) return Effect.succeed(noUpdates)
  const { conversation, turnId, isRecovered } = turn
  let isBegun = false
  const begin = Effect.suspend(() => {
    if (isBegun) return Effect.void
    isBegun = true
    return watch(begunOf(turn, options, settings))
  })
  const updates: TurnUpdates = {
    event: (event) => {
      if (event.type === "done" || event.type === "turn_done") return Effect.void
      // An interrupted turn of a dead host: its people get a message instead.
      if (event.type === "error" && event.code === "turn_interrupted") return Effect.void
      return Effect.andThen(begin, watch({ _tag: "Event", conversation, turnId, event }))
    },
    end: ({ result }) => watch({ _tag: "Ended", conversation, turnId, result })
  }
  return isRecovered ? Effect.succeed(updates) : Effect.as(begin, updates)
}
