/**
 * Each program of `examples/` compiles against the built package, and does what its header says, as a process of its own
 * with fakes in place of the CLIs. A new folder needs an entry in `programs`.
 */
import { execFileSync, spawnSync } from "node:child_process"
import {
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { Effect, Redacted } from "effect"
import { afterAll, assert, describe, expect, it } from "vitest"
import { FakeCli, type InstalledCli, LiveStep, type SlackMessage, SlackServer, Step } from "../../src/testing.ts"
import { hasPostgres, makeDatabase } from "../kit/postgres.ts"
import { isAlive } from "../kit/processes.ts"
import { makePlace, root } from "./programs.ts"

const says = (...texts: ReadonlyArray<string>) => FakeCli.claude(texts.map((text) => Step.text(text)))

/** A turn that asks for a command first. */
const asks = [LiveStep.command({ command: "ls", output: "a.txt", ask: true }), LiveStep.text("There is a.txt.")]

const programs: Readonly<Record<string, () => Promise<void>>> = {
  budget: async () => {
    using place = makePlace()
    const byKey = Step.session({ fields: { apiKeySource: "ANTHROPIC_API_KEY" } })
    const fake = FakeCli.claude([byKey, Step.text("A shop."), Step.result({ costUsd: 0.3 })])
    await using claude = await FakeCli.install(fake)
    const options = { fakes: [claude], env: { USD_PER_DAY: "0.6" } }
    const first = await place.run("budget", options)
    assert.strictEqual(first.stdout, "A shop.\nruns: 1, of unknown cost: 0\nday: $0.30 of $0.60\n")
    assert.match(first.stderr, /50 %/)
    assert.strictEqual(first.code, 0)
    const second = await place.run("budget", options)
    assert.strictEqual(second.stdout, "runs: 1, of unknown cost: 0\nday: $0.30 of $0.60\n")
    assert.match(second.stderr, /budget/)
    assert.strictEqual(second.code, 4)
    assert.strictEqual(claude.calls().length, 1)
  },

  "chat-over-http": async () => {
    using place = makePlace()
    await using claude = await FakeCli.install(FakeCli.live("claude", [asks]))
    const program = place.start("chat-over-http", { fakes: [claude], env: { APP_TOKEN: "secret", PORT: "0" } })
    const [url = ""] = await program.printed(/http:\/\/127\.0\.0\.1:\d+/)
    const headers = { authorization: "Bearer secret" }
    const post = async (path: string, body: string) =>
      (await fetch(`${url}${path}`, { method: "POST", headers, body })).status
    assert.strictEqual((await fetch(`${url}/events`)).status, 401)
    assert.strictEqual((await fetch(`${url}/events`, { headers: { authorization: "Bearer secre" } })).status, 401)
    assert.strictEqual(await post("/nothing", ""), 404)
    const leaving = new AbortController()
    const { body } = await fetch(`${url}/events`, { headers, signal: leaving.signal })
    assert.isNotNull(body)
    assert.strictEqual(await post("/messages", "what is here?"), 202)
    let received = ""
    for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
      const before = received
      received += chunk
      const [, id] = /"type":"permission_request".*?"requestId":"([^"]+)"/.exec(received) ?? []
      if (id !== undefined && !before.includes("permission_request")) {
        assert.strictEqual(await post(`/requests/${id}`, "?"), 400)
        assert.strictEqual(await post(`/requests/${id}`, '{"decision":"allow"}'), 200)
        assert.strictEqual(await post(`/requests/${id}`, '{"decision":"allow"}'), 409)
      }
      if (/"type":"turn_done".*\n\n/.test(received)) break
    }
    leaving.abort()
    assert.match(received, /"type":"turn_done".*"outcome":"completed"/)
    // The rest, for a client that comes back.
    const position = Number(
      received
        .match(/^id: \d+$/gm)
        ?.at(-2)
        ?.slice("id: ".length)
    )
    const again = await fetch(`${url}/events`, { headers: { ...headers, "last-event-id": String(position) } })
    assert.strictEqual(again.status, 200)
    const rest = again.text()
    assert.strictEqual((await program.end("SIGTERM")).code, 0)
    assert.match(await rest, new RegExp(`^id: ${position + 1}\\ndata: .*"type":"turn_done"`, "m"))
    assert.isFalse(claude.calls().some(({ pid }) => isAlive(pid)))
  },

  "ci-review": async () => {
    using place = makePlace()
    const diff = "+ const sum = prices.reduce(add)"
    const reviewed = async (...findings: ReadonlyArray<object>) => {
      await using claude = await FakeCli.install(FakeCli.claude([Step.answer({ findings })]))
      const env = { OTHER_SECRET: "s3cret", ANTHROPIC_API_KEY: "key" }
      const output = await place.run("ci-review", { fakes: [claude], input: diff, env })
      const [call] = claude.calls()
      assert.include(call?.stdin ?? "", diff)
      assert.include(call?.arguments.join(" ") ?? "", "plan")
      assert.deepStrictEqual(
        [call?.environment["OTHER_SECRET"], call?.environment["ANTHROPIC_API_KEY"]],
        [undefined, "key"]
      )
      return [output.stdout, output.code]
    }
    const finding = {
      file: "a.ts",
      line: 3,
      problem: "wrong\n::set-output name=x::1 ##[stop-commands]x\u001b",
      mustFix: false
    }
    assert.deepStrictEqual(await reviewed(finding), [
      "- consider: a.ts:3 wrong ::set-output name=x::1 ## [stop-commands]x \n",
      0
    ])
    const mustFix = { ...finding, problem: "lost", mustFix: true }
    assert.deepStrictEqual(await reviewed(finding, mustFix).then(([, code]) => code), 1)
    assert.deepStrictEqual(await reviewed(), ["", 0])
    const missing = await place.run("ci-review", { input: diff })
    assert.match(missing.stderr, /^No review: .*claude/)
    assert.strictEqual(missing.code, 2)
    assert.strictEqual((await place.run("ci-review", { input: "\n" })).code, 0)
  },

  "cluster-of-two": async () => {
    const { url } = await Effect.runPromise(makeDatabase)
    const env = { REINS_DATABASE: Redacted.value(url) }
    // Each has a state directory of its own.
    using one = makePlace()
    using two = makePlace()
    using caller = makePlace()
    const ask = async (conversation: string) => {
      const { stdout, code } = await caller.run("cluster-of-two", { env, args: ["ask", conversation, "hello"] })
      return [stdout, code]
    }
    await using claudeOne = await FakeCli.install(says("I am at one."))
    await using claudeTwo = await FakeCli.install(says("I am at two."))
    const first = one.start("cluster-of-two", { env, args: ["home", "one"], fakes: [claudeOne] })
    await first.printed(/The home one serves the cluster/)
    assert.deepStrictEqual(await ask("billing"), ["I am at one.\n", 0])
    const second = two.start("cluster-of-two", { env, args: ["home", "two"], fakes: [claudeTwo] })
    await second.printed(/The home two serves the cluster, beside 1 other home/)
    assert.deepStrictEqual(await ask("billing"), ["I am at one.\n", 0])
    await first.end("SIGTERM")
    assert.deepStrictEqual(await ask("shipping"), ["I am at two.\n", 0])
    await second.end("SIGTERM")
    assert.deepStrictEqual([claudeOne.calls().length, claudeTwo.calls().length], [2, 1])
    assert.strictEqual((await caller.run("cluster-of-two")).code, 2)
  },

  "custom-cli": async () => {
    using place = makePlace()
    const { stdout, code } = await place.run("custom-cli", { args: ["how many words is this?"] })
    assert.deepStrictEqual([stdout, code], ["Your prompt has 5 words.\ncompleted 5\n", 0])
    const failed = await place.run("custom-cli")
    assert.deepStrictEqual([failed.stderr, failed.code], ["the prompt is empty\n", 1])
  },

  "effect-layer": async () => {
    using place = makePlace()
    await using claude = await FakeCli.install(says("Add the tax\n"))
    await using codex = await FakeCli.install(FakeCli.codex([Step.text("Sum up later")]))
    const options = { fakes: [claude, codex], input: "+ tax" }
    const first = await place.run("effect-layer", options)
    assert.deepStrictEqual([first.stdout, first.code], ["Add the tax\n", 0])
    assert.match(claude.calls()[0]?.stdin ?? "", /\n\+ tax/)
    const second = await place.run("effect-layer", { ...options, env: { AGENT: "codex" } })
    assert.deepStrictEqual([second.stdout, second.code], ["Sum up later\n", 0])
    const third = await place.run("effect-layer", { input: "+ tax" })
    assert.match(third.stderr, /^claude: .*was not found/)
    assert.deepStrictEqual([third.stdout, third.code], ["", 1])
  },

  "own-gate": async () => {
    using place = makePlace()
    const git = (...args: ReadonlyArray<string>) => execFileSync("git", args, { cwd: place.path })
    git("init", "--quiet")
    await using fake = await FakeCli.install(says("Done."))
    await using claude = await changing(fake)
    const first = await place.run("own-gate", { fakes: [claude] })
    assert.deepStrictEqual([first.stdout, first.code], ["Changed:\n?? README.md\nDone.\n", 0])
    const second = await place.run("own-gate", { fakes: [claude] })
    assert.match(
      second.stderr,
      /^claude: Refused by clean tree: commit or stash your changes first:\n\?\? README\.md\n$/
    )
    assert.deepStrictEqual([second.stdout, second.code], ["", 1])
    assert.strictEqual(fake.calls().length, 1)
  },

  "race-of-two": async () => {
    using place = makePlace()
    mkdirSync(join(place.path, "src"))
    writeFileSync(join(place.path, "src/main.ts"), "")
    const answers = async (first: string, second: string) => {
      await using claude = await FakeCli.install(says(first))
      await using codex = await FakeCli.install(FakeCli.codex([Step.wait("300 millis"), Step.text(second)]))
      return await place.run("race-of-two", { fakes: [claude, codex] })
    }
    const second = await answers("In src.", "src/main.ts\n")
    assert.deepStrictEqual(second, { stdout: "codex: src/main.ts\n", stderr: "claude: not In src.\n", code: 0 })
    assert.strictEqual((await answers("src/main.ts", "In src.")).stdout, "claude: src/main.ts\n")
    assert.strictEqual((await answers("In src.", "There.")).code, 1)
  },

  "slack-bot": async () => {
    using place = makePlace()
    await using slack = await SlackServer.start({ pace: false })
    await using claude = await FakeCli.install(FakeCli.live("claude", [asks]))
    const env = { SLACK_APP_TOKEN: slack.appToken, SLACK_OWNER: "U1001", SLACK_API: slack.url }
    const bot = place.start("slack-bot", { fakes: [claude], env: { ...env, SLACK_BOT_TOKEN: slack.token } })
    await bot.during(slack.until(() => slack.listeners() > 0 || undefined))
    const { chat } = slack.say("what is here?", { from: { id: "U1001", name: "Ann" } })
    const look = (isMeant: (message: SlackMessage) => boolean) =>
      bot.during(slack.until(() => slack.chat(chat).find((message) => message.isOurs && isMeant(message))))
    const request = await look(({ buttons }) => buttons.includes("Allow"))
    slack.press(request, "Allow", { from: "U1001" })
    await look(({ text }) => /There is a\.txt\.[\s\S]*claude/.test(text))
    assert.strictEqual((await bot.end("SIGTERM")).code, 0)
    assert.isFalse(claude.calls().some(({ pid }) => isAlive(pid)))
    assert.deepStrictEqual(slack.violations(), [])
    const refused = await place.run("slack-bot", { env: { ...env, SLACK_BOT_TOKEN: `${slack.token}x` } })
    assert.match(refused.stderr, /Slack refuses the bot's token/)
    assert.strictEqual(refused.code, 1)
  },

  "tests-with-fakes": async () => {
    using place = makePlace()
    const { stdout, code } = await place.run("tests-with-fakes")
    assert.match(stdout, /tests 4\n[\s\S]*pass 4\n/)
    assert.strictEqual(code, 0)
  }
}

