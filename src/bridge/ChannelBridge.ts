/** A person's message becomes a turn of a conversation. Handled twice, it is answered twice, but run once. */
import { Context, Effect, Layer, Result, Schema, type Scope } from "effect"
import { resultOfNothing } from "../agents/engine/result.ts"
import type { InvalidParams } from "../contract/AgentError.ts"
import { makeParser } from "../contract/checkInput.ts"
import type { StoreError } from "../contract/StoreError.ts"
import type { UsageQuery } from "../contract/Usage.ts"
import { untraced } from "../contract/untraced.ts"
import { historyOf } from "../conversations/SessionHistory.ts"
import { Store } from "../conversations/store/Store.ts"
import { Worktrees } from "../conversations/Worktrees.ts"
import { usageReport } from "../money/ledger/report.ts"
import { checkQuery } from "../money/ledger/usageQuery.ts"
import type { Platform } from "../system/process/Platform.ts"
import { type BridgeOptions, checkBridgeOptions } from "./BridgeOptions.ts"
import { unsaid } from "./delivery/payloadPieces.ts"
import { makeTranscriber } from "./intake/Transcriber.ts"
import { Journal } from "./journal/Journal.ts"
import { type AgentDeliveryResult, type BridgeCallbacks, noSideEffects } from "./messages/AgentDeliveryResult.ts"
import type { Channel } from "./messages/Channel.ts"
import type { ChannelMessage } from "./messages/ChannelMessage.ts"
import type { Conversation } from "./messages/Conversation.ts"
import type { ReplyPayload } from "./messages/ReplyPayload.ts"
import type { ChannelLost, ServeError } from "./ServeError.ts"
import { untilDrained } from "./serve/pause.ts"
import { serveChannel } from "./serve/serve.ts"
import { makeCore, type Surroundings } from "./turn/core.ts"
import { makeHandleSurroundings } from "./turn/handleSurroundings.ts"
import { failureText, payloadsOf } from "./turn/outcome.ts"
import { promptOf, turnIdOf } from "./turn/prompt.ts"
import { makeReplyCallbacks } from "./turn/replyCallbacks.ts"

/** A conversation with a running or waiting turn. */
export interface ConversationState {
  readonly conversation: Conversation
  readonly isRunning: boolean
}

/** Options that can change while a bridge serves. */
export type BridgeChanges = Pick<
  BridgeOptions,
  "agent" | "directories" | "directory" | "whileBusy" | "approvals" | "chats" | "access"
>

/** Messages in, agents at work, answers out. */
export class ChannelBridge extends Context.Service<
  ChannelBridge,
  {
    /**
     * Handles one message as one turn. Waits for the previous turn of the conversation. Never fails: a failure is in
     * `error`, and the last payload. Sends nothing. With `onPartialReply` or `onBlockReply` the answer goes there instead
     * of into payloads. `signal` stops the turn.
     */
    readonly handle: (
      message: ChannelMessage,
      callbacks?: BridgeCallbacks,
      signal?: AbortSignal
    ) => Effect.Effect<AgentDeliveryResult>
    /**
     * Serves an account of a channel: messages become turns, and answers are sent back. Ends only by a failure, such as a
     * refused token of the channel, or an account that another bridge serves. When the scope has closed, no call of the
     * channel, no process and no turn is left.
     */
    readonly serve: (channel: Channel) => Effect.Effect<never, ServeError, Scope.Scope>
    /**
     * Writes a message into a chat of a served account, once per key: when it returns, the message is in the store. Returns
     * false if the account is not served.
     */
    readonly post: (
      to: Conversation,
      payload: ReplyPayload,
      key: string
    ) => Effect.Effect<boolean, StoreError | ChannelLost>
    /** Stops the running turn; returns false if none is running. */
    readonly stop: (conversation: Conversation) => Effect.Effect<boolean>
    /** Conversations with a running or waiting turn. */
    readonly conversations: Effect.Effect<ReadonlyArray<ConversationState>>
    /**
     * Prepares the end of the host: from now on messages are stored, but no turns are started. Returns once no agent works
     * and answers were sent, waiting at most 10 s for the latter. Waiting messages are answered by the next bridge of this
     * store.
     */
    readonly drain: Effect.Effect<void>
    /** Changes options from the next turn on; omitted ones stay. Changes nothing if one is invalid. */
    readonly change: (changes: BridgeChanges) => Effect.Effect<void, InvalidParams>
  }
>()("reins/ChannelBridge") {
  /** Uses the store of the context. Fails with `InvalidParams` if an option is invalid. */
  static readonly layer = (options: BridgeOptions): Layer.Layer<ChannelBridge, InvalidParams, Store | Platform> =>
    Layer.effect(ChannelBridge, make(options))
}

