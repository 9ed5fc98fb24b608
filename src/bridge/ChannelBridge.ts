/**
 * The bridge: a message of a person becomes a turn of a conversation. `handle` is for those who deliver what comes of it
 * themselves. It is on top of `Sessions`: a message that is handled twice is answered twice, and run once.
 */
import { Context, Effect, Layer, Result, type Scope } from "effect"
import type { InvalidParams } from "../contract/AgentError.ts"
import type { UsageQuery } from "../contract/Usage.ts"
import { historyOf } from "../conversations/SessionHistory.ts"
import { Store } from "../conversations/store/Store.ts"
import { usageReport } from "../money/ledger/report.ts"
import { checkQuery } from "../money/ledger/usageQuery.ts"
import type { Platform } from "../system/process/Platform.ts"
import type { AccessOf } from "./access/AccessOptions.ts"
import type { BridgeOptions } from "./BridgeOptions.ts"
import { checkBridgeOptions } from "./checkBridgeOptions.ts"
import { unsaid } from "./delivery/suppress.ts"
import { Journal } from "./journal/Journal.ts"
import type { AgentDeliveryResult, BridgeCallbacks } from "./messages/AgentDeliveryResult.ts"
import type { Channel } from "./messages/Channel.ts"
import type { ChannelMessage } from "./messages/ChannelMessage.ts"
import type { Conversation } from "./messages/Conversation.ts"
import { noSideEffects } from "./messages/McpSideEffects.ts"
import type { ServeError } from "./ServeError.ts"
import { untilDrained } from "./serve/draining.ts"
import { serveChannel } from "./serve/serve.ts"
import { makeCore, type Surroundings } from "./turn/core.ts"
import { makeHandled } from "./turn/handled.ts"
import { failureText, payloadsOf } from "./turn/outcome.ts"
import { promptOf } from "./turn/prompt.ts"
import { makeReplies } from "./turn/replies.ts"
import { turnIdOf } from "./turn/turnId.ts"

/** A conversation that has a turn under way, or waiting. */
export interface ConversationState {
  readonly conversation: Conversation
  readonly isRunning: boolean
}

/** What can be changed while a bridge serves. */
export type BridgeChanges = Pick<
  BridgeOptions,
  "agent" | "directories" | "directory" | "whileBusy" | "approvals" | "chats" | "access"
>

/** Messages in, agents at work, answers out. */
export class ChannelBridge extends Context.Service<
  ChannelBridge,
  {
    /**
     * One message, one turn. Waits for the turn before it in the same conversation. Never fails: what went wrong is in
     * `error`, and as the last payload. Sends nothing. Where `onPartialReply` or `onBlockReply` is given, the answer goes
     * there, and there are no payloads. `signal` stops the turn.
     */
    readonly handle: (
      message: ChannelMessage,
      callbacks?: BridgeCallbacks,
      signal?: AbortSignal
    ) => Effect.Effect<AgentDeliveryResult>
    /**
     * Serves an account of a channel: messages become turns, and what comes of them goes back. Does not end but by a
     * failure, such as a channel whose token is refused, or an account that another bridge has. Once the scope closes,
     * nothing of it is left: no call of the channel, no process, no turn.
     */
    readonly serve: (channel: Channel) => Effect.Effect<never, ServeError, Scope.Scope>
    /** Stops the turn that is under way; false where there is none. */
    readonly stop: (conversation: Conversation) => Effect.Effect<boolean>
    /** Those with a turn under way, or waiting. */
    readonly conversations: Effect.Effect<ReadonlyArray<ConversationState>>
    /**
     * For the end of the host: from now on messages are taken in, and nothing new is begun. Returns once no agent works, and
     * what was said has gone out, as far as it goes within 10 s. What waits is answered by the next bridge of this store.
     */
    readonly drain: Effect.Effect<void>
    /** Changes options from the next turn on; those that are left out stay. Nothing changes where one makes no sense. */
    readonly change: (changes: BridgeChanges) => Effect.Effect<void, InvalidParams>
  }
