/**
 * Conversations in a cluster, for any caller: the same service as on one machine. A turn goes to the home of its
 * conversation; a new conversation goes to the least busy home.
 */
import { Effect, Layer, Stream } from "effect"
import { withOutput as typed } from "../agents/answers/answering.ts"
import { failedRun, resultOfNothing } from "../agents/engine/result.ts"
import { AgentError, type FailureReason } from "../contract/AgentError.ts"
import type { AgentEvent } from "../contract/AgentEvent.ts"
import type { AgentExecuteParams } from "../contract/AgentExecuteParams.ts"
import type { AgentRunResult } from "../contract/AgentRunResult.ts"
import { failingAtCall } from "../contract/errors/callSite.ts"
import type { RunOptions } from "../contract/PlainAgent.ts"
import type { MaybeSecret } from "../contract/Redacted.ts"
import type { StoreError } from "../contract/StoreError.ts"
import type { TurnParams } from "../contract/TurnParams.ts"
import { historyOf } from "../conversations/SessionHistory.ts"
import { Sessions } from "../conversations/Sessions.ts"
import { Store } from "../conversations/store/Store.ts"
import { refusedByStore } from "../conversations/store/storeFailure.ts"
import { noticesFirst } from "../conversations/turns/noticesFirst.ts"
import { errorOfEnd, eventsOfEnd } from "../conversations/turns/storedEnd.ts"
import { turnRequest } from "../conversations/turns/turnRequest.ts"
import { askHome, type ClusterContext, isSignal, schemaIn, withOutput } from "./askHome.ts"
import type { ClusterError } from "./ClusterError.ts"
import type { ClusterTimings } from "./ClusterTimings.ts"
import { openAtHome } from "./clusterSession.ts"
import { layerDatabase } from "./database.ts"
import { layerClientEngine } from "./engine.ts"
import { openPeers } from "./peers.ts"
import { makeRouting, storeAlone } from "./routing.ts"
import { portableParams } from "./storedParams.ts"
import type { TlsFiles } from "./wire/tlsFiles.ts"

export interface ClusterClientOptions {
  /** The URL of the database of the store. Undefined: the store is in a file, and its one home looks into it. */
  readonly database?: MaybeSecret | undefined
  /** The id of the CLI that is asked. */
  readonly cli: string
  /** Paths of PEM files, and the home that the certificate is of: without them, homes on other machines find messages in the database. */
  readonly tls?: (TlsFiles & { readonly home: string }) | undefined
  readonly timings?: ClusterTimings | undefined
}

const refused = (cli: string, reason: FailureReason) =>
  new AgentError({ cli, reason, result: resultOfNothing(reason), hadOutput: false })

/** The end of a turn, or the reason for which it was not asked. */
const ask = (context: ClusterContext, params: unknown, isFollowed: boolean, tell: (event: AgentEvent) => void) =>
  Effect.gen(function* () {
    const request = yield* Effect.fromResult(turnRequest<AgentExecuteParams>(params))
    const { abortSignal } = request.params
    const { fresh, onMissing, onInterrupted } = request
    const portable = yield* Effect.fromResult(portableParams(request.params))
    const end = yield* askHome(
      context,
      {
        turnId: request.turnId,
        key: request.key,
        prompt: request.params.prompt,
        attachments: request.params.attachments,
        asked: { params: portable, fresh, onMissing, onInterrupted, isLive: false, turn: {}, isFollowed },
        // A fork does not overtake the queue of a conversation: impatient callers are told that it is busy.
        isPatient: request.whenBusy === "wait",
        signal: isSignal(abortSignal) ? abortSignal : undefined
      },
      tell
    )
    return withOutput(end, schemaIn(request.params))
  }).pipe(refusedByStore)

const run =
  (context: ClusterContext) =>
  <Output>(
    params: TurnParams<Output>,
    { onEvent }: RunOptions = {}
  ): Effect.Effect<AgentRunResult<Output>, AgentError> =>
    Effect.gen(function* () {
      const tell = (event: AgentEvent) => onEvent?.(event)
      const end = yield* Effect.mapError(ask(context, params, onEvent !== undefined, tell), (reason) =>
        refused(context.cli, reason)
      )
      const error = errorOfEnd(context.cli, end)
      if (error !== undefined) return yield* error
      return end.result as AgentRunResult<Output> // by the schema of the caller
    })

const execute =
  (context: ClusterContext) =>
  <Output>(params: TurnParams<Output>): Stream.Stream<AgentEvent<Output>> =>
    noticesFirst<Output>((tell) => {
      let hasText = false
      let hasSession = false
      const listen = (event: AgentEvent) => {
        hasText ||= event.type === "text"
        hasSession ||= event.type === "session"
        tell(event)
      }
      // Events that were sent before are not repeated.
      const isNew = ({ type }: AgentEvent) => !(type === "text" && hasText) && !(type === "session" && hasSession)
      const events = Effect.match(ask(context, params, true, listen), {
        onFailure: (reason): ReadonlyArray<AgentEvent> => failedRun(reason),
        onSuccess: (end) => eventsOfEnd(end).filter(isNew)
      })
      return Effect.map(events, (last) => typed<Output>(undefined, Stream.fromIterable(last)))
    })

/** The service, for one CLI. */
export const clusteredSessions = Effect.fnUntraced(function* (context: ClusterContext) {
  const sessions: Sessions["Service"] = {
    ...(yield* historyOf(context.store)),
    run: failingAtCall(run(context)),
    execute: execute(context),
    open: failingAtCall((params) => openAtHome(context, params))
  }
  return sessions
})

/** `Sessions` over the homes of a cluster, in place of those of this machine. The store is that of the cluster. */
export const layerClusteredSessions = ({
  database,
  cli,
  tls,
  timings = {}
}: ClusterClientOptions): Layer.Layer<Sessions, ClusterError | StoreError, Store> =>
  Layer.effect(
    Sessions,
    Effect.gen(function* () {
      const store = yield* Store
      if (database === undefined) return yield* clusteredSessions({ store, cli, reach: storeAlone })
      const peers = tls === undefined ? undefined : yield* openPeers(store, tls.home, tls)
      const engine = Layer.provide(layerClientEngine({ timings, peers }), layerDatabase(database))
      const reach = yield* Effect.provideContext(makeRouting, yield* Layer.build(engine))
      return yield* clusteredSessions({ store, cli, reach })
    })
  )
