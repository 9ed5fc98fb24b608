/** The page passes the suite of all channels. Its rows are its outbox: nothing between it and its people can fail unseen. */
import { Context, Effect, Layer, type Scope, Stream } from "effect"
import type { Channel } from "../../../src/bridge/messages/Channel.ts"
import { WebChat } from "../../../src/channels/web/WebChat.ts"
import { Store } from "../../../src/conversations/store/Store.ts"
import type { ShownMessage } from "../../../src/testing/channels/board.ts"
import { makeSignal } from "../../../src/testing/channels/updates.ts"
import { channelContract, type Stage } from "../contract.ts"
import type { Row } from "./page.ts"

const conversation = "0a1b2c3d-0000-4000-8000-000000000000"
const place = `ann/${conversation}`
const impossible = () => Effect.die(new Error("people of a page cannot do that"))

const open: Effect.Effect<Stage, never, Scope.Scope> = Effect.gen(function* () {
  const store = yield* Layer.build(Store.layerMemory())
  const { channel, handler } = yield* WebChat.make({ authorize: () => ({ id: "ann" }) }).pipe(
    Effect.provideService(Store, Context.get(store, Store))
  )
  yield* channel.watch?.({
    ...{ _tag: "Served", agents: ["test"], agent: "test", directories: [] },
    roleOf: () => "owner"
  }) ?? Effect.void
  const signal = makeSignal()
  const calls: Array<ReturnType<Stage["calls"]>[number]> = []
  const acknowledgements: Array<ReturnType<Stage["acknowledgements"]>[number]> = []
  let visible: ReadonlyArray<ShownMessage> = []
  let rows: ReadonlyArray<Row> = []
  let listeners = 0

  const ask = (path: string, body?: object) =>
    handler(
      new Request(`http://127.0.0.1/${path}`, {
        ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
        headers: { "content-type": "application/json" }
      })
    ).then((response) => response.json() as Promise<{ readonly rows?: ReadonlyArray<Row> }>)

  const messageOf = ({ id, at, row, ...rest }: Row): ShownMessage => {
    const edited = rows.findLast((each) => each.row === "edited" && each["of"] === id)
    const { text, buttons = [] } = edited ?? rest
    return {
      ...{ messageId: row === "message" ? rest["message"] : String(id), from: row === "message" ? "ann" : "web" },
      ...{ isOurs: row !== "message", text, isEdited: edited !== undefined, isSilent: false, at },
      buttons: buttons.flat().map(({ label }: { label: string }) => label)
    }
  }
  const look = Effect.promise(async () => {
    rows = (await ask(`rows?conversation=${conversation}`)).rows ?? []
    visible = rows.filter(({ row }) => row === "message" || row === "said" || row === "host").map(messageOf)
    signal.notify()
  })

  const say: Stage["say"] = (text) =>
    Effect.gen(function* () {
      const id = crypto.randomUUID()
      yield* Effect.promise(() => ask("messages", { id, conversation, text }))
      yield* look
      return id
    })
  // Messages that were sent before the person wrote are visible to them, too.
  yield* say("hello")
  const before = rows.at(-1)?.id

  const watched: Channel = {
    ...channel,
    send: (to, piece, key) => {
      calls.push({ method: "send", at: 0, conversation: to, outcome: "done" })
      return Effect.tap(channel.send(to, piece, key), look)
    },
    edit: (ref, piece) => Effect.tap(channel.edit?.(ref, piece) ?? Effect.void, look),
    acknowledge: (press, text) => {
      acknowledgements.push({ press: press.updateId, ...(text === undefined ? {} : { text }) })
      return channel.acknowledge(press, text)
    },
    incoming: (mark) =>
      Stream.unwrap(
        Effect.map(
          Effect.acquireRelease(
            Effect.sync(() => {
              listeners += 1
            }),
            () =>
              Effect.sync(() => {
                listeners -= 1
                signal.notify()
              })
          ),
          () => Stream.tap(channel.incoming(mark ?? String(before)), () => Effect.sync(signal.notify))
        )
      )
  }

  return {
    channel: watched,
    place,
    sameKey: "once" as const,
    say,
    press: (messageId: string, label: string) =>
      Effect.sync(() => {
        const row = rows.find(({ id }) => String(id) === messageId)
        const button = row?.["buttons"].flat().find((each: { label: string }) => each.label === label)
        const id = crypto.randomUUID()
        void ask("press", { id, conversation, press: { do: "button", data: button.data } })
        return id
      }),
    edit: impossible,
    withdraw: impossible,
    chat: () => visible.filter(({ text }) => text !== "hello"),
    fail: () => {
      throw new Error("nothing can fail")
    },
    acknowledgements: () => acknowledgements,
    listeners: () => listeners,
    until: signal.until,
    calls: () => calls
  }
}).pipe(Effect.orDie)

channelContract("of a page", open, { faults: true, changes: true })
