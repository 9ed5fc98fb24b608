/** A channel in memory, with a platform's rules. A test moves its people and injects faults. Ids: `m1`, `u1`, `p1`. */
import type { Channel, ChannelLimits } from "../bridge/messages/Channel.ts"
import type { Conversation } from "../bridge/messages/Conversation.ts"
import { ChannelError } from "../bridge/messages/SendError.ts"
import { makeAttempts, type ScriptedCall } from "./channels/attempt.ts"
import { makeBoard, makePlaces, type ShownMessage } from "./channels/board.ts"
import { type Acknowledgement, makeChannel, type ScriptedLack } from "./channels/methods.ts"
import { makePeople, type Place, type ScriptedPeople } from "./channels/people.ts"
import { makeFaults, makePacing, type ScriptedFault, type ScriptedMethod, type Violation } from "./channels/rules.ts"
import { makeSignal, makeUpdates, type Signal } from "./channels/updates.ts"

export interface ScriptedChannelOptions {
  /** Default: `scripted`. */
  readonly id?: string
  /** Default: `bot`. */
  readonly accountId?: string
  /** Default: 4,096 UTF-16 units, 8 buttons with 64 units and 64 bytes, no pace. */
  readonly limits?: Partial<ChannelLimits>
  /** Default: nothing. */
  readonly lacks?: ReadonlyArray<ScriptedLack>
}

export type { Acknowledgement, ScriptedLack }

/** A channel for tests, and what its people do and see. */
export interface ScriptedChannel extends ScriptedPeople {
  readonly channel: Channel
  /** Messages of a chat or thread as a person sees them, in order. */
  readonly chat: (id: string, thread?: string) => ReadonlyArray<ShownMessage>
  /** The next calls of a method fail, each once, before later ones. */
  readonly fail: (method: ScriptedMethod, fault: ScriptedFault, times?: number) => void
  /** The channel ends with a `ChannelError`. */
  readonly end: (problem: string) => void
  /** All calls, in their order. */
  readonly calls: () => ReadonlyArray<ScriptedCall>
  /** Calls that were refused for breaking a rule of the platform, and calls that must never happen. */
  readonly violations: () => ReadonlyArray<Violation>
  readonly acknowledgements: () => ReadonlyArray<Acknowledgement>
  /** Number of confirmed updates. */
  readonly confirmed: () => number
  /** Number of readers of `incoming`. */
  readonly listeners: () => number
  /** Waits, without a clock, until a look at the channel gives something. */
  readonly until: Signal["until"]
}

const defaultLimits: ChannelLimits = {
  text: 4_096,
  buttons: { most: 8, label: 64, data: 64 },
  pace: {},
  uploadBytes: 50_000_000,
  downloadBytes: 20_000_000
}

const noButtons = { most: 0, label: 0, data: 0 }
const make = (options: ScriptedChannelOptions = {}): ScriptedChannel => {
  const { id = "scripted", accountId = "bot", lacks = [] } = options
  const has = (what: ScriptedLack) => !lacks.includes(what)
  const input = { ...defaultLimits, ...options.limits }
  const limits = has("buttons") ? input : { ...input, buttons: noButtons }
  const signal = makeSignal()
  const faults = makeFaults()
  const places = makePlaces()
  const board = makeBoard()
  const acknowledgements: Array<Acknowledgement> = []
  const attempts = makeAttempts({ signal, faults, pacing: makePacing(limits), places })
  const updates = makeUpdates({ signal, hasConfirmation: has("confirmation"), violate: attempts.violate })
  const conversationOf = ({ chat: chatId, thread }: Place): Conversation => ({
    channel: id,
    accountId,
    chatId,
    ...(thread === undefined ? {} : { threadId: thread })
  })
  const { people, download } = makePeople({ board, updates, places, conversationOf })
  const facts = { id, accountId, limits, has, acknowledgements }
  return {
    ...people,
    channel: makeChannel({ ...facts, attempts, places, board, updates, download }),
    chat: (chat, thread) => board.in(conversationOf({ chat, ...(thread === undefined ? {} : { thread }) })),
    fail: (method, fault, times = 1) => faults.add(method, fault, times),
    end: (problem) => updates.end(new ChannelError({ channel: id, accountId, problem })),
    calls: () => [...attempts.calls],
    violations: () => [...attempts.violations],
    acknowledgements: () => [...acknowledgements],
    confirmed: updates.confirmed,
    listeners: updates.listeners,
    until: signal.until
  }
}

/** `ScriptedChannel.make()`: its `channel` is served by a bridge, the rest is what its people do and see. */
export const ScriptedChannel = { make }
