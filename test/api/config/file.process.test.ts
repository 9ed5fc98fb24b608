/** The file in effect: the user's own, not writable for others; never one of a working directory. */
import { execFileSync } from "node:child_process"
import { chmodSync, chownSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readConfiguration } from "../../../src/api/Configuration.ts"
import { configuredAgent } from "../../../src/api/config/ConfiguredAgent.ts"
import { ConfigurationError } from "../../../src/contract/ConfigurationError.ts"
import * as Plain from "../../../src/promise.ts"
import { HostEnvironment } from "../../../src/system/process/HostEnvironment.ts"
import { makeDirectory } from "../../kit/temporary.ts"

/** A directory of configuration with `reins/` in it. */
const makeHome = Effect.tap(makeDirectory, (home) => Effect.sync(() => mkdirSync(join(home, "reins"), { mode: 0o700 })))

const put = (path: string, text: string, mode = 0o600) => {
  writeFileSync(path, text)
  chmodSync(path, mode)
  return path
}

const readIn = (home: string, file?: string) =>
  Effect.provideService(readConfiguration(file === undefined ? {} : { file }), HostEnvironment, {
    XDG_CONFIG_HOME: home
  })

const problemOf = (home: string, file?: string) => Effect.map(Effect.flip(readIn(home, file)), (error) => error.message)

