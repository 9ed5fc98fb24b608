/** The check of an app in `reins doctor`. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { Finding } from "../../../src/bridge/messages/Channel.ts"
import { makeClient } from "../../../src/channels/slack/calls/client.ts"
import { makeCheck } from "../../../src/channels/slack/check.ts"
import type { SlackServerOptions } from "../../../src/testing.ts"
import { start } from "./outgoing.ts"

const words = (findings: ReadonlyArray<Finding>) => findings.map(({ level, message }) => `${level}: ${message}`)

const groupsOf = (...ids: ReadonlyArray<string>) => new Map(ids.map((id) => [id, { mention: true }]))

const begin = (options: SlackServerOptions = {}, ids: ReadonlyArray<string> = []) =>
  Effect.map(start(options), ({ slack, checked, client }) => {
    const check = (connections?: number, own = client) =>
      makeCheck({ client: own, groups: groupsOf(...ids), probe: Effect.succeed(connections) })
    return { slack, checked, check }
  })

const fine = "ok: The token is that of @reins in Test."

describe("a look at an app", () => {
  it.live("finds nothing wrong, and changes nothing", () =>
    Effect.gen(function* () {
      const { slack, check } = yield* begin({}, ["C1", "*"])
      for (const connections of [undefined, 1]) assert.deepStrictEqual(words(yield* check(connections)), [fine])
      assert.deepStrictEqual([...new Set(slack.calls().map(({ method }) => method))].sort(), [
        "apps.connections.open",
        "auth.test",
        "conversations.info"
      ])
      assert.deepStrictEqual(slack.violations(), [])
    }).pipe(Effect.scoped)
  )

  it.live("finds another reader, Socket Mode off, and channels where the bot is not", () =>
    Effect.gen(function* () {
      const { slack, check } = yield* begin({}, ["C1", "C2", "C3", "C4"])
      slack.open("C2", { isMember: false, name: "general" })
      slack.open("C3", { isArchived: true })
      const [first, other, ...places] = words(yield* check(2))
      assert.strictEqual(first, fine)
      assert.include(other, "failure: Another program reads this app's events: it has 2 connections")
      assert.deepStrictEqual(places.length, 3)
      assert.include(places[0], "warning: The bot is not in the channel C2 (#general)")
      assert.include(places[1], "warning: The channel C3")
      assert.include(places[1], "is archived")
      assert.include(places[2], "warning: The channel C4 cannot be reached: channel_not_found")
      slack.socketMode(false)
      assert.include(words(yield* check(2))[1], "failure: Slack opens no connection: access_denied")
    }).pipe(Effect.scoped)
  )

  it.live("names each scope that is missing: a failure where nothing could be heard or answered", () =>
    Effect.gen(function* () {
      const given =
        "app_mentions:read channels:history groups:history im:history mpim:history im:read channels:read groups:read mpim:read chat:write commands"
      const { check } = yield* begin({ scopes: given.split(" ") })
      assert.deepStrictEqual(words(yield* check()), [fine, "warning: The app lacks files:read, files:write."])
      const bare = yield* begin({ scopes: given.replace("chat:write ", "").split(" ") })
      const findings = yield* bare.check()
      assert.strictEqual(words(findings)[1], "failure: The app lacks chat:write, files:read, files:write.")
      assert.match(findings[1]?.help ?? "", /OAuth & Permissions.*install the app again/)
    }).pipe(Effect.scoped)
  )

  it.live("finds which token is refused, and an address that cannot be reached or is not Slack", () =>
    Effect.gen(function* () {
      const { slack, checked, check } = yield* begin()
      const clientOf = (more: object) => makeClient({ ...checked, ...more }, () => Effect.void)
      const wrongApp = clientOf({ appToken: "xapp-1-A0-other-token" })
      assert.include(words(yield* check(1, wrongApp))[1], "failure: Slack refuses the app-level token")
      slack.fail("auth.test", { error: "no_such_word" })
      assert.include(words(yield* check(1))[0], "failure: Slack does not say who the bot is: no_such_word")
      slack.revoke()
      assert.include(words(yield* check(1))[0], "failure: Slack refuses the bot's token")
      yield* Effect.promise(slack.down)
      assert.deepStrictEqual(words(yield* check(1)), [
        "failure: Slack does not say who the bot is: it was not reached.",
        "failure: Slack opens no connection: it was not reached."
      ])
    }).pipe(Effect.scoped)
  )

  it.effect("finds that the clock is off", () =>
    Effect.gen(function* () {
      const { check } = yield* begin({ now: Date.now })
      yield* TestClock.setTime(Date.now() - 7_200_000)
      assert.isTrue(words(yield* check()).some((line) => /clock of this machine is 7[12]\d\d s off/.test(line)))
    }).pipe(Effect.scoped)
  )
})
