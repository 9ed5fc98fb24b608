/** Each command over a channel: who may send it, its reply, and hints for wrong ones, which begin no turn. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { commandTable } from "../../../src/bridge/commands/command.ts"
import * as TestRuntime from "../../../src/testing/TestRuntime.ts"
import { bridgeOf } from "../bridgeOf.ts"

type Give = (text: string, from?: string) => Effect.Effect<string>

/** Ann is the owner, Abe an admin, Bob a user. */
const opened = Effect.gen(function* () {
  const request: Array<string> = []
  const agent = TestRuntime.layer(({ prompt }) => {
    request.push(prompt)
    return [{ type: "text", text: `heard: ${prompt}` }]
  })
  const serve = yield* bridgeOf(agent, {
    access: { owners: ["ann"], admins: ["abe"], users: ["bob"] },
    directories: { shop: { path: "/tmp" }, docs: { path: "/" } },
    directory: "shop"
  })
  const { say, ours, until } = yield* serve()
  const give: Give = Effect.fnUntraced(function* (text, from = "ann") {
    const before = ours(from).length
    yield* say(text, { from })
    return yield* until(() => ours(from)[before]?.text)
  })
  return { give, asked: request }
})

const expectedReplies: Readonly<Record<string, readonly [input: string, answer: RegExp]>> = {
  stop: ["/stop", /^Nothing is running\.$/],
  new: ["/new", /^A new session begins\.$/],
  status: ["/status", /^test: idle, 0 waiting\.$/],
  usage: ["/usage", /^No usage is recorded for this chat\.$/],
  sessions: ["/sessions", /^This chat has no session yet\.$/],
  resume: ["/resume abc", /^No session of this chat begins with abc\./],
  export: ["/export", /^(?:There is nothing to export|Files cannot be sent here)\.$/],
  changes: ["/changes", /^This chat has no worktree: /],
  planmode: ["/planmode auto", /^Plan mode: auto$/],
  agent: ["/agent test", /^Agent: test$/],
  model: ["/model opus", /^Model: opus$/],
  mode: ["/mode plan", /^Mode: plan$/],
  effort: ["/effort high", /^Effort: high$/],
  dir: ["/dir docs", /^Directory: docs$/],
  files: ["/files none.txt", /./],
  pause: ["/pause", /^Paused: /],
  restart: ["/restart", /^That is not possible here\.$/],
  whoami: ["/whoami", /^Your id is ann, this chat is ann, your role is owner\.$/],
  help: ["/help", /\/stop: stops the agent/]
}

const wrong: ReadonlyArray<readonly [input: string, hint: RegExp]> = [
  ["/stpo", /^Unknown command: \/stpo\. Did you mean \/stop\?$/],
  ["/abracadabra", /\/help lists them\.$/],
  ["/new fix it", /^\/new takes no arguments\./],
  ["/pause now", /^\/pause takes no arguments\./],
  ["/restart now", /^\/restart takes no arguments\./],
  ["/agent tset", /tset is not one of test\. Did you mean test\?$/],
  ["/model --help", /^\/model: --help is not a valid value\.$/],
  ["/mode plam", /^\/mode: plam is not one of .* Did you mean plan\?$/],
  ["/effort very high", /is not a valid value\.$/],
  ["/dir ../etc", /is not one of shop, docs\.$/],
  ["/resume", /^An argument is missing: \/resume ID$/],
  ["/resume $(id)", /is not a valid value\.$/],
  ["/files", /^An argument is missing: \/files PATH$/],
  ["/export pdf", /^\/export: pdf is not one of md, json\.$/],
  ["/planmode maybe", /^\/planmode: maybe is not one of off, auto, on\.$/],
  ["/test", /^Write your message after \/test/]
]

const rank = ["user", "approver", "admin", "owner"]
const people = [
  ["bob", "user"],
  ["abe", "admin"],
  ["ann", "owner"]
] as const

describe("each command", () => {
  it("has an expected answer here", () => {
    assert.deepStrictEqual(Object.keys(expectedReplies).sort(), commandTable.map(({ name }) => name).sort())
  })

  it.live.each(commandTable)("/$name runs for $role and above, and is refused to others", ({ name, role }) =>
    Effect.gen(function* () {
      const { give, asked: request } = yield* opened
      const [text, answer] = expectedReplies[name] ?? ["", /^$/]
      for (const [person, own] of people) {
        const words = yield* give(text, person)
        const isAllowed = rank.indexOf(own) >= rank.indexOf(role)
        if (!isAllowed) assert.match(words, new RegExp(`^/${name} is only for .*\\.$`))
        if (person === "ann") assert.match(words, answer)
        else if (isAllowed) assert.notMatch(words, /is only for/)
      }
      assert.deepStrictEqual(request, [])
    }).pipe(Effect.scoped)
  )

  it.live("with an error gives a hint, and begins no turn", () =>
    Effect.gen(function* () {
      const { give, asked: request } = yield* opened
      for (const [text, hint] of wrong) assert.match(yield* give(text), hint, text)
      assert.match(yield* give("/mode bypass", "abe"), /only the owner may choose it\.$/)
      assert.match(yield* give("/mode bypass"), /^Mode: bypass$/)
      assert.deepStrictEqual(request, [])
    }).pipe(Effect.scoped)
  )

  it.live("also works with ! and with the name of the account; commands to another account are ignored", () =>
    Effect.gen(function* () {
      const { give, asked: request } = yield* opened
      assert.match(yield* give("!stop"), /^Nothing is running/)
      assert.match(yield* give("/stop@bot"), /^Nothing is running/)
      assert.match(yield* give("stop"), /^Nothing is running/)
      assert.match(yield* give("/help", "bob"), /^(?![\s\S]*\/restart)[\s\S]*\/planmode/)
      assert.strictEqual(yield* give("/test hello there"), "heard: hello there")
      assert.deepStrictEqual(request, ["hello there"])
    }).pipe(Effect.scoped)
  )

  it.live("that changes a setting stores it for the next turn; without a value it shows the setting", () =>
    Effect.gen(function* () {
      const { give } = yield* opened
      for (const [name, value, visible] of [
        ["model", "opus", "Model"],
        ["mode", "plan", "Mode"],
        ["effort", "high", "Effort"],
        ["dir", "docs", "Directory"],
        ["planmode", "on", "Plan mode"]
      ]) {
        assert.strictEqual(yield* give(`/${name} ${value}`), `${visible}: ${value}`)
        assert.strictEqual(yield* give(`/${name}`), `${visible}: ${value}`)
      }
      yield* give("/model opus")
      assert.strictEqual(yield* give("/agent test"), "Agent: test")
      assert.strictEqual(yield* give("/model"), "Model: the agent's default")
    }).pipe(Effect.scoped)
  )
})