>()("reins/ChannelBridge") {
  /** Over the store of the context. Fails with `InvalidParams` for options that make no sense. */
  static readonly layer = (options: BridgeOptions): Layer.Layer<ChannelBridge, InvalidParams, Store | Platform> =>
    Layer.effect(ChannelBridge, make(options))
}

const relistedBy =
  (access: AccessOf) =>
  ({ relist }: Surroundings) =>
    relist === undefined ? Effect.succeed(Effect.void) : relist(access)

const make = Effect.fnUntraced(function* (
  given: BridgeOptions
): Effect.fn.Return<ChannelBridge["Service"], InvalidParams, Scope.Scope | Store | Platform> {
  const options = yield* Effect.fromResult(checkBridgeOptions(given))
  let present = given
  const served = new Map<string, Surroundings>()
  let draining = false
  const keyOf = (channel: string, accountId: string) => JSON.stringify([channel, accountId])
  const partsOf = (key: string): readonly [string, string] => JSON.parse(key)
  const servedAt = ({ channel, accountId }: Conversation) => served.get(keyOf(channel, accountId))
  const outletOf = (to: Conversation) => servedAt(to)?.outlet
  const handled = yield* makeHandled(options, outletOf)
  const around = (conversation: Conversation) => servedAt(conversation) ?? handled
  const core = yield* makeCore(options, around)
  const store = yield* Store
  const journal = Context.get(yield* Layer.build(Layer.provide(Journal.layer, Layer.succeed(Store, store))), Journal)
  const history = yield* historyOf(store)
  const usage = (query: UsageQuery) => Effect.suspend(() => usageReport(store, Result.getOrThrow(checkQuery(query))))

  const stop = (conversation: Conversation) =>
    Effect.suspend(() => core.running(conversation)?.interrupt ?? Effect.succeed(false))

  return {
    handle: Effect.fn("ChannelBridge.handle")(function* (message, callbacks = {}, signal) {
      const { conversation } = message
      const replies = makeReplies(callbacks, options.chunkLength)
      const turnId = turnIdOf(message)
      let effects = Effect.succeed(noSideEffects)
      const onBegin = Effect.map(around(conversation).begin(message, turnId), (end) => {
        effects = end
      })
      const prompt = promptOf([message])
      const outcome = yield* core.ask({ conversation, turnId, prompt, signal, onBegin }, replies.push)
      yield* replies.end
      const { result, failure } = outcome
      const mcp = yield* effects
      return {
        payloads: replies.isGiven ? [] : unsaid(payloadsOf(outcome), mcp.sent, conversation, options.onToolSend),
        run: result,
        mcp,
        ...(failure === undefined ? {} : { error: failureText(failure) })
      }
    }),
    serve: (channel) => {
      const key = keyOf(channel.id, channel.accountId)
      const surround = (surroundings: Surroundings) =>
        Effect.acquireRelease(
          Effect.sync(() => void served.set(key, surroundings)),
          () =>
            Effect.sync(() => {
              if (served.get(key) === surroundings) served.delete(key)
            })
        )
      const isDraining = () => draining
      return serveChannel(channel, { options, journal, core, history, usage, surround, outletOf, isDraining })
    },
    stop,
    drain: Effect.suspend(() => {
      draining = true
      return untilDrained(store, core, [...served.keys()].map(partsOf))
    }),
    change: (changes) =>
      Effect.gen(function* () {
        const checked = yield* Effect.fromResult(checkBridgeOptions({ ...present, ...changes }))
        const { agent, directories, directory, whileBusy, approvals, chats, access } = checked
        const all = [...served.values()]
        const relisted = changes.access === undefined ? [] : yield* Effect.forEach(all, relistedBy(access))
        present = { ...present, ...changes }
        Object.assign(options, { agent, directories, directory, whileBusy, approvals, chats, access })
        yield* Effect.forEach([...relisted, ...all.map(({ changed = Effect.void }) => changed)], (each) => each, {
          discard: true
        })
      }),
    conversations: Effect.map(core.conversations, (all) =>
      all.map((conversation) => ({
        conversation,
        isRunning: core.running(conversation) !== undefined
      }))
    )
  }
})