/** The same fake, which changes a file of its working directory first. */
const changing = async (fake: InstalledCli): Promise<InstalledCli & AsyncDisposable> => {
  const directory = mkdtempSync(join(fake.directory, "changing-"))
  const command = join(directory, "claude")
  writeFileSync(command, `#!/bin/sh\necho changed > README.md\nexec '${fake.command}' "$@"\n`)
  chmodSync(command, 0o700)
  const remove = async () => rmSync(directory, { recursive: true, force: true })
  return { ...fake, directory, command, [Symbol.asyncDispose]: remove }
}

/** `container` has no program. */
const folders = readdirSync(join(root, "examples"), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== "container")
  .map(({ name }) => name)
  .sort()

const sourceOf = (name: string) => readFileSync(join(root, "examples", name, "main.ts"), "utf8")
const readme = readFileSync(join(root, "examples/README.md"), "utf8")

const doors = new Set([
  ...["reins", "reins/promise", "reins/bridge", "reins/cluster", "reins/testing", "reins/testing/effect"],
  ...["effect", "@effect/platform-node"]
])

const checked = mkdtempSync(join(root, ".cache", "examples-"))
afterAll(() => rmSync(checked, { recursive: true, force: true }))

describe("the examples", () => {
  it("have a test each", () => assert.deepStrictEqual(folders, Object.keys(programs).sort()))

  it("compile strictly against the built package", () => {
    const files = globSync("examples/**/*.ts", { cwd: root }).map((file) => join(root, file))
    const config = { extends: join(root, "tsconfig.json"), include: [], exclude: [], files }
    writeFileSync(join(checked, "tsconfig.json"), JSON.stringify(config))
    const tsc = join(root, "node_modules/typescript/bin/tsc")
    const { stdout, status } = spawnSync(process.execPath, [tsc, "-p", checked], { encoding: "utf8" })
    assert.deepStrictEqual([stdout, status], ["", 0])
  })

  it.each(folders)("%s is short, says how it is run, and imports public doors alone", (name) => {
    const source = sourceOf(name)
    expect(source.split("\n").length).toBeLessThanOrEqual(81)
    expect(source).toMatch(new RegExp(`^/\\*\\*\\n[\\s\\S]*examples/${name}/main\\.ts[\\s\\S]*?\\*/\\n`))
    const imported = [...source.matchAll(/ from "([^"]+)"/g)].map(([, from = ""]) => from)
    const others = imported.filter((from) => !doors.has(from) && !from.startsWith("node:"))
    assert.deepStrictEqual(others, [])
  })

  it.each(folders)("%s is in the index, and a page leads to it", (name) => {
    assert.include(readme, `](${name}/main.ts)`)
    const pages = globSync("docs/*.md", { cwd: root }).map((page) => readFileSync(join(root, page), "utf8"))
    assert.isTrue(pages.some((page) => page.includes(`](../examples/${name}/main.ts)`)))
  })

  it("are named in the index as they are there", () => {
    const { version }: { readonly version: string } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
    assert.include(readme, `./reins-${version}.tgz`)
    const named = [...readme.matchAll(/\]\(([^)#]+)/g)].map(([, path = ""]) => path)
    assert.isAbove(named.length, folders.length)
    assert.deepStrictEqual(
      named.filter((path) => !existsSync(join(root, "examples", path))),
      []
    )
  })
})

describe("an example", () => {
  it.each(Object.keys(programs).filter((name) => hasPostgres || name !== "cluster-of-two"))(
    "%s does what it says",
    async (name) => await programs[name]?.()
  )
})
