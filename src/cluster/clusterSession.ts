/**
 * A live session of a conversation in its home, for a caller on another machine: each turn goes into the queue of the home,
 * which performs it in a live session there; answers and steering meanwhile go as messages.
 */
import { Effect, type Scope, Stream } from "effect"
import { withOutput as typed } from "../agents/answers/answering.ts"
import { smallEventBytes } from "../agents/engine/backlog.ts"
import { asTurn, failedRun, resultOfNothing } from "../agents/engine/result.ts"
import { makeBroadcast } from "../agents/session/broadcast.ts"
import { errorOfNothing } from "../api/promise/plainAgent.ts"
import { Aborted, type AgentError, type FailureReason, InvalidParams } from "../contract/AgentError.ts"
import type { AgentEvent } from "../contract/AgentEvent.ts"
import type { AgentOpenParams, TurnOptions } from "../contract/AgentOpenParams.ts"
import type { AgentSession } from "../contract/AgentSession.ts"
import { eventJson } from "../contract/eventJson.ts"
import type { Delivery } from "../contract/PlainSession.ts"
import { untraced } from "../contract/untraced.ts"
import { refusedByStore } from "../conversations/store/problems.ts"
import { noticesFirst } from "../conversations/turns/noticesFirst.ts"
import { eventsOfEnd } from "../conversations/turns/storedEnd.ts"
import { turnRequest } from "../conversations/turns/turnRequest.ts"
import { askHome, type ClusterContext, withOutput } from "./askHome.ts"
import type { Place, Routing } from "./routing.ts"
import { portableParams } from "./storedParams.ts"

/** The home opens its session with the first turn. Fails for parameters that cannot be sent there. */
export const openAtHome = (
  context: ClusterContext,
  input: unknown
): Effect.Effect<AgentSession, AgentError, Scope.Scope> => {
  const { cli, routing } = context
  const failed = (reason: FailureReason) => errorOfNothing(cli, reason)
  return Effect.gen(function* () {
    const request = yield* Effect.fromResult(turnRequest<AgentOpenParams>(input ?? {}))
    const { key, fresh, onMissing } = request
    if (key === undefined)
      return yield* new InvalidParams({
        option: "conversation",
        problem: "is missing: a live session in a cluster is on one"
      })
    let params = yield* Effect.fromResult(portableParams(request.params))
    const scope = yield* Effect.scope
    const broadcast = makeBroadcast()
    let place: Place | undefined
    let present: string | undefined
    let sessionId: string | undefined
    let isFresh = fresh
    let atWork = 0
    let isClosed = false

    const tellAll = (event: AgentEvent) => {
      if (event.type === "session" && event.parentToolId === undefined) sessionId = event.sessionId
      broadcast.offer(event, smallEventBytes + eventJson(event).length)
    }

    const perform = Effect.fn(...untraced("ClusterSession.perform"))(function* (
      prompt: string,
      options: TurnOptions<unknown>,
      tell: (event: AgentEvent) => void
    ) {
      if (isClosed) return yield* new Aborted({ closed: "session" })
      const { turnId, onInterrupted = "fail", attachments, ...others } = options
      const turn = yield* Effect.fromResult(portableParams(others))
      const stored = { params, fresh: isFresh, onMissing, onInterrupted, isLive: true, turn, isFollowed: true }
      isFresh = false
      const isPatient = request.whenBusy === "wait"
      const requested = { turnId, key, prompt, attachments, asked: stored, isPatient, signal: undefined }
      const end = yield* askHome(context, requested, tell, (found, id) => {
        place = found
        present = id
      })
      return withOutput(end, options.outputSchema)
    })

    const turn = (prompt: string, options: TurnOptions<unknown> = {}) =>
      noticesFirst<unknown>((tell) => {
        const types = new Set<AgentEvent["type"]>()
        const listen = (event: AgentEvent) => {
          types.add(event.type)
          tellAll(event)
          tell(event)
        }
        atWork += 1
        const isNew = ({ type }: AgentEvent) => !((type === "text" || type === "session") && types.has(type))
        return refusedByStore(perform(prompt, options, listen)).pipe(
          Effect.match({
            onFailure: (reason): ReadonlyArray<AgentEvent> => failedRun(reason),
            onSuccess: (end) => eventsOfEnd(end).filter(isNew)
          }),
          Effect.map((events) => {
            const last = events.map(asTurn)
            last.forEach(tellAll)
            return typed(undefined, Stream.fromIterable(last))
          }),
          Effect.ensuring(
            Effect.sync(() => {
              atWork -= 1
            })
          )
        )
      })

    /** Calls the home that has the running turn. */
    const withPlace = <A>(none: A, work: (place: Place) => Effect.Effect<A, FailureReason>) =>
      Effect.suspend(() =>
        atWork === 0 || place === undefined ? Effect.succeed(none) : Effect.mapError(work(place), failed)
      )
    const steer = (text: string) => withPlace(false, (at) => routing.send(at, text))

    yield* Effect.addFinalizer(() =>
      Effect.suspend(() => {
        isClosed = true
        tellAll({ type: "done", result: resultOfNothing(new Aborted({ closed: "session" })) })
        broadcast.end()
        return place === undefined ? Effect.void : routing.close(place)
      })
    )

    /** Takes effect with the next turn, at the latest. */
    const change = (target: Parameters<Routing["change"]>[1]) =>
      Effect.andThen(
        Effect.sync(() => {
          params = { ...params, ...target }
        }),
        Effect.asVoid(withPlace(false, (at) => routing.change(at, target)))
      )

    return {
      cli,
      get sessionId() {
        return sessionId
      },
      get isOver() {
        return isClosed
      },
      turn: <Output>(prompt: string, options?: TurnOptions<Output>) =>
        turn(prompt, options) as Stream.Stream<AgentEvent<Output>>, // by the schema of the caller
      steer,
      send: (text, options = {}) =>
        Effect.gen(function* () {
          const isPlain = options.outputSchema === undefined && options.attachments === undefined
          if (isPlain && (yield* steer(text))) return "steered" satisfies Delivery
          const delivery: Delivery = atWork === 0 ? "started" : "queued"
          yield* Effect.forkIn(Stream.runDrain(turn(text, options)), scope)
          return delivery
        }),
      interrupt: Effect.suspend(() =>
        present === undefined
          ? Effect.succeed(false)
          : Effect.orElseSucceed(
              withPlace(false, (at) => routing.interrupt(at, present ?? "")),
              () => false
            )
      ),
      idle: Effect.suspend(() => (atWork === 0 ? Effect.void : Effect.sleep("50 millis"))).pipe(
        Effect.repeat({ while: () => atWork > 0 }),
        Effect.asVoid
      ),
      setModel: (model) => change({ model }),
      setPermissionMode: (permissionMode) => change({ permissionMode }),
      decide: (requestId, answer) => withPlace(false, (at) => routing.decide(at, requestId, answer)),
      answer: (requestId, answers, decider) =>
        withPlace(false, (at) => routing.answer(at, requestId, answers, decider)),
      events: broadcast.events
    } satisfies AgentSession
  }).pipe(Effect.mapError(failed))
}
