/** Keeps the progress message of one run up to date, at the pace of the chat. Only its fiber waits for the channel. */
import { Clock, Deferred, Duration, Effect, Latch, Queue, type Scope } from "effect"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { ReplyPayload } from "../messages/ReplyPayload.ts"
import { type ProgressFacts, type ProgressMode, renderProgress, tickMs } from "./render.ts"
import { beginProgress, endProgress, type Progress, type ProgressBeginning, progressStep } from "./state.ts"
import { makeProgressWriter, type ProgressTransport } from "./writer.ts"

export interface ProgressOptions<Ref> extends Omit<ProgressBeginning, "at"> {
  readonly transport: ProgressTransport<Ref>
  readonly chat: "direct" | "group"
  /** `edit` becomes `brief` if messages cannot be edited. Drafts have all that `edit` shows. */
  readonly mode: Exclude<ProgressMode, "draft">
  /** The run was started by an earlier host: nothing is shown before its first activity. Default: false. */
  readonly isRecovered?: boolean
  /** Called for each attempt. Default: none. */
  readonly facts?: () => ProgressFacts
}

export interface ProgressMessage {
  readonly push: (event: AgentEvent) => Effect.Effect<void>
  /** To be called when the facts change. */
  readonly refresh: Effect.Effect<void>
  /** The stop of the run was requested: shown at once, also before the time of the next edit. */
  readonly stopping: Effect.Effect<void>
  /**
   * Ends the run, as failed if no event ended it. Returns the final payload, if a message shall have it; does not wait for
   * the channel.
   */
  readonly finish: (resumeLine?: string) => Effect.Effect<ReplyPayload | undefined>
  /** Completes when the final message is shown, or cannot be. */
  readonly finished: Effect.Effect<void>
}

const mostAttempts = 5

const nothing: ProgressMessage = {
  push: () => Effect.void,
  refresh: Effect.void,
  stopping: Effect.void,
  finish: () => Effect.succeed(undefined),
  finished: Effect.void
}

export const keepProgress = Effect.fnUntraced(function* <Ref>(
  options: ProgressOptions<Ref>
): Effect.fn.Return<ProgressMessage, never, Scope.Scope> {
  const { transport, chat, isRecovered = false, facts = () => ({}) } = options
  if (options.mode === "off") return nothing
  const messageMode = transport.edit === undefined ? "brief" : options.mode
  const writer = makeProgressWriter(transport, chat)
  const changes = yield* Queue.sliding<void>(1)
  const finished = yield* Deferred.make<void>()
  const hurry = Latch.makeUnsafe()
  let progress: Progress = beginProgress({ ...options, at: yield* Clock.currentTimeMillis })
  let last: { readonly resumeLine: string | undefined } | undefined

  const paced = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const urgent = Effect.andThen(
      hurry.await,
      Effect.flatMap(Clock.currentTimeMillis, (at) => Effect.sleep(Duration.millis(writer.allowedAt(at) - at)))
    )
    yield* Effect.raceFirst(Effect.sleep(Duration.millis(writer.nextAt(now) - now)), urgent)
    hurry.closeUnsafe()
  })

  const clock = yield* Clock.Clock
  /** A recovered run needs no message before its first activity. */
  const isActive = () => !isRecovered || progress.steps > 0 || progress.text !== ""
  const isWorthShowing = () => {
    // After the end or a stop, its person gets a message: a draft behind that would only stay for a while.
    if (writer.isDraft()) return last === undefined && !progress.isStopping && isActive()
    // A finished run needs no message unless it has a resume line.
    return writer.isShown() || ((last === undefined || last.resumeLine !== undefined) && isActive())
  }
  /** The present view, not that of the event that caused the attempt. */
  const view = () => {
    if (!isWorthShowing()) return undefined
    const mode = writer.isDraft() ? "edit" : messageMode
    return renderProgress(progress, { ...facts(), ...last }, clock.currentTimeMillisUnsafe(), mode)
  }
  const attempt = Effect.gen(function* () {
    yield* paced
    yield* Queue.clear(changes)
    return yield* writer.write(view)
  })

  /** Until the next attempt, unless something changes before. */
  const restMs = () =>
    isWorthShowing() ? Math.min(tickMs, Math.max(0, writer.repeatAt() - clock.currentTimeMillisUnsafe())) : tickMs

  const keep = Effect.gen(function* () {
    while (last === undefined && !writer.isOver()) {
      const isShown = yield* attempt
      yield* Effect.timeoutOption(Queue.take(changes), Duration.millis(isShown ? restMs() : 0))
    }
    for (let attempts = 0; attempts < mostAttempts && !(yield* attempt); attempts++);
  })
  yield* Effect.forkScoped(Effect.ensuring(keep, Deferred.succeed(finished, undefined)))

  const refresh = Effect.asVoid(Queue.offer(changes, undefined))
  return {
    push: (event) =>
      Effect.flatMap(Clock.currentTimeMillis, (at) => {
        const before = progress
        progress = progressStep(before, event, at)
        return progress === before ? Effect.void : refresh
      }),
    refresh,
    stopping: Effect.suspend(() => {
      // The edit of a channel without edits would be one message more.
      if (transport.edit === undefined && !writer.isDraft()) return Effect.void
      progress = { ...progress, isStopping: true }
      hurry.openUnsafe()
      return refresh
    }),
    finish: (resumeLine) =>
      Effect.flatMap(Clock.currentTimeMillis, (at) => {
        progress = endProgress(progress, at)
        last = { resumeLine }
        return Effect.as(refresh, view()?.payload)
      }),
    finished: Deferred.await(finished)
  }
})
