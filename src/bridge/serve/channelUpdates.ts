/** Updates for a channel that draws turns itself (`watch`): what is served, and turns from beginning to end. */
import { Effect } from "effect"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { Access } from "../access/makeAccess.ts"
import type { CheckedOptions } from "../BridgeOptions.ts"
import type { ChatSettings } from "../ChatSettings.ts"
import type { Channel } from "../messages/Channel.ts"
import type { ChannelMessage } from "../messages/ChannelMessage.ts"
import type { BegunSight, ChangesSight } from "../messages/Sight.ts"
import { planOf } from "../turn/agents.ts"
import type { Outcome } from "../turn/outcome.ts"
import type { Turn } from "./runningTurns.ts"

export const messageUpdates =
  (watch: Channel["watch"]) =>
  ({ conversation, updateId }: ChannelMessage, state: "steering" | "taken" | "dropped"): Effect.Effect<void> =>
    watch === undefined ? Effect.void : watch({ _tag: "Message", conversation, updateId, state })

/** The account's agents, directories and roles, read when the effect runs. */
export const servedUpdate = (
  watch: Channel["watch"],
  options: CheckedOptions,
  { roleOf }: Pick<Access<unknown>, "roleOf">,
  { read, diff, act, store }: ChangesSight
): Effect.Effect<void> =>
  Effect.suspend(
    () =>
      watch?.({
        ...{ _tag: "Served", agents: Object.keys(options.agents), agent: options.agent },
        directories: Object.entries(options.directories).map(([name, { path }]) => ({ name, path })),
        ...(options.directory === undefined ? {} : { directory: options.directory }),
        changes: { read, diff, act, store },
        roleOf: (conversation, sender) => roleOf({ conversation, sender, chat: "direct" })
      }) ?? Effect.void
  )

interface TurnUpdates {
  readonly event: (event: AgentEvent) => Effect.Effect<void>
  /** The stop of the turn was requested. */
  readonly stopping: Effect.Effect<void>
  readonly end: (outcome: Outcome) => Effect.Effect<void>
}

const noUpdates: TurnUpdates = { event: () => Effect.void, stopping: Effect.void, end: () => Effect.void }

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
    stopping: Effect.suspend(() => (isBegun ? watch({ _tag: "Stopping", conversation, turnId }) : Effect.void)),
    end: ({ result }) => watch({ _tag: "Ended", conversation, turnId, result })
  }
  return isRecovered ? Effect.succeed(updates) : Effect.as(begin, updates)
}
