/**
 * The progress message of a turn on a channel: separate from the answer, and updated after a restart. In mode `draft` it is
 * a draft instead, which needs neither an end nor a mark for a later host.
 */
import { createHash } from "node:crypto"
import { Context, Effect, Exit, Latch, Layer, Option, Schema, Scope } from "effect"
import { untraced } from "../../contract/untraced.ts"
import type { AccountJournal } from "../journal/Journal.ts"
import { MessageRef } from "../messages/ReplyPayload.ts"
import { keepProgress, type ProgressMessage } from "../progress/keepProgress.ts"
import { leftOver, type ProgressMode, renderInterrupted } from "../progress/render.ts"
import type { ProgressTransport } from "../progress/writer.ts"
import { texts } from "../texts.ts"
import { Account, Bridge } from "./account.ts"
import { defaultsOf } from "./chatMemory.ts"
import { Direct, patiently } from "./direct.ts"
import { over, type PressReader } from "./pressReader.ts"
import { isOverSoon, RunningTurns, type Turn, TurnInterrupts } from "./runningTurns.ts"

/** Stored for a later host. `last`: the final text, once the turn is over. */
const Mark = Schema.fromJsonString(
  Schema.Struct({ ref: MessageRef, agent: Schema.String, last: Schema.optional(Schema.String) })
)
const decodeMark = Schema.decodeUnknownOption(Mark)
const encodeMark = Schema.encodeSync(Mark)

const prefix = "progress:"
export const stopData = (turnId: string) => `x:${turnId.slice("bridge-".length)}`
const turnOfStop = (data: string) => `bridge-${data.slice("x:".length)}`

/** The same in each host. 0 is not an id of Telegram. */
export const draftIdOf = (turnId: string): number =>
  createHash("sha256").update(turnId).digest().readUInt32BE() & 0x7fff_ffff || 1

/** Longest time for the last edit. */
const longestEdit = "1 minute"
/** Longest wait for the last draft. */
const longestDraft = "2 seconds"

/** Drafts of a turn. `settled` completes when none is on its way. */
const draftsOf = (
  draft: NonNullable<Direct["Service"]["draft"]>,
  turnId: string,
  conversation: Turn["conversation"]
) => {
  const idle = Latch.makeUnsafe(true)
  const draftId = draftIdOf(turnId)
  const show: NonNullable<ProgressTransport<MessageRef>["draft"]> = (payload) => {
    const call = draft(conversation, draftId, () => {
      const content = payload()
      if (content !== undefined) idle.closeUnsafe()
      return content
    })
    return Effect.ensuring(call, idle.open)
  }
  return { show, settled: idle.await }
}

interface TurnProgressMessage extends Pick<ProgressMessage, "push" | "stopping"> {
  /**
   * Ends the message, with the line that resumes the session, if there is one; drafts just end. Does not wait for the
   * channel, except for a draft that is on its way.
   */
  readonly end: (resumeLine: string | undefined) => Effect.Effect<void>
}

