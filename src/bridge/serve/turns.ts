/**
 * One step of a conversation: what was taken before goes first, since its host may have died; then what waits, collected.
 * A turn's messages are done in the transaction that puts its answer into the outbox. Until then the same turn is asked
 * again, which runs nothing twice.
 */
import { Clock, Effect, Exit } from "effect"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { OnInterrupted } from "../../contract/Sessions.ts"
import type { StoreError } from "../../contract/StoreError.ts"
import type { Role } from "../access/AccessOptions.ts"
import type { Command } from "../commands/command.ts"
import { piecesOf } from "../delivery/payloadPieces.ts"
import { type Collected, collect, groupsOf } from "../intake/collect.ts"
import { merged } from "../intake/merged.ts"
import { addedTo, type InboxRow } from "../journal/inbox.ts"
import type { AccountJournal } from "../journal/Journal.ts"
import type { Channel } from "../messages/Channel.ts"
import type { ChannelMessage } from "../messages/ChannelMessage.ts"
import { type Conversation, conversationText } from "../messages/Conversation.ts"
import { interruptedPayload } from "../messages/interrupted.ts"
import { isScheduled } from "../messages/ownMessages.ts"
import type { ReplyPayload } from "../messages/ReplyPayload.ts"
import type { Core } from "../turn/core.ts"
import { withFooter } from "../turn/footer.ts"
import { type Outcome, payloadsOf } from "../turn/outcome.ts"
import { promptOf } from "../turn/prompt.ts"
import { turnIdOf } from "../turn/turnId.ts"
import type { Claims } from "./claims.ts"
import type { Files } from "./files.ts"
import type { Look } from "./lanes.ts"
import type { Picked } from "./resuming.ts"
import type { Stopping } from "./stopping.ts"
import { surely } from "./surely.ts"
import { leastRole } from "./underWay.ts"
import type { JournalFailure, Voice } from "./voice.ts"

export interface Turn {
  readonly turnId: string
  readonly conversation: Conversation
  /** The first of its messages. */
  readonly message: ChannelMessage
  /** Of each of them, as they stand in the lists now. */
  readonly roles: ReadonlyArray<Role>
  readonly updateIds: ReadonlyArray<string>
  /** A host before this one had taken its messages, and nobody has said that it shall begin again. */
  readonly isRetold: boolean
  /** The agent of this turn alone. */
  readonly once: string | undefined
}

export interface TurnEnd {
  readonly payloads: ReadonlyArray<ReplyPayload>
  /** Below the answer. */
  readonly footer: string | undefined
}

/** Of one turn, from its beginning to its end. */
export interface TurnWatch {
  readonly push: (event: AgentEvent) => Effect.Effect<void>
  /** What is said of it, in place of `payloads`. */
  readonly end: (outcome: Outcome, payloads: ReadonlyArray<ReplyPayload>) => Effect.Effect<TurnEnd>
}

export interface TurnsOptions {
  readonly journal: Pick<AccountJournal, "inbox">
  readonly core: Pick<Core, "ask" | "reopen">
  readonly voice: Voice
  readonly channel: Pick<Channel, "render">
  readonly files: Pick<Files, "receive" | "write">
  /** What one message of the channel takes. */
  readonly limit: number
  /** The channel has enough buttons for a question. */
  readonly hasButtons: boolean
  /** The agent that a message of somebody who may choose it names, and the rest: `/codex look at this`. */
  readonly named: (message: ChannelMessage) => Extract<Command, { readonly _tag: "Once" }> | undefined
  readonly roleOf: (message: ChannelMessage) => Role
  /** A message that names a session goes on with it. */
  readonly pick: (message: ChannelMessage, role: Role) => Effect.Effect<Picked, StoreError>
  /** `collect`: all that waits is one turn. */
  readonly isCollecting: () => boolean
  /** What people have said of turns that were interrupted. */
  readonly wanted: Map<string, OnInterrupted>
  readonly onInterrupted: OnInterrupted
  readonly stoppable: Stopping["stoppable"]
  /** Nothing new is begun. */
  readonly isPaused: () => boolean
  /** They wait no longer. */
  readonly onTaken: (conversation: string, updateIds: ReadonlyArray<string>) => Effect.Effect<void>
  readonly watch: (turn: Turn) => Effect.Effect<TurnWatch>
  readonly claims: Claims
  /** It waits, though no turn of its conversation is under way. */
  readonly onHeld: (message: ChannelMessage) => Effect.Effect<void>
}

