/** One turn, asked of its home and followed to its end. Whoever leaves it, or aborts it, has it stopped there. */
import { Effect, Predicate, Result, Schedule } from "effect"
import { outputForm } from "../agents/answers/outputForm.ts"
import { aborted } from "../agents/engine/endings.ts"
import { resultOfNothing } from "../agents/engine/result.ts"
import { Aborted, type FailureReason, InvalidParams, SessionBusy } from "../contract/AgentError.ts"
import type { AgentEvent } from "../contract/AgentEvent.ts"
import type { StoreError } from "../contract/StoreError.ts"
import type { End } from "../contract/withoutSecrets.ts"
import type { OpenStore } from "../conversations/store/OpenStore.ts"
import { type KeyParts, keyText, subjectName } from "../conversations/turns/conversationKey.ts"
import { turnDigest } from "../conversations/turns/turnDigest.ts"
import { openTurns } from "../conversations/turns/turnRows.ts"
import { version } from "../system/process/version.ts"
import type { Asked } from "./asked.ts"
import { askTurn, moving } from "./askTurn.ts"
import { loadAttachments } from "./attachments.ts"
import { followTurn } from "./followTurn.ts"
import { wantStopped } from "./queue.ts"
import type { Place, Reach } from "./reach.ts"

export interface ClusterContext {
  readonly store: OpenStore
  readonly cli: string
  readonly reach: Reach
}

export interface TurnOfHome {
  readonly turnId: string | undefined
  readonly key: KeyParts | undefined
  readonly prompt: unknown
  readonly attachments: unknown
  readonly asked: Omit<Asked, "attachments" | "attempt">
  readonly isPatient: boolean
  readonly signal: AbortSignal | undefined
}

/** At a session that is on its way to another home: for a minute. */
const looks = Schedule.spaced("500 millis")

/** For a home to stop what is not wanted any more. */
const stopTime = "30 seconds"

const placeOf = (cli: string, key: KeyParts | undefined, turnId: string, home: Place["home"]): Place => ({
  home,
  cli,
  conversation: key === undefined ? turnId : keyText(key)
})

const endOfAbort: End = (() => {
  const failure = new Aborted()
  return { result: resultOfNothing(failure), failure, hadOutput: false }
})()

/** `placed` is told where it is. `tell` gets its events, without those of its end. */
export const askHome = (
  { store, cli, reach }: ClusterContext,
  turn: TurnOfHome,
  tell: (event: AgentEvent) => void,
  placed: (place: Place, turnId: string) => void = () => {}
): Effect.Effect<End, FailureReason | StoreError> =>
  Effect.gen(function* () {
    const { key, prompt, asked, signal } = turn
    if (typeof prompt !== "string")
      return yield* new InvalidParams({
        option: "prompt",
        problem: prompt === undefined ? "is missing" : "is not a text"
      })
    if (signal?.aborted === true) return endOfAbort
    const attachments = yield* loadAttachments(turn.attachments)
    if (!turn.isPatient && key !== undefined && (yield* openTurns(store, keyText(key))).length > 0)
      return yield* new SessionBusy({ what: "conversation", subject: subjectName(key), waitedMs: 0 })
    const turnId = turn.turnId ?? crypto.randomUUID()
    const digest = turnDigest(key, { prompt, attachments })
    const full = { ...asked, attachments: [], attempt: 0 }
    const question = { turnId, key, cli, prompt, digest, asked: full, attachments, version }
    const found = yield* Effect.retry(askTurn(store, question), {
      while: (error) => error === moving,
      schedule: looks,
      times: 120
    })
    if (found._tag === "Over") return found.end
    const place = placeOf(cli, key, turnId, found.home)
    placed(place, turnId)
    const stop = Effect.andThen(
      Effect.ignore(wantStopped(store, turnId)),
      Effect.ignore(Effect.timeoutOption(reach.interrupt(place, turnId), "2 seconds"))
    )
    yield* Effect.forkChild(reach.wake(place, turnId, found.attempt))
    const { isFollowed, onInterrupted } = asked
    const following = followTurn(
      store,
      { turnId, home: found.home, isFollowed, wantsAgain: onInterrupted !== "fail" },
      tell
    )
    const stopping =
      signal === undefined
        ? Effect.never
        : Effect.andThen(aborted(signal), Effect.andThen(stop, Effect.as(Effect.sleep(stopTime), endOfAbort)))
    return yield* Effect.onInterrupt(Effect.raceFirst(following, stopping), () => stop)
  })

/** A schema of a library makes its own value of the answer's JSON. */
export const withOutput = ({ result, ...end }: End, outputSchema: unknown): End => {
  if (outputSchema === undefined || result.structuredOutput === undefined) return { result, ...end }
  const form = outputForm(outputSchema)
  const output = Result.isSuccess(form) ? form.success.read(result.structuredOutput) : undefined
  return {
    ...end,
    result: {
      ...result,
      structuredOutput: output !== undefined && Result.isSuccess(output) ? output.success : result.structuredOutput
    }
  }
}

export const isSignal = (given: unknown): given is AbortSignal => given instanceof AbortSignal

export const schemaIn = (params: unknown): unknown =>
  Predicate.hasProperty(params, "outputSchema") ? params.outputSchema : undefined