export const makeTurnProgress = Effect.fn(...untraced("TurnProgress.makeTurnProgress"))(function* (
  { show, update, edit, remove, draft }: Direct["Service"],
  { marks }: Pick<AccountJournal, "marks">,
  modeOf: (conversation: Turn["conversation"]) => ProgressMode | undefined,
  hasButtons: boolean
) {
  const scope = yield* Effect.scope
  const messages = new Map<string, MessageRef>()
  /** Stores the text that a later host shows in the message. */
  const store = (name: string, mark: typeof Mark.Type) => Effect.ignore(marks.set(name, encodeMark(mark)))
  const forget = (name: string) =>
    Effect.catch(marks.set(name, undefined), (error) =>
      Effect.logWarning(`a progress message may be updated once more: ${error.message}`)
    )

  const forgetIf = (name: string, value: string) =>
    Effect.ignore(Effect.flatMap(marks.get(name), (now) => (now === value ? forget(name) : Effect.void)))

  /** Updates the progress messages of a killed host: to their final text, or as interrupted. */
  const afterRestart = Effect.gen(function* () {
    for (const { name, value } of yield* marks.all(prefix)) {
      const mark = Option.getOrUndefined(decodeMark(value))
      if (mark !== undefined && edit !== undefined) {
        const { ref, agent, last } = mark
        const payload = last === undefined ? renderInterrupted(agent, {}) : { text: last, silent: true }
        // Not before: this host may end before the edit, too. By then the turn may have another message.
        const edited = Effect.andThen(patiently(edit("progress", ref, payload)), forgetIf(name, value))
        yield* Effect.forkIn(edited, scope)
      } else yield* forget(name)
    }
  })

  const otherwise = edit === undefined ? "off" : "edit"

  const begin = Effect.fn(...untraced("TurnProgress.begin"))(function* (
    { turnId, conversation, message, isRecovered }: Turn,
    agent: string
  ): Effect.fn.Return<TurnProgressMessage> {
    const own = yield* Scope.fork(scope)
    const name = `${prefix}${turnId}`
    let last: string | undefined
    const onShown = (ref: MessageRef) => {
      messages.set(turnId, ref)
      return store(name, { ref, agent, last })
    }
    const mode = modeOf(conversation) ?? otherwise
    const drafts =
      mode === "draft" && message.chat === "direct" && draft !== undefined
        ? draftsOf(draft, turnId, conversation)
        : undefined
    const progress = yield* Scope.provide(
      keepProgress<MessageRef>({
        cli: agent,
        chat: message.chat,
        mode: mode !== "draft" ? mode : drafts === undefined ? otherwise : "edit",
        isRecovered,
        transport: {
          show: (payload) => show(conversation, payload, `${turnId}/progress/${crypto.randomUUID()}`, onShown),
          ...(update === undefined ? {} : { edit: update }),
          ...(remove === undefined ? {} : { remove }),
          ...(drafts === undefined ? {} : { draft: drafts.show })
        },
        facts: () => (hasButtons ? { stop: { label: "Stop", data: stopData(turnId) } } : {})
      }),
      own
    )
    const closed = Effect.timeoutOption(progress.finished, longestEdit).pipe(
      Effect.tap(() => Effect.sync(() => messages.delete(turnId))),
      Effect.andThen(forget(name)),
      Effect.andThen(Scope.close(own, Exit.void))
    )
    return {
      push: progress.push,
      stopping: progress.stopping,
      end: Effect.fn(...untraced("TurnProgress.end"))(function* (resumeLine) {
        last = (yield* progress.finish(resumeLine))?.text
        const ref = messages.get(turnId)
        if (ref !== undefined) yield* store(name, { ref, agent, last })
        // A draft that arrives after the answer would stay below it.
        if (drafts !== undefined) yield* Effect.timeoutOption(drafts.settled, longestDraft)
        yield* Effect.forkIn(closed, scope)
      })
    }
  })
  return {
    afterRestart,
    begin,
    /** Whether the message is the progress message of the turn. */
    isOf: (messageId: string, turnId: string) => messages.get(turnId)?.messageId === messageId
  }
})

export class TurnProgress extends Context.Service<
  TurnProgress,
  Omit<Effect.Success<ReturnType<typeof makeTurnProgress>>, "afterRestart">
>()("reins/bridge/TurnProgress") {
  /** Updates the messages that a killed host has left. */
  static readonly layer = Layer.effect(
    TurnProgress,
    Effect.gen(function* () {
      const { options } = yield* Bridge
      const { channel, journal, hasButtons } = yield* Account
      const modeOf = (conversation: Turn["conversation"]) =>
        channel.watch === undefined ? (defaultsOf(options, conversation)?.progress ?? options.progress) : "off"
      const progress = yield* makeTurnProgress(yield* Direct, journal, modeOf, hasButtons)
      yield* progress.afterRestart
      return progress
    })
  )
}

/** The *Stop* button below a progress message: it stops only that turn. */
export const stopPresses = Effect.gen(function* () {
  const turns = yield* RunningTurns
  const { interrupt } = yield* TurnInterrupts
  const { journal, inBackground } = yield* Account
  const { edit } = yield* Direct
  const progress = yield* TurnProgress
  /** A message of a killed host that was not noted. A press may be forged: answers stay as they are. */
  const withoutButton = (ref: MessageRef) =>
    Effect.flatMap(journal.outbox.ofMessage(ref.conversation, ref.messageId), (row) =>
      row === undefined && edit !== undefined
        ? inBackground(patiently(edit("progress", ref, { text: leftOver, silent: true })))
        : Effect.void
    )
  const press: PressReader = ({ data, conversation, messageId }) => {
    if (!data.startsWith("x:")) return undefined
    const turn = turns.of(conversation)
    if (turn === undefined && messageId !== undefined && !progress.isOf(messageId, turnOfStop(data))) {
      return Effect.as(withoutButton({ conversation, messageId }), over)
    }
    if (turn === undefined || stopData(turn.id) !== data) return Effect.succeed(over)
    return Effect.flatMap(interrupt(conversation), (end) =>
      end === undefined
        ? Effect.succeed(over)
        : Effect.map(isOverSoon(end), (isOver) => (isOver ? texts.stopped : texts.stopping))
    )
  }
  return press
})