const again: Look = { _tag: "Again" }
/** After a failure of the store. */
const whenThere: Look = { _tag: "Wait", ms: 1_000 }

/** Its end wakes whatever waits. */
const pauseMs = 60_000
/** What is collected waits so long for others that are still being written. */
const longestSettling = 5_000

const isOf =
  (turnId: string) =>
  (row: InboxRow): boolean =>
    row.turnId === turnId

/** What belongs together as one message each; the same after a restart. */
const messagesOf = (
  rows: readonly [InboxRow, ...ReadonlyArray<InboxRow>],
  limit: number
): readonly [ChannelMessage, ...ReadonlyArray<ChannelMessage>] => {
  const [first, ...others] = groupsOf(rows).map(([one, ...more]) =>
    merged([one.message, ...more.map(({ message }) => message)], limit)
  )
  return [first ?? rows[0].message, ...others]
}

/** The messages of one turn. `wasTaken`: by a host before this one, or before a question to the people. */
interface Taken {
  readonly turnId: string
  readonly rows: Parameters<typeof messagesOf>[0]
  readonly wasTaken: boolean
}

export const makeTurns = (options: TurnsOptions) => {
  const { journal, core, voice, channel, files, limit, named, hasButtons, isCollecting, wanted, watch } = options
  const { isPaused, onTaken, roleOf, pick, stoppable, claims, onHeld } = options
  const { inbox } = journal

  /** Conversations whose turn has waited for others that write, and since when. */
  const settling = new Map<string, number>()
  /** Turns that this host has begun. */
  const own = new Set<string>()

  const standsAlone = ({ message }: Pick<Collected, "message">) => isScheduled(message) || named(message) !== undefined

  /** What one turn has beside the first that is ready: all that may share it. */
  const sharing = (next: Collected<InboxRow>, later: ReadonlyArray<Collected<InboxRow>>) => {
    if (!isCollecting() || standsAlone(next)) return []
    const end = later.findIndex(standsAlone)
    return (end < 0 ? later : later.slice(0, end)).flatMap(({ rows }) => rows)
  }

  const perform = Effect.fnUntraced(function* (
    { turnId, rows, wasTaken }: Taken,
    messages: ReturnType<typeof messagesOf>,
    signal: AbortSignal,
    over: Effect.Effect<void>
  ) {
    const [given, ...others] = messages
    const { conversation } = given
    const updateIds = rows.map(({ updateId }) => updateId)
    if (!wasTaken) yield* onTaken(conversationText(conversation), updateIds)
    if (!own.has(turnId)) yield* core.reopen(turnId)
    own.add(turnId)
    const roles = messages.map(roleOf)
    const { message, told: ofSession } = yield* pick(given, leastRole(roles))
    if (ofSession !== undefined) yield* voice.say(conversation, { text: ofSession }, `${turnId}/session`)
    // There was nothing but the name of a session.
    if (ofSession !== undefined && others.length === 0 && message.text === "" && message.attachments.length === 0) {
      yield* inbox.finish(turnId, [])
      return again
    }
    const once = others.length === 0 ? named(message) : undefined
    const { paths, images, told } = yield* files.receive(turnId, messages)
    if (told.length > 0) yield* voice.say(conversation, { text: told.join("\n") }, `${turnId}/files`)
    const prompt = promptOf(once === undefined ? [message, ...others] : [{ ...message, text: once.text }], paths)
    const isRetold = wasTaken && !wanted.has(turnId)
    const turn = { turnId, conversation, message, roles, updateIds, isRetold, once: once?.agent }
    const { push, end } = yield* watch(turn)
    const onInterrupted = wanted.get(turnId) ?? options.onInterrupted
    const question = { conversation, turnId, prompt, attachments: images, onInterrupted, agent: once?.agent, signal }
    const outcome = yield* core.ask(question, push)
    yield* over
    // Nothing was begun: it is asked once more when the store may be there again.
    if (outcome.failure?.code === "store_unavailable" && !outcome.hadOutput) {
      yield* end(outcome, [])
      return whenThere
    }
    wanted.delete(turnId)
    const isLost = outcome.failure?.code === "turn_interrupted"
    // Whoever stopped it knows.
    const isStopped = outcome.failure?.category === "aborted"
    const payloads = payloadsOf(outcome).filter(({ isError }) => !(isStopped && isError === true))
    const ended = yield* end(outcome, payloads)
    const { footer } = ended
    const below = footer === undefined ? undefined : (text: string) => withFooter(text, footer)
    const pieces = isLost
      ? // It can be asked anew, each time that it is interrupted.
        voice.pieces(conversation, interruptedPayload(turnId, hasButtons), {
          key: `${turnId}/${crypto.randomUUID()}`,
          kind: "answer",
          turnId
        })
      : yield* piecesOf({ channel, conversation, turnId, write: files.write, footer: below }, ended.payloads)
    // Asked again, the turn would show all once more, in a session of its own.
    yield* surely("the end of a turn", inbox.finish(turnId, pieces, isLost))
    if (!isLost) own.delete(turnId)
    yield* voice.wake
    return again
  })

  const run = (taken: Taken) => {
    const messages = messagesOf(taken.rows, limit)
    return stoppable(messages[0].conversation, (signal, over) => perform(taken, messages, signal, over))
  }

  /** Of the messages that were taken, those of the first turn. */
  const takenFirst = (rows: ReadonlyArray<InboxRow>) => {
    const taken = rows.find(({ state, turnId }) => state === "taken" && turnId !== undefined)
    return taken?.turnId
  }

  /** Undefined: there is a place for a turn. */
  const placeOf = Effect.fnUntraced(function* (conversation: string, rows: ReadonlyArray<InboxRow>) {
    const claim = claims.of(conversation)
    if (claim.isReady()) return undefined
    yield* Effect.forEach(rows, ({ state, message }) => (state === "waiting" ? onHeld(message) : Effect.void), {
      discard: true
    })
    return { _tag: "Wait", ms: pauseMs, until: claim.ready } satisfies Look
  })

  const look = Effect.fnUntraced(function* (conversation: string): Effect.fn.Return<Look, JournalFailure> {
    const rows = yield* inbox.openIn(conversation)
    const before = takenFirst(rows)
    if (before !== undefined) {
      const [first, ...others] = rows.filter(isOf(before))
      // Added to a turn that is over: its agent has seen it.
      if (first !== undefined && !before.endsWith(addedTo(""))) {
        const held = yield* placeOf(conversation, rows)
        return held ?? (yield* run({ turnId: before, rows: [first, ...others], wasTaken: true }))
      }
      yield* inbox.finish(before, [])
      return again
    }
    if (rows.length === 0) return { _tag: "Empty" }
    if (isPaused()) return { _tag: "Wait", ms: pauseMs }
    const now = yield* Clock.currentTimeMillis
    const { ready, waitUntil } = collect(rows, now, { limit })
    const [next, ...later] = ready
    if (next === undefined) return { _tag: "Wait", ms: Math.max(1, (waitUntil ?? now) - now) }
    if (isCollecting() && waitUntil !== undefined && !standsAlone(next)) {
      const since = settling.get(conversation) ?? now
      settling.set(conversation, since)
      if (Math.abs(now - since) < longestSettling) return { _tag: "Wait", ms: Math.max(1, waitUntil - now) }
    }
    settling.delete(conversation)
    const held = yield* placeOf(conversation, rows)
    if (held !== undefined) return held
    const [first, ...others] = next.rows
    // In the order in which they are found again after a restart.
    const behind = [...others, ...sharing(next, later)].sort((a, b) => a.seq - b.seq)
    const turnId = turnIdOf(first.message)
    const updateIds = [first, ...behind].map(({ updateId }) => updateId)
    if (!(yield* inbox.take(updateIds, turnId))) return again
    return yield* run({ turnId, rows: [first, ...behind], wasTaken: false })
  })

  /** A place is kept only while it is waited for. */
  return (conversation: string): Effect.Effect<Look, JournalFailure> =>
    Effect.onExit(look(conversation), (exit) => {
      const isHeld = Exit.isSuccess(exit) && exit.value._tag === "Wait" && exit.value.until !== undefined
      return isHeld ? Effect.void : claims.leave(conversation)
    })
}
