/** Decisions about a turn's home, and portable params: tables and properties, without a cluster. */
import { assert, describe, it } from "@effect/vitest"
import { Option, Redacted, Result, Schema } from "effect"
import { chooseHome, homeProblem, isBelow } from "../../src/cluster/chooseHome.ts"
import { entityId, groupOf, groups } from "../../src/cluster/conversationEntity.ts"
import { type Home, mostHomes, protocol } from "../../src/cluster/homes.ts"
import { portableParams, StoredParams, storedParamsOf, storedParamsText } from "../../src/cluster/storedParams.ts"
import { databasePlace } from "../../src/program/database.ts"
import { clusterPlan } from "../../src/program/serve/clusterPlan.ts"
import { homeLines, lockLines } from "../../src/program/serve/status.ts"

const home = (name: string, more: Partial<Home> = {}): Home => ({
  id: `id-${name}`,
  name,
  slot: 1,
  address: "10.0.0.1:7000",
  host: "machine",
  version: "1.0.0",
  protocol,
  clis: ["claude"],
  directories: ["/srv"],
  state: "serving",
  isUp: true,
  waiting: 0,
  running: 0,
  conversations: 0,
  ...more
})

const requested = { cli: "claude", directory: "/srv/app", version: "1.0.0" }
const chosen = (homes: ReadonlyArray<Home>, more: Partial<typeof requested> = {}) =>
  Result.match(chooseHome(homes, { ...requested, ...more }), {
    onSuccess: ({ name }) => name,
    onFailure: (text) => text
  })

describe("a new conversation", () => {
  it.each<[string, ReadonlyArray<Home>]>([
    ["b", [home("a", { running: 2 }), home("b", { waiting: 1 })]],
    ["a", [home("a", { running: 9 }), home("b", { isUp: false })]],
    ["a", [home("a", { running: 9 }), home("b", { state: "leaving" })]],
    ["a", [home("a", { running: 9 }), home("b", { clis: ["codex"] })]],
    ["a", [home("a", { running: 9 }), home("b", { directories: ["/srver", "/other"] })]],
    ["a", [home("a", { running: 9 }), home("b", { protocol: protocol + 1 })]],
    ["a", [home("a", { directories: ["/"] })]],
    ["a", [home("a", { directories: ["/srv/app/"] })]],
    ["the cluster has no home: start reins serve --home NAME on a machine", []],
    ["the cluster has no home: start reins serve --home NAME on a machine", [home("a", { state: "stopped" })]],
    ["no home runs now (a): start reins serve on one of them", [home("a", { isUp: false })]],
    ["no home that runs has claude (a): install it on one of them", [home("a", { clis: [] })]],
    [
      'no home that has claude works in "/srv/app" (a): add it to [directories] of its configuration',
      [home("a", { directories: ["/srv/ap"] })]
    ],
    [
      `the home a runs version 2.0.0, which speaks protocol ${protocol + 1} of the cluster, and this is version 1.0.0, which speaks ${protocol}: run the same version on both`,
      [home("a", { version: "2.0.0", protocol: protocol + 1 })]
    ]
  ])("goes to %s", (expected, homes) => assert.strictEqual(chosen(homes), expected))

  it("does not stay in a home that was removed", () =>
    assert.include(homeProblem(home("a", { state: "removed" }), "1.0.0"), "its home a was removed from the cluster"))
})

describe("the directories of a home", () => {
  it.each([
    ["/srv/app", "/srv", true],
    ["/srv", "/srv/", true],
    ["/srver", "/srv", false],
    ["/srv/../etc", "/srv", false],
    ["/srv/./app/..", "/srv", true],
    ["/anything", "/", true]
  ])("%s is below %s: %s", (directory, above, expected) => assert.strictEqual(isBelow(directory, above), expected))
})

