/** A page on a loopback socket, served by a bridge with a scripted agent, and people who read and write there. */
import { Context, Effect, Layer, type Scope } from "effect"
import { type BridgeOptions, ChannelBridge } from "../../../src/bridge.ts"
import { Page as PageService } from "../../../src/channels/web/page.ts"
import { WebChat } from "../../../src/channels/web/WebChat.ts"
import type { WebListenOptions } from "../../../src/channels/web/WebListenOptions.ts"
import { Store } from "../../../src/conversations/store/Store.ts"
import { nodePlatform } from "../../../src/system/process/Platform.ts"
import * as TestRuntime from "../../../src/testing/TestRuntime.ts"
import type { StoreLayer } from "../../conversations/store/stores.ts"

export type Script = Parameters<typeof TestRuntime.layer>[0]

/** A row, as a page has it. */
export interface Row {
  readonly id: number
  readonly at: number
  readonly row: string
  // biome-ignore lint/suspicious/noExplicitAny: what a page reads is JSON
  readonly [name: string]: any
}

export interface Frame {
  readonly id?: number
  readonly event: string
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly data: any
}

export const uuid = () => crypto.randomUUID()

/** For services of a page alone. */
export const onePage = Layer.succeed(PageService, {
  ...{ accountId: "web", uploadBytes: 1_000 },
  options: { authorize: () => undefined }
})

/** Frames of Server-Sent Events, as they come. */
export async function* framesOf(response: Response): AsyncGenerator<Frame> {
  const decoder = new TextDecoder()
  let rest = ""
  for await (const chunk of response.body ?? []) {
    rest += decoder.decode(chunk as Uint8Array, { stream: true })
    const parts = rest.split("\n\n")
    rest = parts.pop() ?? ""
    for (const part of parts) {
      const fields = new Map(
        part.split("\n").flatMap((line) => {
          const at = line.indexOf(": ")
          return at > 0 ? [[line.slice(0, at), line.slice(at + 2)] as const] : []
        })
      )
      const data = fields.get("data")
      if (data === undefined) continue
      const id = fields.get("id")
      yield {
        event: fields.get("event") ?? "row",
        data: JSON.parse(data),
        ...(id === undefined ? {} : { id: Number(id) })
      }
    }
  }
}

export interface Reading {
  readonly frames: ReadonlyArray<Frame>
  readonly rows: () => ReadonlyArray<Row>
  /** Waits until what it has read gives something. */
  readonly until: <A>(look: (rows: ReadonlyArray<Row>) => A | undefined | false) => Effect.Effect<A>
  readonly state: <A>(look: (state: Frame["data"]) => A | undefined | false) => Effect.Effect<A>
  readonly close: () => void
}

/** Reads a stream until the scope closes. */
export const reading = (response: Response, abort: AbortController): Reading => {
  const frames: Array<Frame> = []
  const waiting = new Set<() => void>()
  const read = async () => {
    try {
      for await (const frame of framesOf(response)) {
        frames.push(frame)
        for (const wake of waiting) wake()
      }
    } catch {
      // It was cut off.
    }
  }
  void read()
  const rows = () => frames.filter(({ event }) => event === "row").map(({ data }) => data as Row)
  const until = <A>(look: () => A | undefined | false): Effect.Effect<A> =>
    Effect.callback<A>((resume) => {
      const wake = () => {
        const found = look()
        if (found === undefined || found === false) return
        waiting.delete(wake)
        resume(Effect.succeed(found))
      }
      waiting.add(wake)
      wake()
      return Effect.sync(() => waiting.delete(wake))
    })
  return {
    frames,
    rows,
    until: (look) => until(() => look(rows())),
    state: (look) =>
      until(() => {
        const state = frames.findLast(({ event }) => event === "state")?.data
        return state === undefined ? undefined : look(state)
      }),
    close: () => abort.abort()
  }
}

/** Requests of one person, by their token. */
export const visitor = (base: string, token: string) => {
  const ask = (path: string, init: RequestInit = {}) =>
    Effect.promise(() =>
      fetch(new URL(path, base), {
        ...init,
        headers: { authorization: `Bearer ${token}`, ...(init.headers as Record<string, string>) }
      })
    )
  const post = (path: string, body: unknown) =>
    ask(path, { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" } })
  // biome-ignore lint/suspicious/noExplicitAny: as above
  const json = (response: Response): Effect.Effect<any> =>
    Effect.promise(async () => ({ status: response.status, ...((await response.json()) as object) }))
  const conversation = uuid()
  return {
    conversation,
    ask,
    post: (path: string, body: unknown) => Effect.flatMap(post(path, body), json),
    get: (path: string) => Effect.flatMap(ask(path), json),
    say: (text: string, more: object = {}) => {
      const id = uuid()
      return Effect.map(
        Effect.flatMap(post("./messages", { id, conversation, text, ...more }), json),
        (answer) => ({ ...answer, id }) as { readonly status: number; readonly id: string; readonly error?: string }
      )
    },
    press: (press: object, id = uuid(), where = conversation) =>
      Effect.flatMap(post("./press", { id, conversation: where, press }), json),
    read: Effect.fnUntraced(function* (
      path = `./events?conversation=${conversation}`,
      headers: Record<string, string> = {}
    ) {
      const abort = new AbortController()
      const response = yield* ask(path, { headers, signal: abort.signal })
      if (response.status !== 200) throw new Error(`${path}: ${response.status}`)
      yield* Effect.addFinalizer(() => Effect.sync(() => abort.abort()))
      return reading(response, abort)
    })
  }
}

export type Visitor = ReturnType<typeof visitor>

export interface PageGiven {
  readonly script: Script
  readonly bridge?: Partial<BridgeOptions>
  readonly listen?: WebListenOptions
  readonly store?: StoreLayer
}

/** One host: store, bridge and page, until the scope closes. */
export const openPage = Effect.fnUntraced(function* ({
  script,
  bridge = {},
  listen = {},
  store = Store.layerMemory()
}: PageGiven) {
  const scoped = yield* Layer.build(store)
  const own = Layer.succeed(Store, Context.get(scoped, Store))
  const page = yield* Effect.provide(WebChat.listen(listen), own)
  const layer = ChannelBridge.layer({
    agents: { test: TestRuntime.layer(script), other: TestRuntime.layer([{ type: "text", text: "other" }]) },
    access: { owners: ["you"] },
    ...bridge
  }).pipe(Layer.provide([own, nodePlatform]))
  const { serve } = Context.get(yield* Layer.build(layer), ChannelBridge)
  yield* Effect.forkScoped(Effect.orDie(serve(page.channel)))
  const [, token = ""] = page.url.split("#key=")
  const base = page.url.split("#")[0] ?? ""
  // If the application authorises, the token names the person.
  const you = visitor(base, listen.authorize === undefined ? token : "ann")
  const list = yield* you.read("./events")
  yield* list.state(({ isServed }) => isServed === true)
  return { ...page, base, token, you, list, store: Context.get(scoped, Store) }
})

export type Page = Effect.Success<ReturnType<typeof openPage>>
export type PageScope = Scope.Scope
