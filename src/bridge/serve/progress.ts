/** The progress message of a turn on a channel: beside the answer, never turned into it, and marked after a restart. */
import { Effect, Exit, Option, Schema, Scope } from "effect"
import type { AccountJournal } from "../journal/Journal.ts"
import { MessageRef } from "../messages/ReplyPayload.ts"
import { keepProgress, type ProgressMessage } from "../progress/keepProgress.ts"
import { type ProgressMode, renderInterrupted } from "../progress/render.ts"
import { type Direct, patiently } from "./direct.ts"
import type { PressReader } from "./presses.ts"
import type { Turn } from "./turns.ts"

/** `last`: what it says at the end, where the turn is over. */
const Mark = Schema.fromJsonString(
  Schema.Struct({ ref: MessageRef, agent: Schema.String, last: Schema.optional(Schema.String) })
)
const decodeMark = Schema.decodeUnknownOption(Mark)
const encodeMark = Schema.encodeSync(Mark)

const prefix = "progress:"
/** Of *Stop*, by the turn that it is for. */
export const stopData = (turnId: string) => `x:${turnId.slice("bridge-".length)}`

/** After the turn, for the last edit. */
const patience = "1 minute"

export interface TurnProgress extends Pick<ProgressMessage, "push"> {
  /** The turn is over: does not wait for the channel. With the line by which its session goes on, if there is one. */
  readonly end: (resumeLine: string | undefined) => Effect.Effect<void>
}

export const makeTurnProgress = Effect.fnUntraced(function* (
  { show, update, edit, remove }: Direct,
  { marks }: Pick<AccountJournal, "marks">,
  modeOf: (conversation: Turn["conversation"]) => ProgressMode,
  hasButtons: boolean
) {
  const scope = yield* Effect.scope
  /** Of turns under way. */
  const messages = new Map<string, MessageRef>()
  /** What a host that comes after this one shall say there. */
  const marked = (name: string, mark: typeof Mark.Type) => Effect.ignore(marks.set(name, encodeMark(mark)))
  const forget = (name: string) =>
    Effect.catch(marks.set(name, undefined), (error) =>
      Effect.logWarning(`a progress message may be marked again: ${error.message}`)
    )

  /** Those of a host that was killed say so, but for those of turns that were over. */
  const afterRestart = Effect.gen(function* () {
    for (const { name, value } of yield* marks.all(prefix)) {
      const mark = Option.getOrUndefined(decodeMark(value))
      if (mark !== undefined && edit !== undefined) {
        const { ref, agent, last } = mark
        const payload = last === undefined ? renderInterrupted(agent, {}) : { text: last, silent: true }
        yield* Effect.forkIn(patiently(edit("progress", ref, payload)), scope)
      }
      yield* forget(name)
    }
  })

  const begin = Effect.fnUntraced(function* (
    { turnId, conversation, message, isRetold }: Turn,
    agent: string
  ): Effect.fn.Return<TurnProgress> {
    const own = yield* Scope.fork(scope)
    const name = `${prefix}${turnId}`
    let last: string | undefined
    const progress = yield* Scope.provide(
      keepProgress<MessageRef>({
        cli: agent,
        chat: message.chat,
        mode: modeOf(conversation),
        isRetold,
        door: {
          show: (payload) => show(conversation, payload, `${turnId}/progress/${crypto.randomUUID()}`),
          ...(update === undefined ? {} : { edit: update }),
          ...(remove === undefined ? {} : { remove })
        },
        facts: () => (hasButtons ? { stop: { label: "Stop", data: stopData(turnId) } } : {}),
        onShown: (ref) => {
          messages.set(turnId, ref)
          return marked(name, { ref, agent, last })
        }
      }),
      own
    )
    const closed = Effect.timeoutOption(progress.finished, patience).pipe(
      Effect.tap(() => Effect.sync(() => messages.delete(turnId))),
      Effect.andThen(forget(name)),
      Effect.andThen(Scope.close(own, Exit.void))
    )
    return {
      push: progress.push,
      end: Effect.fnUntraced(function* (resumeLine) {
        last = (yield* progress.finish(resumeLine))?.text
        const ref = messages.get(turnId)
        if (ref !== undefined) yield* marked(name, { ref, agent, last })
        yield* Effect.forkIn(closed, scope)
      })
    }
  })
  return {
    afterRestart,
    begin,
    /** It is the message that shows this turn. */
    isOf: (messageId: string, turnId: string) => messages.get(turnId)?.messageId === messageId
  }
})

/** *Stop*, below the progress message: of its own turn alone. */
export const stopPresses =
  (
    turnOf: (conversation: Turn["conversation"]) => { readonly id: string } | undefined,
    stop: (conversation: Turn["conversation"]) => Effect.Effect<boolean>
  ): PressReader =>
  ({ data, conversation }) => {
    if (!data.startsWith("x:")) return undefined
    const turn = turnOf(conversation)
    if (turn === undefined || stopData(turn.id) !== data) return Effect.succeed("This is over.")
    return Effect.map(stop(conversation), (isStopped) => (isStopped ? "Stopped." : "This is over."))
  }
