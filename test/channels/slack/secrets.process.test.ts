/** The tokens are in no error, log or printed form; a hostile server gets neither them nor the memory of the host. */
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { inspect } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Redacted, type Scope, Stream } from "effect"
import { Slack } from "../../../src/channels/slack/Slack.ts"
import type { SlackFault } from "../../../src/testing.ts"
import { makeDirectory } from "../../kit/temporary.ts"
import { listenTo, overheard, pieceOf, textOf, untilTrue } from "../telegram/kit.ts"
import { place, start } from "./kit.ts"

const bot = "xoxb-1000000000-SECRETSECRET"
const app = "xapp-1-A0TESTAPP-3000000000-SECRETSECRET"

const faults: ReadonlyArray<SlackFault | "down"> = [
  "cutBefore",
  "cutAfter",
  "badGateway",
  "invalidJson",
  { retryAfter: 5 },
  { error: bot },
  { error: "missing_scope", more: { needed: app } },
  "down",
  "revoked"
]

describe("the tokens of an app", () => {
  it.live("are nowhere, whatever fails", () => {
    const lines: Array<string> = []
    return Effect.gen(function* () {
      const folder = yield* makeDirectory
      const visible: Array<string> = []
      const keep = (input: unknown) => {
        visible.push(inspect(input, { depth: 9, showHidden: true }), String(input), JSON.stringify(input) ?? "")
        if (input instanceof Error) visible.push(input.stack ?? "", input.message)
      }
      for (const fault of faults) {
        const { slack } = yield* start({ token: bot, appToken: app })
        const options = { botToken: Redacted.make(bot), appToken: Redacted.make(app), apiRoot: slack.url }
        const channel = yield* Slack.channel(options)
        keep(options)
        keep(channel)
        const ref = { conversation: place, messageId: "1700000000.000001" }
        const piece = pieceOf(channel, "x")
        const works: ReadonlyArray<readonly [string, Effect.Effect<unknown, unknown>]> = [
          ["chat.postMessage", channel.send(place, piece, "k")],
          ["files.getUploadURLExternal", channel.send(place, { ...piece, file: import.meta.filename }, "k")],
          ["chat.update", channel.edit?.(ref, piece) ?? Effect.void],
          ["chat.delete", channel.remove?.(ref) ?? Effect.void],
          ["conversations.history", channel.find?.(place, piece, "k", undefined) ?? Effect.void],
          ["files.info", channel.download?.("F1", join(folder, "f")) ?? Effect.void],
          ["auth.test", channel.check],
          ["apps.connections.open", Effect.timeoutOption(Stream.runDrain(channel.incoming(undefined)), 300)]
        ]
        if (fault === "down") yield* Effect.promise(slack.down)
        for (const [method, work] of works) {
          if (fault !== "down") slack.fail(method, fault, 3)
          const exit = yield* Effect.exit(work)
          keep(exit)
          if (Exit.isFailure(exit)) {
            keep(Cause.squash(exit.cause))
            visible.push(Cause.pretty(exit.cause))
          }
        }
        if (fault === "down") keep(yield* Effect.exit(Effect.scoped(Slack.channel(options))))
      }
      assert.isAbove(visible.length, 200)
      for (const text of [...visible, ...lines]) assert.notInclude(text, "SECRETSECRET")
    }).pipe(Effect.scoped, Effect.provide(overheard(lines)))
  })
})

const hostile = (listener: RequestListener): Effect.Effect<string, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<ReturnType<typeof createServer>>((resume) => {
        const server = createServer(listener)
        server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
      }),
      (server) =>
        Effect.callback<void>((resume) => {
          server.close(() => resume(Effect.void))
          server.closeAllConnections()
        })
    ),
    (server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`
  )

describe("a hostile server", () => {
  it.live("that redirects or never ends gets no token, and nothing is known of the message", () =>
    Effect.gen(function* () {
      const observations: Array<string> = []
      const other = yield* hostile((request, response) => {
        observations.push(String(request.headers.authorization))
        response.end("{}")
      })
      const listeners: ReadonlyArray<RequestListener> = [
        (_, response) => response.writeHead(307, { location: other }).end(),
        (_, response) => {
          const more = () => {
            while (response.write(Buffer.alloc(100_000, "x"))) {}
          }
          response.on("drain", more).on("error", () => undefined)
          more()
        }
      ]
      for (const listener of listeners) {
        const apiRoot = yield* hostile(listener)
        const channel = yield* Slack.channel({ botToken: bot, appToken: app, apiRoot })
        const failure = yield* Effect.flip(channel.send(place, pieceOf(channel, "x"), "k"))
        assert.strictEqual(failure.reason._tag, "Unknown")
      }
      assert.deepStrictEqual(observations, [])
    }).pipe(Effect.scoped)
  )

  it.live("that names addresses of others for sockets and files is not followed", () =>
    Effect.gen(function* () {
      const apiRoot = yield* hostile((request, response) =>
        response.end(
          JSON.stringify({
            ok: true,
            team_id: "T1",
            user_id: "U1",
            url: "ws://other.invalid/",
            file: { id: "F1", url_private_download: "http://other.invalid/f" },
            seen: request.url
          })
        )
      )
      const channel = yield* Slack.channel({ botToken: bot, appToken: app, apiRoot })
      const exit = yield* Effect.exit(channel.download?.("F1", "/nowhere") ?? Effect.void)
      assert.include(String(exit), "message")
      assert.include(
        (yield* channel.check).map(({ message }) => message),
        "Slack names no address for a socket."
      )
    }).pipe(Effect.scoped)
  )

  it.live("that sends frames which are too large or no JSON is left, and what comes later is heard", () =>
    Effect.gen(function* () {
      const { slack, channel } = yield* start()
      const { heard: received, until } = yield* listenTo(channel)
      yield* untilTrue(() => slack.listeners() === 1)
      const [first] = slack.sockets()
      for (const text of [
        "{",
        "[]",
        '{"type":"events_api","envelope_id":7}',
        '{"type":"events_api","envelope_id":"x"}'
      ])
        first?.send(text)
      slack.say("one")
      yield* until(1)
      first?.sendFrame(0x1, "x".repeat(6_000_000), false)
      yield* untilTrue(() => first?.isOpen() === false && slack.listeners() === 1)
      slack.say("two")
      yield* until(2)
      assert.deepStrictEqual(received.map(textOf), ["one", "two"])
    }).pipe(Effect.scoped)
  )
})
