/** Tools of agents on a served channel, as people see them: questions, other chats, scheduled prompts. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Stream } from "effect"
import { TestClock } from "effect/testing"
import { AgentFailed } from "../../src/contract/AgentError.ts"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import type { Scripted } from "../../src/testing/ScriptedEvents.ts"
import { bridgeOf } from "./bridgeOf.ts"
import { type CallTool, callsTools } from "./callsTools.ts"

const text = (value: string): AgentEvent => ({ type: "text", text: value })

/** An agent that runs the action named by its prompt, and answers with the results of its tools. */
const doing = (deeds: { readonly [prompt: string]: (call: CallTool) => Effect.Effect<unknown, unknown> }) =>
  callsTools((call) => ({ prompt }) => {
    const deed = deeds[prompt]
    if (deed === undefined) return [text(`heard: ${prompt}`)]
    const done = Effect.match(deed(call), {
      onFailure: (error) => text(`refused: ${error instanceof Error ? error.message : String(error)}`),
      onSuccess: (answer) => text(`did: ${JSON.stringify(answer)}`)
    })
    return Stream.fromEffect(done)
  })

describe("a question that an agent asks by a tool", () => {
  const asks = doing({
    ask: (call) => call("ask_person", { question: "Which one?", options: ["the red", "the blue"] })
  })

  it.live("is answered by a press, once, and shows who answered what", () =>
    Effect.gen(function* () {
      const { say, press, shown: visible, ours, until, acknowledgements } = yield* (yield* bridgeOf(asks))()
      yield* say("ask")
      const { messageId, buttons } = yield* visible("ann", "Which one?")
      assert.deepStrictEqual(buttons, ["the red", "the blue"])
      yield* visible("ann", "did: ")
      yield* press(messageId, "the blue")
      yield* press(messageId, "the blue").pipe(Effect.catchDefect(() => Effect.void))
      yield* visible("ann", "heard: the blue")
      yield* visible("ann", "ann: the blue")
      yield* until(() => (acknowledgements().length === 2 ? true : undefined))
      assert.strictEqual(acknowledgements()[1]?.text, "Already answered by ann.")
      assert.strictEqual(ours("ann").filter((message) => message.text === "heard: the blue").length, 1)
    }).pipe(Effect.scoped)
  )

  it.live("is answered by a message of the person, and then by no press", () =>
    Effect.gen(function* () {
      const {
        say,
        press,
        shown: visible,
        until,
        acknowledgements,
        ours
      } = yield* (yield* bridgeOf(asks))({ lacks: ["edit"] })
      yield* say("ask")
      const { messageId } = yield* visible("ann", "Which one?")
      yield* visible("ann", "did: ")
      yield* say("neither")
      yield* visible("ann", "heard: neither")
      yield* press(messageId, "the red")
      yield* until(() => (acknowledgements().length === 1 ? true : undefined))
      assert.strictEqual(acknowledgements()[0]?.text, "Already answered by ann.")
      assert.isFalse(ours("ann").some((message) => message.text.includes("the red") && message.text.includes("heard")))
    }).pipe(Effect.scoped)
  )

  it.live("lists its options without buttons, which cannot be forged", () =>
    Effect.gen(function* () {
      const { say, hear, shown: visible, ours } = yield* (yield* bridgeOf(asks))({ lacks: ["buttons"] })
      yield* say("ask")
      assert.include((yield* visible("ann", "Which one?")).text, "2. the blue")
      yield* visible("ann", "did: ")
      const conversation = { channel: "scripted", accountId: "bot", chatId: "ann" }
      const from = { conversation, chat: "direct", sender: { id: "ann", isBot: false } } as const
      yield* hear({ _tag: "Pressed", ...from, updateId: "x", data: "r:AAAAAAAAAAAAAAAA:1", press: { id: "x" } })
      yield* say("2")
      yield* visible("ann", "heard: 2")
      assert.isFalse(ours("ann").some((message) => message.text.includes("heard: the blue")))
    }).pipe(Effect.scoped)
  )
})