describe("the file", () => {
  it.effect("is that of the user's directory for configuration", () =>
    Effect.gen(function* () {
      const home = yield* makeHome
      assert.deepStrictEqual(yield* readIn(home), { agents: {}, directories: {} })
      const file = put(join(home, "reins/reins.toml"), 'agent = "codex"\n')
      assert.deepStrictEqual(yield* readIn(home), { file, agent: "codex", agents: {}, directories: {} })
    })
  )

  it.effect("is the named one, which has to exist", () =>
    Effect.gen(function* () {
      const home = yield* makeHome
      const file = put(join(home, "other.toml"), 'agent = "gemini"\n')
      assert.strictEqual((yield* readIn(home, file)).agent, "gemini")
      assert.strictEqual(yield* problemOf(home, join(home, "none.toml")), `${join(home, "none.toml")}: does not exist`)
    })
  )

  it.effect("may be a link of the user's own", () =>
    Effect.gen(function* () {
      const home = yield* makeHome
      symlinkSync(put(join(home, "dot.toml"), 'agent = "codex"\n'), join(home, "reins/reins.toml"))
      assert.strictEqual((yield* readIn(home)).agent, "codex")
    })
  )

  it.effect("with a token in it is its user's alone", () =>
    Effect.gen(function* () {
      const home = yield* makeHome
      const token = `12345:${"a".repeat(35)}`
      const text = `[telegram]\ntoken = "${token}"\n`
      const file = put(join(home, "reins/reins.toml"), text)
      assert.deepStrictEqual((yield* readIn(home)).telegram, { token })
      for (const mode of [0o644, 0o640, 0o604]) {
        put(file, text, mode)
        const problem = yield* problemOf(home)
        assert.include(problem, `:2: telegram.token stands in a file that others can read: chmod 600 "${file}"`)
        assert.notInclude(problem, token)
      }
    })
  )

  it.effect.each<readonly [string, (file: string) => void, RegExp]>([
    ["others can write", (file) => put(file, "", 0o622), /reins\.toml: can be written by others: chmod go-w "/],
    ["the group can write", (file) => put(file, "", 0o660), /can be written by others/],
    [
      "is in a directory of others",
      (file) => chmodSync(join(put(file, ""), ".."), 0o777),
      /is in a directory that others can write: chmod go-w "/
    ],
    ["is a directory", (file) => mkdirSync(file), /is not a regular file/],
    ["is a pipe", (file) => execFileSync("mkfifo", ["-m", "600", file]), /is not a regular file/],
    ["is too large", (file) => put(file, "#".repeat(300_000)), /is larger than 256 KiB/],
    [
      "is not UTF-8",
      (file) => {
        writeFileSync(file, Buffer.from([0x61, 0xff]), { mode: 0o600 })
      },
      /is not text in UTF-8/
    ],
    [
      "is wrong",
      (file) => put(file, '\nagnet = "x"\nsecret = 1'),
      /reins\.toml:2: unknown key "agnet"; did you mean "agent"\?\n.*reins\.toml:3: unknown key "secret"/
    ]
  ])("is refused if it %s", ([, prepare, expected]) =>
    Effect.gen(function* () {
      const home = yield* makeHome
      prepare(join(home, "reins/reins.toml"))
      assert.match(yield* problemOf(home), expected)
    })
  )

  it.effect.skipIf(process.getuid?.() !== 0)("is refused if it belongs to another user, as is a link of theirs", () =>
    Effect.gen(function* () {
      const home = yield* makeHome
      const file = put(join(home, "reins/reins.toml"), 'agent = "codex"\n')
      chownSync(file, 12345, 12345)
      assert.match(yield* problemOf(home), /reins\.toml: belongs to the user 12345: make one of your own/)
    })
  )

  it.effect("of the working directory is not read, but reported", () =>
    Effect.gen(function* () {
      const home = yield* makeHome
      const before = process.cwd()
      yield* Effect.acquireRelease(
        Effect.sync(() => process.chdir(home)),
        () => Effect.sync(() => process.chdir(before))
      )
      const here = put(join(home, "reins.toml"), "agents.claude.permissionMode = 'bypass'\nnot valid")
      assert.deepStrictEqual(yield* readIn(home), { agents: {}, directories: {}, ignored: here })
    })
  )

  it("has an error class of its own at the plain door", async () => {
    const error = await Plain.readConfiguration({ file: "/nowhere/reins.toml" }).catch((cause: unknown) => cause)
    assert.instanceOf(error, Plain.ConfigurationError)
    assert.instanceOf(error, ConfigurationError)
    if (!(error instanceof Plain.ConfigurationError)) return
    assert.deepStrictEqual(error.problems, [{ problem: "does not exist" }])
    assert.include(error.help, "reins config check")
    await Plain.readConfiguration({ file: "" }).then(
      () => assert.fail("accepted"),
      (cause: unknown) => assert.match(String(cause), /^TypeError: readConfiguration: file/)
    )
  })
})

describe("the configured agent", () => {
  const shop = { path: "/code/shop", agent: "codex", model: "gpt-6", permissionMode: "plan" } as const
  const configuration = {
    agent: "gemini",
    agents: {
      codex: { model: "other", command: "codex2", permissionMode: "bypass" },
      claude: { allowedTools: ["Read"] }
    },
    directories: { shop, inner: { path: "/code/shop/inner", billing: "api-key" } }
  } as const

  it.each([
    ["elsewhere", { workingDirectory: "/code" }, "gemini", { defaults: { workingDirectory: "/code" } }],
    [
      "in a directory",
      { workingDirectory: "/code/shop/src" },
      "codex",
      { command: "codex2", defaults: { model: "gpt-6", permissionMode: "plan", workingDirectory: "/code/shop/src" } }
    ],
    [
      "in a directory, another agent: its model is not that of the directory, its mode is",
      { agent: "claude", workingDirectory: "/code/shop" },
      "claude",
      { defaults: { permissionMode: "plan", allowedTools: ["Read"], workingDirectory: "/code/shop" } }
    ],
    [
      "in a directory inside of another, which alone counts",
      { agent: "codex", workingDirectory: "/code/shop/inner/x" },
      "codex",
      {
        command: "codex2",
        billing: "api-key",
        defaults: { model: "other", permissionMode: "bypass", workingDirectory: "/code/shop/inner/x" }
      }
    ],
    [
      "beside a directory of the same beginning",
      { workingDirectory: "/code/shopping" },
      "gemini",
      { defaults: { workingDirectory: "/code/shopping" } }
    ],
    ["in the current directory", {}, "gemini", {}]
  ] as const)("%s", (_, choice, agent, options) => {
    assert.deepStrictEqual(configuredAgent(configuration, choice), { agent, options })
  })

  it("works in the directory of the file, unless another is named", () => {
    assert.deepStrictEqual(
      configuredAgent({ ...configuration, directory: "shop" }).options.defaults?.workingDirectory,
      "/code/shop"
    )
    assert.strictEqual(configuredAgent({ agents: {}, directories: {} }).agent, "claude")
  })

  it.effect("is found through links", () =>
    Effect.gen(function* () {
      const home = yield* makeDirectory
      mkdirSync(join(home, "code"))
      symlinkSync(join(home, "code"), join(home, "link"))
      const directories = { shop: { ...shop, path: join(home, "link") } }
      const { agent } = configuredAgent({ agents: {}, directories }, { workingDirectory: join(home, "code") })
      assert.strictEqual(agent, "codex")
    })
  )
})

describe("a price file", () => {
  const withPrices = (home: string, text: string, more = "", mode = 0o600) => {
    const prices = put(join(home, "prices.json"), text, mode)
    put(join(home, "reins/reins.toml"), `priceFile = ${JSON.stringify(prices)}\n${more}`)
    return prices
  }

  it.effect("has prices, which those of reins.toml override", () =>
    Effect.gen(function* () {
      const home = yield* makeHome
      withPrices(home, '{ "a": "gpt-5.5", "b": "gpt-5.5" }', "[prices]\nb = { input = 1, output = 2 }\n")
      assert.deepStrictEqual((yield* readIn(home)).prices, { a: "gpt-5.5", b: { input: 1, output: 2 } })
    })
  )

  it.effect.each<readonly [string, string, number, RegExp]>([
    ["with texts for rates", '{ "m": { "input": "1", "output": 2 } }', 0o600, /prices\.json: m\.input is not a number/],
    ["with a negative rate", '{ "m": { "input": 1, "output": -2 } }', 0o600, /prices\.json: m\.output is not a number/],
    [
      "with an unknown name",
      '{ "m": { "input": 1, "output": 2, "price": 3 } }',
      0o600,
      /m\.price is not a rate of a model/
    ],
    ["with control characters", '{ "\\u001b[2J": "x" }', 0o600, /prices\.json: \\u001b\[2J has blanks, or control/],
    ["that is a list", "[]", 0o600, /prices\.json: is not a table of models/],
    ["that is not JSON", "{", 0o600, /prices\.json: is not JSON/],
    ["that others can write", "{}", 0o622, /prices\.json: can be written by others/]
  ])("%s is refused", ([, text, mode, problem]) =>
    Effect.gen(function* () {
      const home = yield* makeHome
      withPrices(home, text, "", mode)
      assert.match(yield* problemOf(home), problem)
    })
  )

  it.effect("that leads back to reins.toml is refused", () =>
    Effect.gen(function* () {
      const home = yield* makeHome
      withPrices(home, '{ "a": "b" }', '[prices]\nb = "a"\n')
      assert.match(yield* problemOf(home), /reins\.toml: a leads back to itself/)
    })
  )
})
