/**
 * One step of a conversation: what was taken before goes first, since its host may have died; then what waits, collected.
 * A turn's messages are done in the transaction that puts its answer into the outbox. Until then the same turn is asked
 * again, which runs nothing twice.
 */
import { Clock, Effect } from "effect"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import { piecesOf } from "../../delivery/payloadPieces.ts"
import { addedTo, type InboxRow } from "../../journal/inbox.ts"
import type { AccountJournal } from "../../journal/Journal.ts"
import type { Channel } from "../../messages/Channel.ts"
import type { ChannelMessage } from "../../messages/ChannelMessage.ts"
import type { Conversation } from "../../messages/Conversation.ts"
import type { ReplyPayload } from "../../messages/ReplyPayload.ts"
import type { OnInterrupted } from "../../types/Sessions.ts"
import { parseCommand } from "../commands/parse.ts"
import { collect, groupsOf } from "../intake/collect.ts"
import { merged } from "../intake/merged.ts"
import type { Core } from "../turn/core.ts"
import { type Outcome, payloadsOf } from "../turn/outcome.ts"
import { promptOf } from "../turn/prompt.ts"
import { turnIdOf } from "../turn/turnId.ts"
import type { Files } from "./files.ts"
import { interruptedPayload } from "./interrupted.ts"
import type { Look } from "./lanes.ts"
import type { JournalFailure, Voice } from "./voice.ts"

export interface Turn {
  readonly turnId: string
  readonly conversation: Conversation
  /** All of its messages as one. */
  readonly message: ChannelMessage
  readonly updateIds: ReadonlyArray<string>
  /** A host before this one had taken its messages, and nobody has said that it shall begin again. */
  readonly isRetold: boolean
  /** The agent of this turn alone. */
  readonly once: string | undefined
}

/** Of one turn, from its beginning to its end. */
export interface TurnWatch {
  readonly push: (event: AgentEvent) => Effect.Effect<void>
  /** What is said of it, in place of `payloads`. */
  readonly end: (outcome: Outcome, payloads: ReadonlyArray<ReplyPayload>) => Effect.Effect<ReadonlyArray<ReplyPayload>>
}

export interface TurnsOptions {
  readonly journal: Pick<AccountJournal, "inbox">
  readonly core: Pick<Core, "ask">
  readonly voice: Voice
  readonly channel: Pick<Channel, "render">
  readonly files: Pick<Files, "receive" | "write">
  /** What one message of the channel takes. */
  readonly limit: number
  /** The channel has enough buttons for a question. */
  readonly hasButtons: boolean
  /** Names that a message may begin with: `/codex look at this`. */
  readonly agents: ReadonlyArray<string>
  /** `collect`: all that waits is one turn. */
  readonly isCollecting: () => boolean
  /** What people have said of turns that were interrupted. */
  readonly wanted: Map<string, OnInterrupted>
  readonly onInterrupted: OnInterrupted
  /** Nothing new is begun. */
  readonly isPaused: () => boolean
  /** They wait no longer. */
  readonly onTaken: (conversation: string, updateIds: ReadonlyArray<string>) => Effect.Effect<void>
  readonly watch: (turn: Turn) => Effect.Effect<TurnWatch>
}

/** Its end wakes whatever waits. */
const pauseMs = 60_000

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

export const makeTurns = (options: TurnsOptions) => {
  const { journal, core, voice, channel, files, limit, agents, hasButtons, isCollecting, wanted, watch } = options
  const { isPaused, onTaken } = options
  const { inbox } = journal

  /** Of a message that names its agent: the agent, and the rest. */
  const named = (message: ChannelMessage) => {
    const parsed = parseCommand(message, { role: "owner", accounts: [], agents, directories: [] })
    const command = parsed._tag === "Given" ? parsed.command : undefined
    return command?._tag === "Once" ? command : undefined
  }

  const run = Effect.fnUntraced(function* (turnId: string, rows: Parameters<typeof messagesOf>[0], wasTaken: boolean) {
    const messages = messagesOf(rows, limit)
    const [message, ...others] = messages
    const { conversation } = message
    const once = others.length === 0 ? named(message) : undefined
    const { paths, images, told } = yield* files.receive(turnId, messages)
    if (told.length > 0) yield* voice.say(conversation, { text: told.join("\n") }, `${turnId}/files`)
    const prompt = promptOf(once === undefined ? messages : [{ ...message, text: once.text }], paths)
    const updateIds = rows.map(({ updateId }) => updateId)
    const isRetold = wasTaken && !wanted.has(turnId)
    const { push, end } = yield* watch({ turnId, conversation, message, updateIds, isRetold, once: once?.agent })
    const onInterrupted = wanted.get(turnId) ?? options.onInterrupted
    const outcome = yield* core.ask(
      { conversation, turnId, prompt, attachments: images, onInterrupted, agent: once?.agent },
      push
    )
    wanted.delete(turnId)
    const isLost = outcome.failure?.code === "turn_interrupted"
    // Whoever stopped it knows.
    const isStopped = outcome.failure?.category === "aborted"
    const payloads = payloadsOf(outcome).filter(({ isError }) => !(isStopped && isError === true))
    const ended = yield* end(outcome, payloads)
    const pieces = isLost
      ? // It can be asked anew, each time that it is interrupted.
        voice.pieces(conversation, interruptedPayload(turnId, hasButtons), {
          key: `${turnId}/${crypto.randomUUID()}`,
          kind: "answer",
          turnId
        })
      : yield* piecesOf({ channel, conversation, turnId, write: files.write }, ended)
    yield* inbox.finish(turnId, pieces, isLost)
    yield* voice.wake
  })

  /** Of the messages that were taken, those of the first turn. */
  const takenFirst = (rows: ReadonlyArray<InboxRow>) => {
    const taken = rows.find(({ state, turnId }) => state === "taken" && turnId !== undefined)
    return taken?.turnId
  }

  return Effect.fnUntraced(function* (conversation: string): Effect.fn.Return<Look, JournalFailure> {
    const rows = yield* inbox.openIn(conversation)
    const before = takenFirst(rows)
    if (before !== undefined) {
      const [first, ...others] = rows.filter(isOf(before))
      // Added to a turn that is over: its agent has seen it.
      if (first === undefined || before.endsWith(addedTo(""))) yield* inbox.finish(before, [])
      else yield* run(before, [first, ...others], true)
      return { _tag: "Again" }
    }
    if (rows.length === 0) return { _tag: "Empty" }
    if (isPaused()) return { _tag: "Wait", ms: pauseMs }
    const now = yield* Clock.currentTimeMillis
    const { ready, waitUntil } = collect(rows, now, { limit })
    const [next, ...later] = ready
    if (next === undefined) return { _tag: "Wait", ms: Math.max(1, (waitUntil ?? now) - now) }
    const [first, ...others] = next.rows
    // In the order in which they are found again after a restart.
    const behind = [...others, ...(isCollecting() ? later : []).flatMap((each) => each.rows)].sort(
      (a, b) => a.seq - b.seq
    )
    const turnId = turnIdOf(first.message)
    const updateIds = [first, ...behind].map(({ updateId }) => updateId)
    if (yield* inbox.take(updateIds, turnId)) {
      yield* onTaken(conversation, updateIds)
      yield* run(turnId, [first, ...behind], false)
    }
    return { _tag: "Again" }
  })
}