describe("a message of an agent to another chat", () => {
  const sends = doing({
    tell: (call) => call("send_message", { text: "the build is red", to: "team" }),
    "tell eve": (call) => call("send_message", { text: "psst", to: "eve" }),
    "tell absent": (call) => call("send_message", { text: "psst", to: "absent" }),
    "tell others": (call) => call("send_message", { text: "look here", to: "others" }),
    list: (call) => call("list_targets", {})
  })
  const conversation = (accountId: string) => ({ channel: "scripted", accountId, chatId: "team" })
  const gateway = {
    profile: "messaging",
    targets: {
      team: { conversation: conversation("bot"), description: "All of us" },
      others: { conversation: conversation("other") },
      absent: { conversation: conversation("gone") }
    }
  } as const

  it.live("goes only to listed targets of served accounts", () =>
    Effect.gen(function* () {
      const serve = yield* bridgeOf(sends, { gateway })
      const other = yield* serve({ accountId: "other" })
      yield* other.say("hello", { chat: "team" })
      yield* other.shown("team", "heard: ann: hello")
      const { say, shown: visible, ours } = yield* serve()
      yield* say("hello", { chat: "team" })
      yield* visible("team", "heard: ann: hello")
      yield* say("tell")
      yield* visible("team", "the build is red")
      yield* say("list")
      assert.include((yield* visible("ann", "All of us")).text, `"to":"team"`)
      yield* say("tell eve")
      yield* visible("ann", "is not a listed target")
      yield* say("tell absent")
      yield* visible("ann", "cannot be reached now")
      yield* say("tell others")
      yield* other.shown("team", "look here")
      assert.isFalse(ours("team").some((message) => message.text === "look here" || message.text === "psst"))
    }).pipe(Effect.scoped)
  )

  it.live("is not offered by default", () =>
    Effect.gen(function* () {
      const { say, shown: visible, calls } = yield* (yield* bridgeOf(sends))()
      yield* say("tell")
      yield* visible("ann", `refused: "to"`)
      yield* say("list")
      yield* visible("ann", "unknown tool list_targets")
      assert.isFalse(calls().some((call) => call.conversation?.chatId === "team"))
    }).pipe(Effect.scoped)
  )

  it.effect("refuses invalid options, with their place", () =>
    Effect.gen(function* () {
      const problems = yield* Effect.forEach(
        [
          "all",
          { profile: "most" },
          { targets: { "the team": { conversation: conversation("bot") } } },
          { targets: { team: {} } },
          { zone: "Mars/Base" },
          { scheduleUsd: 0 },
          { profil: "full" }
        ],
        (value) => Effect.flip(bridgeOf(sends, { gateway: value as never }))
      )
      assert.deepStrictEqual(
        problems.map((problem) => problem._tag === "InvalidParams" && problem.option),
        ["gateway", "profile", "gateway.targets", "targets.team.conversation", "gateway.zone", "scheduleUsd", "profil"]
      )
    }).pipe(Effect.scoped)
  )
})

describe("a scheduled prompt", () => {
  const adds = doing({
    nightly: (call) => call("schedule_add", { prompt: "check the build", cron: "0 3 * * *", zone: "UTC" }),
    once: (call) => call("schedule_add", { prompt: "look once", at: "1970-01-02T00:00:00Z", budgetUsd: 0.5 }),
    rich: (call) => call("schedule_add", { prompt: "spend", cron: "0 3 * * *", budgetUsd: 50 })
  })
  const full = { gateway: { profile: "full", zone: "UTC" } } as const

  it.effect("runs after an owner has agreed, only at its time, as a turn of its chat", () =>
    Effect.gen(function* () {
      const { say, press, seen: known, ours } = yield* (yield* bridgeOf(adds, full))()
      yield* say("nightly")
      const { messageId, text } = yield* known("ann", "The agent wants to run this prompt on a schedule")
      assert.include(text, "```\ncheck the build\n```")
      assert.include(text, "Each run may cost 1 US dollars")
      yield* known("ann", "did: ")
      yield* TestClock.adjust("1 day")
      assert.isFalse(ours("ann").some((message) => message.text.includes("heard:")))
      yield* press(messageId, "Agree")
      yield* known("ann", "Agreed by ann: it will run.")
      const settled = yield* known("ann", "ann: Agreed.")
      assert.strictEqual(settled.messageId, messageId)
      assert.match(settled.text, /on a schedule[^\n]*\n\n.*\ncheck the build\n.*\n\nNext/)
      yield* TestClock.adjust("1 day")
      yield* known("ann", "heard: check the build")
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(ours("ann").filter((message) => message.text === "heard: check the build").length, 1)
    }).pipe(Effect.scoped)
  )

  it.effect("never runs if it was refused, not approved, or exceeds the budget limit", () =>
    Effect.gen(function* () {
      const { say, seen: known, ours } = yield* (yield* bridgeOf(adds, full))({ lacks: ["buttons"] })
      yield* say("rich")
      yield* known("ann", "give more than 0 and at most 1")
      yield* say("once")
      const { text } = yield* known("ann", "Write: Agree, or Refuse.")
      assert.include(text, "0.5 US dollars")
      yield* known("ann", "did: ")
      yield* say("refuse")
      yield* known("ann", "Refused by ann")
      yield* say("nightly")
      yield* known("ann", "on a schedule")
      yield* TestClock.adjust("3 days")
      assert.isFalse(ours("ann").some((message) => message.text.includes("heard:")))
    }).pipe(Effect.scoped)
  )

  it.effect("can only be approved by owners, also if others get hold of its button", () =>
    Effect.gen(function* () {
      const {
        say,
        press,
        seen: known,
        hear,
        until,
        acknowledgements,
        ours
      } = yield* (yield* bridgeOf(adds, {
        ...full,
        access: { owners: ["ann"], approvers: ["cat"], groups: { team: { mention: false, users: ["bob"] } } }
      }))()
      yield* say("nightly", { from: "cat" })
      yield* known("cat", "unknown tool schedule_add")
      yield* say("nightly", { from: "ann" })
      const { messageId } = yield* known("ann", "The agent wants")
      const forged = { conversation: { channel: "scripted", accountId: "bot", chatId: "cat" }, chat: "direct" } as const
      const sender = { id: "cat", isBot: false }
      yield* press(messageId, "Agree", { from: "cat" })
      for (const data of ["c:a:00000000-0000-0000-0000-000000000000", "c:a:x", "c:a:"]) {
        yield* hear({ _tag: "Pressed", ...forged, sender, updateId: data, data, press: { id: data } })
      }
      yield* TestClock.adjust("1 minute")
      yield* until(() => (acknowledgements().length === 4 ? true : undefined))
      yield* TestClock.adjust("2 days")
      assert.isFalse(ours("ann").some((message) => message.text.includes("heard:")))
    }).pipe(Effect.scoped)
  )

  it.effect("is stopped if a run exceeds the agreed budget", () =>
    Effect.gen(function* () {
      const costly = callsTools((call) => ({ prompt }) => {
        if (prompt === "add") {
          const input = { prompt: "spend", at: "1970-01-01T01:00:00Z" }
          return Stream.fromEffect(Effect.as(Effect.orDie(call("schedule_add", input)), text("added")))
        }
        const usage = (totalCostUsd: number): AgentEvent => ({
          type: "usage",
          usage: { inputTokens: 1, outputTokens: 1 },
          totalCostUsd
        })
        return Stream.concat(Stream.make(usage(0.4), usage(1.2)), Stream.never)
      })
      const { say, press, seen: known } = yield* (yield* bridgeOf(costly, full))()
      yield* say("add")
      yield* press((yield* known("ann", "The agent wants")).messageId, "Agree")
      yield* known("ann", "Agreed by ann")
      yield* TestClock.adjust("2 hours")
      yield* known("ann", "Stopped: this run of a scheduled prompt exceeded its budget of 1 US dollars.")
      yield* say("/status")
      yield* known("ann", "idle")
    }).pipe(Effect.scoped)
  )
})

