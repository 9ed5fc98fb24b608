/** No secret is in an error, a log, or a printed form of the channel, whatever goes wrong. */
import { join } from "node:path"
import { inspect } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Logger, References, Stream, Tracer } from "effect"
import { WhatsApp } from "../../../src/channels/whatsapp/WhatsApp.ts"
import { redacted } from "../../../src/contract/Redacted.ts"
import { WhatsAppServer } from "../../../src/testing/Scoped.ts"
import type { WhatsAppFault } from "../../../src/testing.ts"
import { makeDirectory } from "../../kit/temporary.ts"
import { asTimePasses, openFor, optionsFor, pieceOf, place } from "./kit.ts"

const faults = (secrets: string): ReadonlyArray<WhatsAppFault | "down"> => [
  "cutBefore",
  "cutAfter",
  "hang",
  "badGateway",
  "invalidJson",
  { code: 100, details: secrets },
  { code: 131_056, details: secrets },
  { code: 131_009, details: secrets, status: 403 },
  { code: 1, details: secrets, status: 500 },
  "down",
  "unauthorized"
]

describe("the secrets of a number", () => {
  it.effect("are nowhere, whatever fails", () => {
    const visible: Array<string> = []
    const keep = (input: unknown) => {
      visible.push(inspect(input, { depth: 9, showHidden: true }), String(input), JSON.stringify(input) ?? "")
      if (input instanceof Error) visible.push(input.stack ?? "", input.message)
    }
    const logger = Logger.layer([Logger.make(({ message, cause }) => keep([message, cause]))])
    return Effect.gen(function* () {
      const wa = yield* WhatsAppServer.make({ pace: false })
      const { token, appSecret, verifyToken } = wa
      const secrets = [token, appSecret, verifyToken]
      const folder = yield* makeDirectory
      const options = {
        ...optionsFor(wa),
        token: redacted(token),
        appSecret: redacted(appSecret),
        verifyToken: redacted(verifyToken),
        waba: wa.waba
      }
      keep(options)
      wa.say("", { document: { content: "x" } })
      const { id } = Object(wa.pending()[0]?.["document"])
      for (const fault of faults(secrets.join(" "))) {
        const { channel } = yield* WhatsApp.make(options)
        const set = (method: string) => (fault === "down" ? undefined : wa.fail(method, fault))
        const works: ReadonlyArray<readonly [string, Effect.Effect<unknown, unknown>]> = [
          ["messages", channel.send(place, pieceOf(channel, "x"), "k")],
          ["media", channel.send(place, { text: "", body: { text: "" }, file: import.meta.filename }, "k")],
          ["read", channel.working?.(place, "wamid.A") ?? Effect.void],
          ["file", channel.download?.(String(id), join(folder, "f")) ?? Effect.void],
          ["download", channel.download?.(String(id), join(folder, "g")) ?? Effect.void],
          ["phone", channel.check],
          ["debug_token", channel.check],
          ["subscribed_apps", channel.check],
          ["phone", WhatsApp.make(options)],
          ["none", Effect.timeoutOption(Stream.runDrain(channel.incoming(undefined)), "1 minute")]
        ]
        if (fault === "down") yield* Effect.promise(wa.down)
        for (const [method, work] of works) {
          set(method)
          const exit = yield* asTimePasses(Effect.exit(Effect.timeoutOption(work, "10 minutes")), 10_000)
          keep(exit)
          if (Exit.isFailure(exit)) {
            keep(Cause.squash(exit.cause))
            visible.push(Cause.pretty(exit.cause))
          }
        }
        keep(channel)
        if (fault === "down") yield* Effect.promise(wa.up)
      }
      // Requests of strangers, and of Meta.
      const { channel, webhook } = yield* openFor(wa)
      keep(channel)
      const raw = `{"object":"whatsapp_business_account","entry":[{"changes":[{"field":"messages","value":{"metadata":{"phone_number_id":"${wa.phone}"},"messages":[7]}}]}]}`
      for (const signature of [wa.sign(raw), `sha256=${"0".repeat(64)}`]) {
        const request = { method: "POST", headers: { "x-hub-signature-256": signature }, body: raw }
        const response = yield* Effect.promise(() => fetch(webhook, request))
        keep([...response.headers])
        keep(yield* Effect.promise(() => response.text()))
      }
      const refused = yield* Effect.promise(() => fetch(`${webhook}?hub.mode=subscribe&hub.verify_token=wrong`))
      keep(yield* Effect.promise(() => refused.text()))
      assert.isAbove(visible.length, 300)
      for (const text of visible) for (const secret of secrets) assert.notInclude(text, secret)
    }).pipe(
      Effect.scoped,
      Effect.provide(logger),
      Effect.provideService(References.MinimumLogLevel, "All"),
      Effect.provideService(
        Tracer.Tracer,
        Tracer.make({
          span: (span) => {
            keep([span.name, span.annotations])
            return new Tracer.NativeSpan(span)
          }
        })
      )
    )
  })
})
