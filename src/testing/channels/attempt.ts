/** One call of a method: recorded, with its fault, or with the platform's refusal. */
import { Clock, Effect, Exit } from "effect"
import type { Conversation } from "../../bridge/messages/Conversation.ts"
import { SendError, type SendReason } from "../../bridge/messages/SendError.ts"
import type { Places } from "./board.ts"
import type { Broken, makeFaults, makePacing, ScriptedMethod, Violation } from "./rules.ts"
import type { Signal } from "./updates.ts"

export interface ScriptedCall {
  readonly method: ScriptedMethod
  /** In ms since 1970. */
  readonly at: number
  readonly conversation?: Conversation
  /** `open`: not answered yet; otherwise the outcome, or the tag of a reason. */
  readonly outcome: "open" | "done" | "interrupted" | SendReason["_tag"]
}

type Attempt = Pick<ScriptedCall, "method" | "conversation">

interface AttemptOptions {
  readonly signal: Signal
  readonly faults: ReturnType<typeof makeFaults>
  readonly pacing: ReturnType<typeof makePacing>
  readonly places: Places
}

const fail = (reason: SendReason) => Effect.fail(new SendError({ reason }))

export const makeAttempts = ({ signal, faults, pacing, places }: AttemptOptions) => {
  const calls: Array<ScriptedCall> = []
  const violations: Array<Violation> = []
  const violate = (broken: Broken) =>
    Effect.map(Clock.currentTimeMillis, (at) => {
      violations.push({ rule: broken.rule, detail: broken.detail, at })
    })

  /** Checks windows and budgets; `find` and `download` only read, and acknowledgements are not paced. */
  const paced = Effect.fnUntraced(function* ({ method, conversation }: Attempt) {
    if (conversation === undefined || (method !== "send" && method !== "edit" && method !== "remove")) return
    const { chatId } = conversation
    const write = { method, chatId, isGroup: places.kindOf(chatId) === "group" }
    const refusal = pacing.refusal(write, yield* Clock.currentTimeMillis)
    if (refusal === undefined) return
    yield* violate(refusal)
    return yield* fail(refusal.reason)
  })

  const faulty = <A>({ method, conversation }: Attempt, work: Effect.Effect<A, SendError>) =>
    Effect.suspend((): Effect.Effect<A, SendError> => {
      const fault = faults.take(method)
      if (fault === undefined) return work
      if (fault === "hang") return Effect.never
      if (fault === "cutBefore") return fail({ _tag: "Unknown" })
      if (fault === "cutAfter") return Effect.andThen(Effect.exit(work), fail({ _tag: "Unknown" }))
      if (fault._tag !== "TooFast" || conversation === undefined) return fail(fault)
      return Effect.flatMap(Clock.currentTimeMillis, (now) => {
        pacing.forbid(fault, conversation.chatId, now)
        return fail(fault)
      })
    })

  const outcomeOf = (exit: Exit.Exit<unknown, SendError>): ScriptedCall["outcome"] => {
    if (Exit.isSuccess(exit)) return "done"
    const failure = exit.cause.reasons.find((reason) => reason._tag === "Fail")
    return failure === undefined ? "interrupted" : failure.error.reason._tag
  }

  const attempt = <A>(what: Attempt, work: Effect.Effect<A, SendError>): Effect.Effect<A, SendError> =>
    Effect.flatMap(Clock.currentTimeMillis, (at) => {
      const index = calls.push({ ...what, at, outcome: "open" }) - 1
      const settle = (exit: Exit.Exit<unknown, SendError>) =>
        Effect.sync(() => {
          calls[index] = { ...what, at, outcome: outcomeOf(exit) }
          signal.notify()
        })
      const notify = Effect.sync(signal.notify)
      return Effect.onExit(Effect.andThen(Effect.andThen(notify, paced(what)), faulty(what, work)), settle)
    })

  return { attempt, violate, calls, violations }
}
