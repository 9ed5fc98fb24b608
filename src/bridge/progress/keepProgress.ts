/**
 * Keeps the progress message of one run up to date until its end: events go in, attempts come out at the pace of the chat.
 * Nothing of it waits for the channel but its own fiber, which ends with the scope.
 */
import { Clock, Deferred, Duration, Effect, Queue, type Scope } from "effect"
import type { AgentEvent } from "../../contract/AgentEvent.ts"
import type { ReplyPayload } from "../messages/ReplyPayload.ts"
import { type ProgressFacts, type ProgressMode, renderProgress, tickMs } from "./render.ts"
import { beginProgress, endProgress, type Progress, type ProgressBeginning, progressStep } from "./state.ts"
import { makeProgressWriter, type ProgressDoor } from "./writer.ts"

export interface ProgressOptions<Ref> extends Omit<ProgressBeginning, "at"> {
  readonly door: ProgressDoor<Ref>
  readonly chat: "direct" | "group"
  /** `edit` is `brief` where messages cannot be changed. */
  readonly mode: ProgressMode
  /** A host before this one had begun it: nothing is shown before something happens. Default: false. */
  readonly isRetold?: boolean
  /** Asked for each attempt. Default: none. */
  readonly facts?: () => ProgressFacts
  /** Called with each new message, such as to mark it after a restart. */
  readonly onShown?: (ref: Ref) => Effect.Effect<void>
}

export interface ProgressMessage {
  readonly push: (event: AgentEvent) => Effect.Effect<void>
  /** The facts have changed. */
  readonly refresh: Effect.Effect<void>
  /**
   * The run is over: it failed, where no event said how it ended. Gives what the message says at last, and does not wait
   * for the channel.
   */
  readonly finish: (resumeLine?: string) => Effect.Effect<ReplyPayload | undefined>
  /** The last message is there, or cannot be. */
  readonly finished: Effect.Effect<void>
}

/** For the last message. */
const mostAttempts = 5

const nothing: ProgressMessage = {
  push: () => Effect.void,
  refresh: Effect.void,
  finish: () => Effect.succeed(undefined),
  finished: Effect.void
}

export const keepProgress = Effect.fnUntraced(function* <Ref>(
  options: ProgressOptions<Ref>
): Effect.fn.Return<ProgressMessage, never, Scope.Scope> {
  const { door, chat, isRetold = false, facts = () => ({}), onShown = () => Effect.void } = options
  if (options.mode === "off") return nothing
  const mode = door.edit === undefined ? "brief" : options.mode
  const writer = makeProgressWriter(door, chat, onShown)
  const news = yield* Queue.sliding<void>(1)
  const finished = yield* Deferred.make<void>()
  let progress: Progress = beginProgress({ ...options, at: yield* Clock.currentTimeMillis })
  let last: { readonly resumeLine: string | undefined } | undefined

  const paced = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    yield* Effect.sleep(Duration.millis(writer.nextAt(now) - now))
  })

  const clock = yield* Clock.Clock
  /** A run that is over needs none, unless there is a line to keep; one that is retold, unless something has happened. */
  const isWorthShowing = () =>
    (last === undefined || last.resumeLine !== undefined) && (!isRetold || progress.steps > 0 || progress.text !== "")
  /** The view of the moment, not of the event that asked for it. */
  const view = () =>
    writer.isShown() || isWorthShowing()
      ? renderProgress(progress, { ...facts(), ...last }, clock.currentTimeMillisUnsafe(), mode)
      : undefined
  const attempt = Effect.gen(function* () {
    yield* paced
    yield* Queue.clear(news)
    return yield* writer.write(view)
  })

  const keep = Effect.gen(function* () {
    while (last === undefined && !writer.isOver()) {
      const isShown = yield* attempt
      yield* Effect.timeoutOption(Queue.take(news), Duration.millis(isShown ? tickMs : 0))
    }
    for (let attempts = 0; attempts < mostAttempts && !(yield* attempt); attempts++);
  })
  yield* Effect.forkScoped(Effect.ensuring(keep, Deferred.succeed(finished, undefined)))

  const refresh = Effect.asVoid(Queue.offer(news, undefined))
  return {
    push: (event) =>
      Effect.flatMap(Clock.currentTimeMillis, (at) => {
        const before = progress
        progress = progressStep(before, event, at)
        return progress === before ? Effect.void : refresh
      }),
    refresh,
    finish: (resumeLine) =>
      Effect.flatMap(Clock.currentTimeMillis, (at) => {
        progress = endProgress(progress, at)
        last = { resumeLine }
        return Effect.as(refresh, view()?.payload)
      }),
    finished: Deferred.await(finished)
  }
})
