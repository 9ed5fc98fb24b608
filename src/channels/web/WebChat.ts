/**
 * The page: a channel of the bridge, and the handler of its requests. An application mounts the handler in its own server
 * and authorises requests; `listen` serves only this machine, for holders of the link.
 */
import { Clock, Effect, Latch, Schema, type Scope } from "effect"
import type { Channel } from "../../bridge/messages/Channel.ts"
import { InvalidParams } from "../../contract/AgentError.ts"
import { Callback, makeParser } from "../../contract/checkInput.ts"
import type { StoreError } from "../../contract/StoreError.ts"
import { Store } from "../../conversations/store/Store.ts"
import { makeChannel } from "./channel.ts"
import { makeFiles } from "./files.ts"
import { makeHandler } from "./http/handler.ts"
import { nodeHandler } from "./http/nodeHandler.ts"
import { makePresses } from "./incoming.ts"
import { listen } from "./listen.ts"
import { makeRouting } from "./routing.ts"
import { makeConversationTable } from "./rows/conversationTable.ts"
import { makeHub } from "./rows/hub.ts"
import { makeRowLog } from "./rows/rowLog.ts"
import { makeRowTable } from "./rows/rowTable.ts"
import { makeState } from "./state.ts"
import { makeTurnProjection } from "./turnProjection.ts"
import { makeUserActions } from "./userActions.ts"
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

const make = Effect.fnUntraced(function* (
  options: WebChatOptions
): Effect.fn.Return<WebChat, StoreError | InvalidParams, Store | Scope.Scope> {
  yield* Effect.fromResult(parse(options))
  const { accountId = "web", group, uploadBytes = 20_000_000, keepDays = 180 } = options
  if (group !== undefined && !(accountId.startsWith(`${group}.`) && accountId.length > group.length + 1)) {
    const problem = `is that of a page of the group ${group}, such as "${group}.office"`
    return yield* new InvalidParams({ option: "accountId", problem })
  }
  const store = yield* Store
  const hub = makeHub()
  let isClosed = false
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      isClosed = true
      hub.close()
    })
  )
  const table = makeRowTable(store, accountId)
  const conversations = makeConversationTable(store, accountId)
  const log = yield* makeRowLog(table, hub)
  const files = yield* makeFiles(store, accountId, uploadBytes)
  const arrived = Latch.makeUnsafe(false)
  const presses = makePresses(() => arrived.openUnsafe())
  const onEnd = () => state.refresh()
  const projection = yield* makeTurnProjection({ log, table, conversations, hub, onEnd })
  const shared = { accountId, table, log, files, projection, presses, arrived, conversations, hub }
  const channel = makeChannel({ ...shared, uploadBytes })
  const actions = makeUserActions(shared)
  const routing = yield* makeRouting({ ...shared, store, account: accountId, group, uploadBytes, actions })
  const state = makeState({ options, uploadBytes, list: routing.list, projection })
  const handler = yield* makeHandler({
    ...shared,
    options,
    uploadBytes,
    actions,
    routing,
    state,
    isClosed: () => isClosed
  })
  const tidy = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    yield* conversations.forget(now - keepDays * dayMs)
    yield* conversations.shorten(mostRows)
    yield* files.sweep
  }).pipe(Effect.catch((error) => Effect.logWarning(`old rows of the page stay for now: ${error.message}`)))
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(tidy, Effect.sleep(dayMs))))
  return { channel, handler }
})

/** `make` for an application's own server, `listen` for this machine; `nodeHandler` makes a handler one of Node's. */
export const WebChat = {
  make,
  listen: (options: WebListenOptions = {}) => listen(options, make),
  nodeHandler
}
