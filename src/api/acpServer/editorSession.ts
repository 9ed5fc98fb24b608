/** A session of the client: its prompts, one after the other, their cancelling, and its mode. */
import { Deferred, Effect, type Scope, Semaphore, Stream } from "effect"
import { internalError, type RpcError } from "../../cli/jsonRpc.ts"
import type { AgentError, FailureReason } from "../../contract/AgentError.ts"
import type { ErrorEvent } from "../../contract/AgentEvent.ts"
import type { PermissionMode } from "../../contract/AgentExecuteParams.ts"
import type { AgentModel } from "../../contract/AgentModels.ts"
import type { AgentRunResult } from "../../contract/AgentRunResult.ts"
import type { AgentSession } from "../../contract/AgentSession.ts"
import { type Chosen, choicesOf, configOptionsOf } from "./choices.ts"
import type { Connection } from "./connection.ts"
import { errorOfFailure, outcomeOf, spentOf, type TurnEnd } from "./failures.ts"
import { type Live, makeLiveSession, type Shows } from "./liveSession.ts"
import type { Prompt } from "./promptOf.ts"

export interface EditorSessionOptions {
  readonly id: string
  readonly connection: Connection
  readonly shows: Shows
  readonly initial: PermissionMode
  /** With which it begins; undefined: the CLI's own. */
  readonly model: string | undefined
  readonly open: (
    chosen: Pick<Chosen, "mode" | "model">
  ) => Effect.Effect<AgentSession, FailureReason | AgentError, Scope.Scope>
}

export interface EditorSession {
  /** Opens what is behind it, so that what is wrong is known at once. */
  readonly opened: Effect.Effect<void, RpcError>
  readonly prompt: (prompt: Prompt) => Effect.Effect<object, RpcError>
  /** Ends the turn that runs, and drops those that wait. */
  readonly cancel: Effect.Effect<void>
  readonly setMode: (mode: PermissionMode) => Effect.Effect<void, RpcError>
  readonly setModel: (model: string) => Effect.Effect<void, RpcError>
  /** The models that can be chosen from now on. */
  readonly offer: (models: ReadonlyArray<AgentModel>) => void
  readonly chosen: () => Chosen
  readonly choices: () => ReturnType<typeof choicesOf>
  readonly tellMode: Effect.Effect<void>
  readonly tellOptions: Effect.Effect<void>
}

/** The one at work included. */
const mostPrompts = 16
/** For a turn that was interrupted to be told to its end. */
const patience = "5 seconds"

const busy: RpcError = {
  code: internalError,
  message: `${mostPrompts} prompts of this session wait already. Wait for their answers, or cancel them.`
}

/** Refused before anything was begun: the events of the session have nothing of it. */
const refusals: ReadonlySet<AgentRunResult["reason"]> = new Set([
  "invalid_params",
  "attachment_refused",
  "unsupported_option"
])

interface Taken extends TurnEnd {
  /** The session had ended before the turn began: its events have nothing of it. */
  readonly isTooLate: boolean
}

const takeTurn = Effect.fnUntraced(function* ({ session, ends, over }: Live, { text, attachments }: Prompt) {
  let result: AgentRunResult | undefined
  let error: ErrorEvent | undefined
  const turn = attachments.length === 0 ? session.turn(text) : session.turn(text, { attachments })
  yield* Stream.runForEach(turn, (event) =>
    Effect.sync(() => {
      if (event.type === "turn_done") result = event.result
      else if (event.type === "error") error = event
    })
  )
  if (result === undefined) return yield* Effect.die(new Error("a turn without its end"))
  if (refusals.has(result.reason)) return { result, error, isTooLate: false } satisfies Taken
  const isTooLate = yield* Effect.raceFirst(
    Effect.as(ends.awaitSent(result), false),
    Effect.as(Deferred.await(over), true)
  )
  return { result, error, isTooLate } satisfies Taken
})

/** Ends with the scope. */
export const makeEditorSession = Effect.fnUntraced(function* (
  options: EditorSessionOptions
): Effect.fn.Return<EditorSession, never, Scope.Scope> {
  const { id, connection, initial } = options
  const turns = Semaphore.makeUnsafe(1)
  const prompts = new Set<Deferred.Deferred<void>>()
  let chosen: Chosen = { initial, mode: initial, model: options.model, models: [] }

  const update = (fields: object) => connection.notify("session/update", { sessionId: id, update: fields })
  const tellMode = Effect.suspend(() => update({ sessionUpdate: "current_mode_update", currentModeId: chosen.mode }))
  const tellOptions = Effect.suspend(() =>
    update({ sessionUpdate: "config_option_update", configOptions: configOptionsOf(chosen) })
  )
  const planApproved = Effect.suspend(() => {
    if (chosen.mode !== "plan") return Effect.void
    chosen = { ...chosen, mode: initial === "plan" ? "default" : initial }
    return Effect.andThen(tellMode, tellOptions)
  })

  const live = yield* makeLiveSession({ ...options, open: Effect.suspend(() => options.open(chosen)), planApproved })

  const turnOf = (prompt: Prompt, isCancelled: () => boolean) =>
    Effect.gen(function* () {
      const first = yield* live.present
      const taken = yield* takeTurn(first, prompt)
      // It has just closed, for another who asked for its conversation, or by itself: it is gone on with.
      if (!taken.isTooLate || isCancelled()) return taken
      return yield* takeTurn(yield* live.present, prompt)
    })

  const prompt = (input: Prompt) =>
    Effect.suspend((): Effect.Effect<object, RpcError> => {
      if (prompts.size >= mostPrompts) return Effect.fail(busy)
      const cancelled = Deferred.makeUnsafe<void>()
      prompts.add(cancelled)
      const isCancelled = () => Deferred.isDoneUnsafe(cancelled)
      let isAtWork = false

      const work = Effect.suspend(() => {
        isAtWork = true
        return turnOf(input, isCancelled)
      }).pipe(
        turns.withPermit,
        Effect.mapError(errorOfFailure),
        Effect.flatMap((taken) => {
          const outcome = outcomeOf(taken, isCancelled())
          if ("error" in outcome) return Effect.fail(outcome.error)
          return Effect.succeed({ ...outcome, ...spentOf(taken.result) })
        })
      )

      const untilCancelled = Effect.gen(function* () {
        yield* Deferred.await(cancelled)
        const present = isAtWork ? live.current() : undefined
        // Where nothing was running yet, leaving the turn takes it back.
        if (present !== undefined && (yield* present.session.interrupt)) yield* Effect.sleep(patience)
        return { stopReason: "cancelled" }
      })

      return Effect.ensuring(
        Effect.raceFirst(work, untilCancelled),
        Effect.sync(() => prompts.delete(cancelled))
      )
    })

  return {
    opened: Effect.asVoid(Effect.mapError(live.present, errorOfFailure)),
    prompt,
    cancel: Effect.sync(() => {
      for (const cancelled of prompts) Deferred.doneUnsafe(cancelled, Effect.void)
    }),
    setMode: (next) =>
      Effect.gen(function* () {
        const present = live.current()
        if (present !== undefined) yield* Effect.mapError(present.session.setPermissionMode(next), errorOfFailure)
        chosen = { ...chosen, mode: next }
      }),
    setModel: (model) =>
      Effect.gen(function* () {
        const present = live.current()
        if (present !== undefined) yield* Effect.mapError(present.session.setModel(model), errorOfFailure)
        chosen = { ...chosen, model }
      }),
    offer: (models) => {
      chosen = { ...chosen, models }
    },
    chosen: () => chosen,
    choices: () => choicesOf(chosen),
    tellMode,
    tellOptions
  }
})
