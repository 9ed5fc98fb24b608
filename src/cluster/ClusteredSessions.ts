/**
 * Conversations in a cluster: the same service as on one machine. A turn goes to the home of its conversation; a new
 * conversation goes to the least busy home.
 */
import { Effect, Layer, Stream } from "effect"
import { withOutput as typed } from "../agents/answers/answering.ts"
import { failedRun } from "../agents/engine/result.ts"
import { errorOfNothing } from "../api/promise/plainAgent.ts"
import type { AgentError } from "../contract/AgentError.ts"
import type { AgentEvent } from "../contract/AgentEvent.ts"
import type { AgentExecuteParams } from "../contract/AgentExecuteParams.ts"
import type { TurnParams } from "../contract/AgentOpenParams.ts"
import type { AgentRunResult } from "../contract/AgentRunResult.ts"
import { failingAtCall } from "../contract/errors/callSite.ts"
import type { RunOptions } from "../contract/PlainAgent.ts"
import type { MaybeSecret } from "../contract/Redacted.ts"
import type { StoreError } from "../contract/StoreError.ts"
import { untraced } from "../contract/untraced.ts"
import { historyOf } from "../conversations/SessionHistory.ts"
import { Sessions } from "../conversations/Sessions.ts"
import { refusedByStore } from "../conversations/store/problems.ts"
import { Store } from "../conversations/store/Store.ts"
import { noticesFirst } from "../conversations/turns/noticesFirst.ts"
import { errorOfEnd, eventsOfEnd } from "../conversations/turns/storedEnd.ts"
import { turnRequest } from "../conversations/turns/turnRequest.ts"
import { askHome, type ClusterContext, isSignal, schemaIn, withOutput } from "./askHome.ts"
import { type ClusterTimings, layerClientEngine, layerDatabase, openPeers } from "./ClusterEngine.ts"
import type { ClusterError } from "./ClusterError.ts"
import { openAtHome } from "./clusterSession.ts"
import { makeRouting, storeAlone } from "./routing.ts"
import { portableParams } from "./storedParams.ts"
import type { TlsFiles } from "./wire/tlsFiles.ts"

export interface ClusterClientOptions {
  /** The URL of the database of the store. Undefined: the store is in a file, which its one home polls. */
  readonly database?: MaybeSecret | undefined
  /** The id of the CLI to run. */
  readonly cli: string
  /** Paths of PEM files, and the home of the certificate. Without them, homes on other machines poll the database for messages. */
  readonly tls?: (TlsFiles & { readonly home: string }) | undefined
  readonly timings?: ClusterTimings | undefined
}

/** The end of a turn. Fails with the reason to refuse it. */
const ask = (context: ClusterContext, input: unknown, isFollowed: boolean, tell: (event: AgentEvent) => void) =>
  Effect.gen(function* () {
    const request = yield* Effect.fromResult(turnRequest<AgentExecuteParams>(input))
    const { turnId, key, fresh, onMissing, onInterrupted } = request
    const { abortSignal, prompt, attachments } = request.params
    const params = yield* Effect.fromResult(portableParams(request.params))
    const stored = { params, fresh, onMissing, onInterrupted, isLive: false, turn: {}, isFollowed }
    // A fork does not overtake the queue of a conversation: impatient callers get the error that it is busy.
    const isPatient = request.whenBusy === "wait"
    const signal = isSignal(abortSignal) ? abortSignal : undefined
    const end = yield* askHome(context, { turnId, key, prompt, attachments, asked: stored, isPatient, signal }, tell)
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
        errorOfNothing(context.cli, reason)
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
      // The end does not repeat earlier events.
      const isNew = ({ type }: AgentEvent) => !(type === "text" && hasText) && !(type === "session" && hasSession)
      const events = Effect.match(ask(context, params, true, listen), {
        onFailure: (reason): ReadonlyArray<AgentEvent> => failedRun(reason),
        onSuccess: (end) => eventsOfEnd(end).filter(isNew)
      })
      return Effect.map(events, (last) => typed<Output>(undefined, Stream.fromIterable(last)))
    })

export const clusteredSessions = Effect.fn(...untraced("Cluster.clusteredSessions"))(function* (
  context: ClusterContext
) {
  return {
    ...(yield* historyOf(context.store)),
    run: failingAtCall(run(context)),
    execute: execute(context),
    open: failingAtCall((params) => openAtHome(context, params))
  } satisfies Sessions["Service"]
})

/** `Sessions` over the homes of a cluster, instead of this machine. Needs the store of the cluster. */
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
      if (database === undefined) return yield* clusteredSessions({ store, cli, routing: storeAlone })
      const peers = tls === undefined ? undefined : yield* openPeers(store, tls.home, tls)
      const engine = Layer.provide(layerClientEngine({ timings, peers }), layerDatabase(database))
      const routing = yield* Effect.provideContext(makeRouting, yield* Layer.build(engine))
      return yield* clusteredSessions({ store, cli, routing })
    })
  )
