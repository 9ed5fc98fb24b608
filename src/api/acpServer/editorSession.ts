/** A session of the client: performs its prompts one after the other, cancels them, and has its mode and model. */
import { Deferred, Effect, type Scope, Semaphore, Stream } from "effect"
import { internalError, type RpcError } from "../../cli/jsonRpc.ts"
import type { AgentError, FailureReason } from "../../contract/AgentError.ts"
import type { ErrorEvent } from "../../contract/AgentEvent.ts"
import type { PermissionMode } from "../../contract/AgentExecuteParams.ts"
import type { AgentModel } from "../../contract/AgentModels.ts"
import type { AgentRunResult } from "../../contract/AgentRunResult.ts"
import type { AgentSession } from "../../contract/AgentSession.ts"
import { untraced } from "../../contract/untraced.ts"
import { type Chosen, choicesOf, configOptionsOf } from "./choices.ts"
import { errorOfFailure, outcomeOf, spentOf, type TurnEnd } from "./failures.ts"
import { type Live, type LiveOptions, makeLiveSession } from "./liveSession.ts"
import type { Prompt } from "./promptOf.ts"

interface EditorSessionOptions extends Pick<LiveOptions, "id" | "connection" | "shows"> {
  readonly initial: PermissionMode
  /** Undefined for the CLI's own default. */
  readonly model: string | undefined
  readonly open: (
    chosen: Pick<Chosen, "mode" | "model">
  ) => Effect.Effect<AgentSession, FailureReason | AgentError, Scope.Scope>
}

/** The running one included. */
const mostPrompts = 16
/** For the last events of an interrupted turn. */
const patience = "5 seconds"

const busy: RpcError = {
  code: internalError,
  message: `${mostPrompts} prompts of this session wait already. Wait for their answers, or cancel them.`
}

/** Turns that were refused before they began: the session has no events of them. */
const refusals: ReadonlySet<AgentRunResult["reason"]> = new Set([
  "invalid_params",
  "attachment_refused",
  "unsupported_option"
])

interface Taken extends TurnEnd {
  /** The session had ended before the turn began, and has no events of it. */
  readonly isTooLate: boolean
}

const takeTurn = Effect.fn(...untraced("EditorSession.takeTurn"))(function* (
  { session, ends, over }: Live,
  { text, attachments }: Prompt
) {
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
export const makeEditorSession = Effect.fn(...untraced("EditorSession.makeEditorSession"))(function* (
  options: EditorSessionOptions
) {
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
      const taken = yield* takeTurn(yield* live.present, prompt)
      // The session has just closed, by itself or for another process that wanted the conversation: it is opened again.
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
        // If nothing was running yet, leaving the turn takes it back.
        if (present !== undefined && (yield* present.session.interrupt)) yield* Effect.sleep(patience)
        return { stopReason: "cancelled" }
      })

      return Effect.ensuring(
        Effect.raceFirst(work, untilCancelled),
        Effect.sync(() => prompts.delete(cancelled))
      )
    })

  const change = (set: (session: AgentSession) => ReturnType<AgentSession["setModel"]>, fields: Partial<Chosen>) =>
    Effect.suspend(() => {
      const present = live.current()
      return present === undefined ? Effect.void : Effect.mapError(set(present.session), errorOfFailure)
    }).pipe(
      Effect.andThen(
        Effect.sync(() => {
          chosen = { ...chosen, ...fields }
        })
      )
    )

  return {
    /** Opens the live session, so that problems are known at once. */
    opened: Effect.asVoid(Effect.mapError(live.present, errorOfFailure)),
    prompt,
    /** Ends the running turn, and drops the pending ones. */
    cancel: Effect.sync(() => {
      for (const cancelled of prompts) Deferred.doneUnsafe(cancelled, Effect.void)
    }),
    setMode: (mode: PermissionMode) => change((session) => session.setPermissionMode(mode), { mode }),
    setModel: (model: string) => change((session) => session.setModel(model), { model }),
    offer: (models: ReadonlyArray<AgentModel>) => {
      chosen = { ...chosen, models }
    },
    chosen: () => chosen,
    choices: () => choicesOf(chosen),
    tellMode,
    tellOptions
  }
})

export type EditorSession = Effect.Success<ReturnType<typeof makeEditorSession>>
