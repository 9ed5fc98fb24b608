/** Calls of the Web API: what is known of each when it fails, which token was refused, and what a hostile server gets. */
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { inspect } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import { makeClient } from "../../../src/channels/slack/calls/client.ts"
import type { SlackFault } from "../../../src/testing.ts"
import { overheard } from "../telegram/kit.ts"
import { channel, pieceOf, placeOf, start } from "./outgoing.ts"

const serve = (listener: RequestListener) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly url: string; readonly close: () => void }>((resume) => {
      const server = createServer(listener)
      server.listen(0, "127.0.0.1", () => {
        const { port } = server.address() as AddressInfo
        const close = () => {
          server.close()
          server.closeAllConnections()
        }
        resume(Effect.succeed({ url: `http://127.0.0.1:${port}`, close }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )

const secrets = { botToken: "xoxb-1-2-secretBot", appToken: "xapp-1-A1-2-secretApp" }

describe("a call of the Web API", () => {
  it.live("gives the answer, sends objects and flags, and leaves out what is undefined", () =>
    Effect.gen(function* () {
      const { slack, client } = yield* start()
      const answer = yield* client.call("chat.postMessage", {
        channel,
        text: "é & ü",
        thread_ts: undefined,
        unfurl_links: false,
        metadata: { event_type: "t", event_payload: { key: "k" } }
      })
      assert.include(answer, { ok: true, channel })
      const [message] = slack.chat(channel)
      assert.deepInclude(message, { notification: "é & ü", metadata: { event_type: "t", event_payload: { key: "k" } } })
      assert.deepInclude(slack.calls().at(-1)?.params, { unfurl_links: "false" })
      assert.notProperty(slack.calls().at(-1)?.params, "thread_ts")
    }).pipe(Effect.scoped)
  )

  it.live.each<[SlackFault | "down", object]>([
    ["cutBefore", { _tag: "Unknown" }],
    ["cutAfter", { _tag: "Unknown" }],
    ["badGateway", { _tag: "Unknown" }],
    ["badGatewayAfter", { _tag: "Unknown" }],
    ["invalidJson", { _tag: "Unknown" }],
    ["hang", { _tag: "Unknown" }],
    ["down", { _tag: "Unreachable" }],
    ["revoked", { _tag: "Refused", error: "token_revoked" }],
    [{ error: "fatal_error" }, { _tag: "Unknown" }],
    [{ error: "is_archived" }, { _tag: "Refused", error: "is_archived" }],
    [
      { error: "no_text", status: 400 },
      { _tag: "Refused", error: "no_text" }
    ],
    [{ retryAfter: 3 }, { _tag: "Refused", error: "ratelimited", retryAfterMs: 3_000 }]
  ])("fails by what is known: %j", ([fault, expected]) =>
    Effect.gen(function* () {
      const { slack, client } = yield* start()
      if (fault === "down") yield* Effect.promise(slack.down)
      else slack.fail("auth.test", fault)
      const failure = yield* Effect.flip(client.call("auth.test", {}, { deadlineMs: 500 }))
      assert.deepStrictEqual<object>(failure, expected)
    }).pipe(Effect.scoped)
  )

  it.live("tells which token was refused", () =>
    Effect.gen(function* () {
      const { slack, checked, client, refused } = yield* start()
      yield* client.call("apps.connections.open", {}, { token: "app" })
      slack.revoke()
      yield* Effect.exit(client.call("auth.test", {}))
      assert.deepStrictEqual(refused, ["bot"])
      const other = makeClient({ ...checked, appToken: "xapp-1-A0-other-token" }, (token) =>
        Effect.sync(() => void refused.push(token))
      )
      yield* Effect.exit(other.call("apps.connections.open", {}, { token: "app" }))
      assert.deepStrictEqual(refused, ["bot", "app"])
    }).pipe(Effect.scoped)
  )

  it.live("says once in the log that a scope is missing, and which", () => {
    const lines: Array<string> = []
    return Effect.gen(function* () {
      const { client } = yield* start({ scopes: ["chat:write"] })
      for (let time = 0; time < 3; time++) {
        const failure = yield* Effect.flip(client.call("files.info", { file: "F1" }))
        assert.deepStrictEqual<object>(failure, { _tag: "Refused", error: "missing_scope", needed: "files:read" })
      }
      assert.lengthOf(lines, 1)
      assert.match(lines[0] ?? "", /lacks files:read\. Add files:read .*install the app again/)
    }).pipe(Effect.scoped, Effect.provide(overheard(lines)))
  })
})

describe("a hostile server", () => {
  it.live("gets no token by a redirect, and cannot hold a call for ever", () =>
    Effect.gen(function* () {
      const got: Array<string> = []
      const elsewhere = yield* serve((request, response) => {
        got.push(String(request.headers.authorization))
        response.end('{"ok":true}')
      })
      const listeners: ReadonlyArray<RequestListener> = [
        (_, response) => response.writeHead(307, { location: `${elsewhere.url}/api` }).end(),
        () => {},
        (_, response) => {
          response.writeHead(200)
          const more = () => response.write("x".repeat(100_000), () => setImmediate(more))
          more()
        },
        (_, response) => response.end("[".repeat(100_000)),
        (_, response) => response.end('{"ok":"yes"}')
      ]
      for (const listener of listeners) {
        const { url } = yield* serve(listener)
        const client = makeClient({ ...secrets, apiRoot: `${url}/api` }, () => Effect.die("no token was refused"))
        const failure = yield* Effect.flip(client.call("auth.test", {}, { deadlineMs: 2_000 }))
        assert.deepStrictEqual<object>(failure, { _tag: "Unknown" })
      }
      assert.deepStrictEqual(got, [])
    }).pipe(Effect.scoped)
  )
})

const faults: ReadonlyArray<SlackFault> = [
  "cutBefore",
  "cutAfter",
  "badGateway",
  "invalidJson",
  { retryAfter: 5 },
  { error: "TOKEN" },
  { error: "missing_scope", more: { needed: "TOKEN", provided: "TOKEN" } },
  { error: "invalid_auth", more: { response_metadata: { messages: ["TOKEN"] } } }
]

describe("the tokens of an app", () => {
  it.live("are in no error and no log, whatever fails", () => {
    const lines: Array<string> = []
    return Effect.gen(function* () {
      const { slack, client, send, find, edit, remove, acknowledge } = yield* start()
      const [to, piece] = [placeOf(channel), pieceOf("x")]
      const ref = { conversation: to, messageId: "1700000000.000001" }
      const file = { text: "", body: { text: "" }, file: import.meta.filename }
      const press = {
        _tag: "Pressed",
        conversation: to,
        updateId: "u",
        chat: "group",
        sender: { id: "U1", isBot: false },
        data: "d",
        press: { responseUrl: `${new URL(slack.url).origin}/actions/T0/secret-of-a-press` }
      } as const
      const works: ReadonlyArray<readonly [string, Effect.Effect<unknown, unknown>]> = [
        ["chat.postMessage", send(to, piece, "k")],
        ["files.getUploadURLExternal", send(to, file, "k")],
        ["upload", send(to, file, "k")],
        ["files.completeUploadExternal", send(to, file, "k")],
        ["conversations.history", find(to, piece, "k", undefined)],
        ["chat.update", edit(ref, piece)],
        ["chat.delete", remove(ref)],
        ["response_url", acknowledge(press, "no")],
        ["apps.connections.open", client.call("apps.connections.open", {}, { token: "app" })]
      ]
      const visible: Array<string> = []
      for (const fault of faults)
        for (const [method, work] of works) {
          const secret = method === "apps.connections.open" ? slack.appToken : slack.token
          slack.fail(method, JSON.parse(JSON.stringify(fault).replaceAll("TOKEN", secret)))
          const exit = yield* Effect.exit(work)
          visible.push(inspect(exit, { depth: 9, showHidden: true }), JSON.stringify(exit) ?? "")
          if (Exit.isFailure(exit)) visible.push(Cause.pretty(exit.cause))
        }
      visible.push(inspect(client, { depth: 9 }))
      assert.isAbove(visible.length, 150)
      for (const text of [...visible, ...lines])
        for (const part of ["TESTtokenOfNobody", "secret-of-a-press"]) assert.notInclude(text, part)
    }).pipe(Effect.scoped, Effect.provide(overheard(lines)))
  })
})
