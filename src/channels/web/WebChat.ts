/**
 * The page: a channel of the bridge, and the handler of its requests. An application mounts the handler in its own server
 * and authorises requests; `listen` serves only this machine, for holders of the link.
 */
import { Clock, Context, Effect, Layer, Schema, type Scope } from "effect"
import type { Channel } from "../../bridge/messages/Channel.ts"
import { InvalidParams } from "../../contract/AgentError.ts"
import { Callback, makeParser } from "../../contract/checkInput.ts"
import type { StoreError } from "../../contract/StoreError.ts"
import { untraced } from "../../contract/untraced.ts"
import type { Store } from "../../conversations/store/Store.ts"
import { nodeHandler } from "../kit/nodeHandler.ts"
import { WebChannel } from "./channel.ts"
import { Files } from "./files.ts"
import { Handler } from "./http/handler.ts"
import { Arrived, Presses } from "./incoming.ts"
import { listen } from "./listen.ts"
import { Page } from "./page.ts"
import { Routing } from "./routing.ts"
import { ConversationTable } from "./rows/conversationTable.ts"
import { Hub } from "./rows/hub.ts"
import { RowLog } from "./rows/rowLog.ts"
import { RowTable } from "./rows/rowTable.ts"
import { PageState } from "./state.ts"
import { TurnProjection } from "./turnProjection.ts"
import { UserActions } from "./userActions.ts"
import type { WebChatOptions } from "./WebChatOptions.ts"
import type { WebListenOptions } from "./WebListenOptions.ts"

const Directory = Schema.Struct({
  name: Schema.String,
  path: Schema.String,
  branch: Schema.optional(Schema.String),
  changed: Schema.optional(Schema.Finite)
})

const parse = makeParser(
  Schema.Struct({
    accountId: Schema.optional(Schema.String.check(Schema.isPattern(/^[\w.-]{1,60}$/))),
    group: Schema.optional(Schema.String.check(Schema.isPattern(/^[\w-]{1,30}$/))),
    title: Schema.optional(Schema.String.check(Schema.isMaxLength(80))),
    authorize: Callback,
    agents: Schema.optional(Callback),
    directories: Schema.optional(Schema.Union([Callback, Schema.Array(Directory)])),
    budget: Schema.optional(Callback),
    uploadBytes: Schema.optional(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000_000 }))),
    origins: Schema.optional(Schema.Array(Schema.String.check(Schema.isPattern(/^https?:\/\/[^/\s]+$/)))),
    keepDays: Schema.optional(Schema.Finite.check(Schema.isGreaterThan(0)))
  }),
  "options"
)

export interface WebChat {
  /** For `serve` of the bridge. */
  readonly channel: Channel
  /** Below any path that ends with a slash. Never rejects. */
  readonly handler: (request: Request) => Promise<Response>
}

const dayMs = 24 * 60 * 60_000
/** Rows of one conversation that are kept. */
const mostRows = 100_000

const tidying = Effect.gen(function* () {
  const { keepDays = 180 } = (yield* Page).options
  const [conversations, files] = [yield* ConversationTable, yield* Files]
  const tidy = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    yield* conversations.forget(now - keepDays * dayMs)
    yield* conversations.shorten(mostRows)
    yield* files.sweep
  }).pipe(Effect.catch((error) => Effect.logWarning(`old rows of the page stay for now: ${error.message}`)))
  yield* Effect.forever(Effect.andThen(tidy, Effect.sleep(dayMs)))
})

/** Each line needs only those below it. */
const services = Layer.mergeAll(WebChannel.layer, Handler.layer, Layer.effectDiscard(Effect.forkScoped(tidying))).pipe(
  Layer.provide(PageState.layer),
  Layer.provideMerge(Routing.layer),
  Layer.provideMerge(UserActions.layer),
  Layer.provideMerge(TurnProjection.layer),
  Layer.provideMerge(Layer.mergeAll(RowLog.layer, Files.layer, Presses.layer)),
  Layer.provideMerge(Layer.mergeAll(RowTable.layer, ConversationTable.layer, Hub.layer, Arrived.layer))
)

const make = Effect.fn(...untraced("WebChat.make"))(function* (
  options: WebChatOptions
): Effect.fn.Return<WebChat, StoreError | InvalidParams, Store | Scope.Scope> {
  yield* Effect.fromResult(parse(options))
  const { accountId = "web", group, uploadBytes = 20_000_000 } = options
  if (group !== undefined && !(accountId.startsWith(`${group}.`) && accountId.length > group.length + 1)) {
    const problem = `is that of a page of the group ${group}, such as "${group}.office"`
    return yield* new InvalidParams({ option: "accountId", problem })
  }
  const page = Layer.succeed(Page, { options, accountId, uploadBytes })
  // Pages of one process share nothing but the store.
  const built = yield* Layer.build(Layer.fresh(Layer.provide(services, page)))
  return { channel: Context.get(built, WebChannel), handler: Context.get(built, Handler) }
})

/** `make` for an application's own server, `listen` for this machine; `nodeHandler` makes a handler one of Node's. */
export const WebChat = {
  make,
  listen: (options: WebListenOptions = {}) => listen(options, make),
  nodeHandler
}
