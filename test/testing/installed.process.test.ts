/** A fake CLI as an executable file: where a command is expected, on PATH, several at once, and what it was given. */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, readdirSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { text } from "node:stream/consumers"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { clis } from "../../src/agents/Agents.ts"
import { createAgent } from "../../src/promise.ts"
import { FakeCli, Step } from "../../src/testing.ts"
import { InstalledFake } from "../../src/testingEffect.ts"
import { ownTmpdir } from "../kit/files.ts"
import { until } from "../kit/processes.ts"
import { makeDirectory } from "../kit/temporary.ts"
import { ids } from "./kit.ts"

describe.each(ids)("%s", (id) => {
  const fake = FakeCli[id]

  it("is started as the command of an agent, and tells how", async () => {
    await using cli = await FakeCli.install(fake([Step.text("done")]))
    await using agent = createAgent(id, { command: cli.command })
    const prompt = `-v "quoted" ünïcode 🎉\n${"long ".repeat(40_000)}`
    const { text } = await agent.run({ prompt, env: { MY_OWN: "väl ue" }, workingDirectory: "/" })
    assert.strictEqual(text, "done")
    const [call, ...others] = cli.calls()
    assert.isEmpty(others)
    assert.strictEqual(call?.stdin, prompt)
    assert.deepInclude(call?.environment, { MY_OWN: "väl ue", PWD: "/" })
    assert.strictEqual(call?.workingDirectory, "/")
    assert.isTrue(call?.arguments.some((argument) => argument.includes("json")))
    assert.isAbove(call?.pid ?? 0, 1)
  })

  it("is found on PATH under its own name", async () => {
    await using cli = await FakeCli.install(fake([Step.text("from PATH")]))
    assert.deepStrictEqual(readdirSync(cli.directory), [clis[id].command])
    await using agent = createAgent(id)
    const { text } = await agent.run({ prompt: "hello", env: { PATH: `${cli.directory}:${process.env["PATH"]}` } })
    assert.strictEqual(text, "from PATH")
  })

  it("works in an empty environment", async () => {
    await using cli = await FakeCli.install(fake([Step.text("bare")]))
    const { status, stdout, stderr } = spawnSync(cli.command, { env: {}, input: "hi", encoding: "utf8", cwd: "/" })
    assert.deepStrictEqual({ status, stderr }, { status: 0, stderr: "" })
    assert.include(stdout, "bare")
  })

  it.each([false, true])("performs one script after the other, start by start; all at once: %s", async (atOnce) => {
    const [one, two, last] = ["one", "two", "last"].map((words) => fake([Step.text(words)])) as [
      FakeCli,
      FakeCli,
      FakeCli
    ]
    await using cli = await FakeCli.install(FakeCli.inTurn(one, FakeCli.inTurn(two, last)))
    await using agent = createAgent(id, { command: cli.command })
    const run = async () => (await agent.run({ prompt: "hello" })).text
    const expected = ["one", "two", "last", "last"]
    if (atOnce) return assert.sameMembers(await Promise.all(expected.map(run)), expected)
    for (const words of expected) assert.strictEqual(await run(), words)
  })

  it("performs for several starts at once, each with a call of its own", async () => {
    await using cli = await FakeCli.install(fake([Step.session(), Step.wait("200 millis"), Step.text("done")]))
    await using agent = createAgent(id, { command: cli.command })
    const prompts = ["one", "two", "three", "four"]
    const results = await Promise.all(prompts.map((prompt) => agent.run({ prompt })))
    assert.deepStrictEqual(
      results.map(({ text }) => text),
      prompts.map(() => "done")
    )
    assert.deepStrictEqual(
      cli
        .calls()
        .map(({ stdin }) => stdin)
        .sort(),
      [...prompts].sort()
    )
    assert.strictEqual(new Set(cli.calls().map(({ pid }) => pid)).size, 4)
  })
})

describe("what is installed", () => {
  it.live("is its owner's alone, and is gone afterwards; what the calls were is known still", () =>
    Effect.gen(function* () {
      const tmp = yield* ownTmpdir
      const cli = yield* Effect.gen(function* () {
        const cli = yield* InstalledFake.make(FakeCli.claude([]))
        const folder = dirname(cli.directory)
        assert.strictEqual(dirname(folder), tmp)
        assert.strictEqual(statSync(folder).mode & 0o777, 0o700)
        assert.strictEqual(spawnSync(cli.command, { input: "hi" }).status, 0)
        for (const name of readdirSync(join(folder, "calls"))) {
          assert.strictEqual(statSync(join(folder, "calls", name)).mode & 0o777, 0o600)
        }
        return cli
      }).pipe(Effect.scoped)
      assert.deepStrictEqual(readdirSync(tmp), [])
      assert.deepStrictEqual(
        cli.calls().map(({ stdin }) => stdin),
        ["hi"]
      )
    })
  )

  it.live("may lie below any directory", () =>
    Effect.gen(function* () {
      const before = process.env["TMPDIR"]
      const odd = join(yield* makeDirectory, 'it\'s a "$HOME" `x` dir')
      mkdirSync(odd)
      process.env["TMPDIR"] = odd
      const cli = yield* InstalledFake.make(FakeCli.claude([]))
      if (before === undefined) delete process.env["TMPDIR"]
      else process.env["TMPDIR"] = before
      assert.strictEqual(spawnSync(cli.command, { input: "hi" }).status, 0)
    })
  )

  it("tells a start as soon as there is one, and of none when it is removed", async () => {
    const tooSoon = await (async () => {
      await using cli = await FakeCli.install(FakeCli.claude([Step.hang()]))
      const second = cli.started(2)
      const third = cli.started(3).then(() => "started", String)
      const children = [spawn(cli.command)]
      const first = await cli.started()
      assert.strictEqual(first.pid, children[0]?.pid)
      children.push(spawn(cli.command))
      assert.sameMembers(
        [first.pid, (await second).pid],
        children.map(({ pid }) => pid)
      )
      assert.strictEqual((await cli.started(2)).pid, (await second).pid)
      for (const child of children) child.kill("SIGKILL")
      await cli.started(0).then(
        () => assert.fail("unknown start"),
        (error) => assert.instanceOf(error, RangeError)
      )
      return { cli, third }
    })()
    assert.strictEqual(await tooSoon.third, "Error: the fake claude was removed before its start 3")
    assert.deepStrictEqual(await tooSoon.cli.started(), tooSoon.cli.calls()[0])
  })

  it("may begin before stdin has ended", async () => {
    await using cli = await FakeCli.install(FakeCli.codex([Step.text("early")], { stdin: "meanwhile" }))
    const child = spawn(cli.command)
    const [chunk] = await once(child.stdout, "data")
    assert.include(String(chunk), "early")
    child.stdin.end()
    await once(child, "exit")
  })

  it("reads stdin while a slow reader takes its output, and goes on when that leaves", async () => {
    const megabyte = "x".repeat(1_000_000)
    await using cli = await FakeCli.install(
      FakeCli.claude([Step.text(megabyte), Step.stderr("went on\n")], { stdin: "meanwhile" })
    )
    const child = spawn(cli.command)
    child.stdin.end(megabyte)
    await new Promise((resolve) => child.stdin.once("finish", resolve))
    await Effect.runPromise(until(() => cli.calls()[0]?.stdin !== undefined))
    assert.strictEqual(cli.calls()[0]?.stdin, megabyte)
    child.stdout.destroy()
    const content = await text(child.stderr)
    assert.strictEqual(content, "went on\n")
  })
})