/** The fields that every turn needs. */
const parseMessage = makeParser(
  Schema.Struct({
    conversation: Schema.Struct({ channel: Schema.String, accountId: Schema.String, chatId: Schema.String }),
    updateId: Schema.String,
    chat: Schema.Literals(["direct", "group"]),
    sender: Schema.Struct({ id: Schema.String }),
    text: Schema.String,
    attachments: Schema.Array(Schema.Struct({ kind: Schema.String, fileId: Schema.String }))
  }),
  "message",
  "ignore"
)

/** The answer to a message of the wrong form, which a caller in JavaScript may give. */
const refusedMessage = (reason: InvalidParams): AgentDeliveryResult => {
  const error = reason.option === "message" ? reason.message : `message.${reason.message}`
  return { payloads: [{ text: error, isError: true }], run: resultOfNothing(reason), mcp: noSideEffects, error }
}

const make = Effect.fn(...untraced("ChannelBridge.make"))(function* (
  initial: BridgeOptions
): Effect.fn.Return<ChannelBridge["Service"], InvalidParams, Scope.Scope | Store | Platform> {
  const options = yield* Effect.fromResult(checkBridgeOptions(initial))
  let present = initial
  const served = new Map<string, Surroundings>()
  let isDraining = false
  const paused = new Set<Channel>()
  const keyOf = (channel: string, accountId: string) => JSON.stringify([channel, accountId])
  const partsOf = (key: string): readonly [string, string] => JSON.parse(key)
  const servedAt = ({ channel, accountId }: Conversation) => served.get(keyOf(channel, accountId))
  const outletOf = (to: Conversation) => servedAt(to)?.outlet
  const unserved = yield* makeHandleSurroundings(options, outletOf)
  const around = (conversation: Conversation) => servedAt(conversation) ?? unserved
  const store = yield* Store
  const worktrees = Context.get(yield* Layer.build(Worktrees.layer), Worktrees)
  const core = yield* Effect.provideService(makeCore(options, around), Worktrees, worktrees)
  const journal = Context.get(yield* Layer.build(Layer.provide(Journal.layer, Layer.succeed(Store, store))), Journal)
  const history = yield* historyOf(store, worktrees)
  const transcribe = yield* makeTranscriber(options.transcribe)
  const usage = (query: UsageQuery) => Effect.suspend(() => usageReport(store, Result.getOrThrow(checkQuery(query))))

  return {
    handle: Effect.fn("ChannelBridge.handle")(function* (message, callbacks = {}, signal) {
      const checked = parseMessage(message)
      if (Result.isFailure(checked)) return refusedMessage(checked.failure)
      const { conversation } = message
      const { zone } = options.gateway
      const replies = makeReplyCallbacks(callbacks, { chunkLength: options.chunkLength, zone })
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
        payloads: replies.takesAnswer
          ? []
          : unsaid(payloadsOf(outcome, zone), mcp.sent, conversation, options.onToolSend),
        run: result,
        mcp,
        ...(failure === undefined ? {} : { error: failureText(failure, zone) })
      }
    }),
    serve: (channel) => {
      const key = keyOf(channel.id, channel.accountId)
      const surround = (surroundings: Surroundings) => {
        const remove = Effect.sync(() => {
          if (served.get(key) === surroundings) served.delete(key)
        })
        return Effect.acquireRelease(
          Effect.sync(() => void served.set(key, surroundings)),
          () => remove
        )
      }
      const isEnding = () => isDraining
      return serveChannel(channel, journal, {
        ...{ options, core, worktrees, history, usage, surround, outletOf, transcribe, paused, isDraining: isEnding }
      })
    },
    post: Effect.fn(...untraced("ChannelBridge.post"))(function* (to, payload, key) {
      const outlet = outletOf(to)
      if (outlet === undefined) return false
      const own = JSON.stringify([to.channel, to.accountId, key])
      yield* outlet.journal.outbox.put(
        outlet
          .render(payload)
          .map((piece, at) => ({ key: `${own}/${at}`, conversation: to, kind: "notice", piece }) as const)
      )
      yield* outlet.onPut
      return true
    }),
    stop: (conversation) => Effect.suspend(() => core.running(conversation)?.interrupt ?? Effect.succeed(false)),
    drain: Effect.suspend(() => {
      isDraining = true
      return untilDrained(store, core, [...served.keys()].map(partsOf))
    }),
    change: Effect.fn(...untraced("ChannelBridge.change"))(function* (changes) {
      const checked = yield* Effect.fromResult(checkBridgeOptions({ ...present, ...changes }))
      const { agent, directories, directory, whileBusy, approvals, chats, access } = checked
      const all = [...served.values()]
      const relists = changes.access === undefined ? [] : all.flatMap(({ relist }) => relist?.(access) ?? [])
      const applyLists = yield* Effect.all(relists)
      present = { ...present, ...changes }
      Object.assign(options, { agent, directories, directory, whileBusy, approvals, chats, access })
      yield* Effect.all([...applyLists, ...all.map(({ changed = Effect.void }) => changed)], { discard: true })
    }),
    conversations: Effect.map(core.conversations, (all) =>
      all.map((conversation) => ({ conversation, isRunning: core.running(conversation) !== undefined }))
    )
  }
})