describe("a turn that fails at a limit", () => {
  const limited = new AgentFailed({
    ...{ code: "usage_limit_reached", category: "rate_limit", detail: "Later.", retryAfterMs: 3_600_000 }
  })
  const zone = { gateway: { zone: "Asia/Kolkata" } } as const
  /** Until the first hour is over; `hadOutput`: after the beginning of an answer. */
  const limitedFor = (hadOutput = false) =>
    callsTools(
      () =>
        ({ prompt }) =>
          Stream.unwrap(
            Effect.map(Clock.currentTimeMillis, (now) =>
              now < 3_600_000
                ? Stream.fromIterable<Scripted>([...(hadOutput ? [text("I begin")] : []), limited])
                : Stream.make(text(`heard: ${prompt}`))
            )
          )
    )

  it.effect("says when the limit ends in the person's zone, and runs again then where an owner wants it", () =>
    Effect.gen(function* () {
      const { say, press, seen: known, ours } = yield* (yield* bridgeOf(limitedFor(), zone))()
      yield* say("look")
      const { text: failure } = yield* known("ann", "accepts no more requests")
      assert.match(failure, / Try again after 1 Jan 1970, 06:30 \(Asia\/Kolkata\)\.$/)
      const { messageId, buttons } = yield* known("ann", "The limit ends on 1 Jan 1970, 06:30")
      assert.deepStrictEqual(buttons, ["Try again then"])
      yield* press(messageId, "Try again then")
      yield* known("ann", "Agreed by ann: it will run.")
      yield* TestClock.adjust("59 minutes")
      assert.isFalse(ours("ann").some((message) => message.text.includes("heard:")))
      yield* TestClock.adjust("2 minutes")
      yield* known("ann", "heard: look")
      yield* TestClock.adjust("2 hours")
      assert.strictEqual(ours("ann").filter((message) => message.text === "heard: look").length, 1)
    }).pipe(Effect.scoped)
  )

  const unoffered = [
    ["to others than owners", "bob", false, []],
    ["without buttons", "ann", false, ["buttons"]],
    ["after output", "ann", true, []]
  ] as const
  it.effect.each(unoffered)("offers nothing %s", ([, person, hadOutput, lacks]) =>
    Effect.gen(function* () {
      const { say, seen: known, ours } = yield* (yield* bridgeOf(limitedFor(hadOutput), zone))({ lacks })
      yield* say("look", { from: person })
      yield* known(person, "Try again after 1 Jan 1970, 06:30 (Asia/Kolkata).")
      yield* TestClock.adjust("2 hours")
      yield* say("again", { from: person })
      yield* known(person, "heard: again")
      assert.isFalse(ours(person).some((message) => message.text.includes("The limit ends")))
    }).pipe(Effect.scoped)
  )
})