describe("params for a home", () => {
  it.each<[object, string]>([
    [{ env: { TOKEN: Redacted.make("s3cret") } }, "env.TOKEN: is a secret, which would lie in the database"],
    [{ approvals: [{ decide: () => "allow" }] }, "approvals.0.decide: is a function"],
    [{ tools: [new Map()] }, "tools.0: cannot be sent to another machine"],
    [{ model: 1n }, "model: cannot be sent to another machine"],
    [{ workingDirectory: "src" }, 'workingDirectory: "src" is relative'],
    [{ systemPrompt: "x".repeat(2_000_000) }, "at most 1048576 are possible"],
    [{ outputSchema: { type: "nonsense" } }, "outputSchema"]
  ])("cannot contain %o", (params, message) => {
    const made = portableParams(params)
    if (Result.isSuccess(made)) return assert.fail("it was taken")
    assert.include(made.failure.message, message)
    assert.notInclude(made.failure.message, "s3cret")
  })

  it("have no prompt, no attachment and no signal", () => {
    const input = { prompt: "p", attachments: [], abortSignal: AbortSignal.abort(), model: "m", env: { A: undefined } }
    assert.deepStrictEqual(Result.getOrThrow(portableParams(input)), { model: "m", env: {} })
  })

  it.prop("come back unchanged", [StoredParams], ([request]) => {
    const again = storedParamsOf(storedParamsText(request))
    assert.deepStrictEqual(again && storedParamsText(again), storedParamsText(request))
  })

  it.prop("of another form are not read", [Schema.String], ([text]) => {
    assert.isUndefined(storedParamsOf(text))
  })

  it("are addressed by the number of the home, for any name of the conversation", () => {
    const id = entityId(mostHomes, "x".repeat(100), "/".repeat(5_000))
    assert.isBelow(id.length, 200)
    assert.strictEqual(id.split("/")[0], groupOf(mostHomes))
    assert.include(groups, groupOf(mostHomes))
    assert.strictEqual(new Set(groups).size, mostHomes)
  })
})

describe("the flags of a cluster", () => {
  const none = Option.none<string>()
  const flags = { home: none, database: none, listen: none, advertise: none, tlsCert: none, tlsKey: none, tlsCa: none }
  const some = Option.some<string>
  const planned = (more: Partial<typeof flags>) =>
    Result.match(clusterPlan({ ...flags, ...more }), { onSuccess: (plan) => plan, onFailure: (text) => text })

  it.each<[Partial<typeof flags>, unknown]>([
    [{}, undefined],
    [{ home: some("a") }, { home: "a", listen: undefined, advertise: undefined, tls: undefined }],
    [
      { home: some("a"), listen: some("[::1]:0"), advertise: some("h:70") },
      { home: "a", listen: { host: "::1", port: 0 }, advertise: { host: "h", port: 70 }, tls: undefined }
    ],
    [{ listen: some("h:1") }, "--listen is for a home of a cluster: name it with --home"],
    [{ home: some("a"), listen: some("7350") }, '--listen "7350": is HOST:PORT, such as 10.0.0.4:7350'],
    [{ home: some("a"), listen: some("h:70000") }, '--listen "h:70000": is HOST:PORT, such as 10.0.0.4:7350'],
    [{ home: some("a"), advertise: some("h:0") }, '--advertise "h:0": is HOST:PORT, such as 10.0.0.4:7350'],
    [{ home: some("a"), tlsCert: some("c") }, "--tls-cert, --tls-key and --tls-ca go together: name all three"]
  ])("%o", (input, expected) => assert.deepStrictEqual(planned(input), expected))

  it.each(["postgres://u:secret@h/d", "env:", "env:A B", "file:", ""])("takes no URL: %s", (text) => {
    const place = databasePlace(text)
    if (Result.isSuccess(place)) return assert.fail("it was taken")
    assert.notInclude(place.failure, "secret")
  })
})

describe("the homes, for people", () => {
  it("are shown with the pending turns of one that is down, and without control characters", () =>
    assert.deepStrictEqual(
      homeLines([
        home("a", { conversations: 1, running: 1 }),
        home("build", { isUp: false, waiting: 2, host: "m\u001b[2J" }),
        home("gone", { state: "removed" }),
        home("old", { state: "stopped" })
      ]),
      [
        "home      a      runs     1 conversation, 1 at work, 0 waiting  (machine 10.0.0.1:7000, 1.0.0, claude)",
        "home      build  down     0 conversations, 0 at work, 2 waiting (2 until it is back)  (m\\u001b[2J 10.0.0.1:7000, 1.0.0, claude)",
        "home      old    stopped  0 conversations, 0 at work, 0 waiting  (machine 10.0.0.1:7000, 1.0.0, claude)"
      ]
    ))

  it("have their accounts, and which machine serves each", () => {
    const account = { channel: "telegram", accountId: "bot", host: "m\u001b", isServed: false, mark: undefined }
    assert.deepStrictEqual(
      lockLines([
        { ...account, isTaken: true },
        { ...account, accountId: "old-bot", isTaken: false }
      ]),
      ["lock      telegram (bot)      held on m\\u001b", "lock      telegram (old-bot)  free, held last on m\\u001b"]
    )
  })
})
