/** The progress message of a turn on a channel: beside the answer, never turned into it, and marked after a restart. */
import { Effect, Exit, Option, Schema, Scope } from "effect"
import type { AccountJournal } from "../../journal/Journal.ts"
import { MessageRef } from "../../messages/ReplyPayload.ts"
import { keepProgress, type ProgressMessage } from "../progress/keepProgress.ts"
import { type ProgressMode, renderInterrupted } from "../progress/render.ts"
import { type Direct, patiently } from "./direct.ts"
import type { PressReader } from "./presses.ts"
import type { Turn } from "./turns.ts"

const Mark = Schema.fromJsonString(Schema.Struct({ ref: MessageRef, agent: Schema.String }))
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
  const messages = new Map<string, string>()
  const forget = (name: string) =>
    Effect.catch(marks.set(name, undefined), (error) =>
      Effect.logWarning(`a progress message may be marked again: ${error.message}`)
    )

  /** Those of a host that was killed say so. */
  const afterRestart = Effect.gen(function* () {
    for (const { name, value } of yield* marks.all(prefix)) {
      const mark = Option.getOrUndefined(decodeMark(value))
      if (mark !== undefined && edit !== undefined) {
        yield* Effect.forkIn(patiently(edit("progress", mark.ref, renderInterrupted(mark.agent, {}))), scope)
      }
      yield* forget(name)
    }
  })

  const begin = Effect.fnUntraced(function* (
    { turnId, conversation, message }: Turn,
    agent: string
  ): Effect.fn.Return<TurnProgress> {
    const own = yield* Scope.fork(scope)
    const name = `${prefix}${turnId}`
    const progress = yield* Scope.provide(
      keepProgress<MessageRef>({
        cli: agent,
        chat: message.chat,
        mode: modeOf(conversation),
        door: {
          show: (payload) => show(conversation, payload, `${turnId}/progress/${crypto.randomUUID()}`),
          ...(update === undefined ? {} : { edit: update }),
          ...(remove === undefined ? {} : { remove })
        },
        facts: () => (hasButtons ? { stop: { label: "Stop", data: stopData(turnId) } } : {}),
        onShown: (ref) => {
          messages.set(turnId, ref.messageId)
          return Effect.ignore(marks.set(name, encodeMark({ ref, agent })))
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
      end: (resumeLine) => Effect.andThen(progress.finish(resumeLine), Effect.asVoid(Effect.forkIn(closed, scope)))
    }
  })
  return {
    afterRestart,
    begin,
    /** It is the message that shows this turn. */
    isOf: (messageId: string, turnId: string) => messages.get(turnId) === messageId
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
