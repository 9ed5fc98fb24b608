/** `reins doctor` asks each channel of the configuration, and tells what it finds with its level. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { Finding } from "../../src/bridge/messages/Channel.ts"
import { checkChannels } from "../../src/program/doctor/channels.ts"
import { serveLines } from "../../src/program/doctor/here.ts"
import { channelsOf, examineServe } from "../../src/program/doctor/serve.ts"
import { HostEnvironment } from "../../src/system/process/HostEnvironment.ts"
import { nodePlatform } from "../../src/system/process/Platform.ts"
import { runHere } from "./programHere.ts"

const findings: ReadonlyArray<Finding> = [
  { level: "ok", message: "the bot is known" },
  { level: "warning", message: "it sees all messages of groups", help: "Change its privacy" },
  { level: "failure", message: "its token is refused", help: "Get another one" }
]

describe("channels that are asked", () => {
  it.effect("say what they find; one that says nothing in time, or breaks off, is at fault, and no other one", () =>
    Effect.gen(function* () {
      const asking = yield* Effect.forkChild(
        checkChannels([
          { id: "well", check: Effect.succeed(findings) },
          { id: "silent", check: Effect.never },
          { id: "broken", check: Effect.die(new Error("it reads what is not there")) }
        ])
      )
      yield* TestClock.adjust("10 seconds")
      const [well, silent, broken] = yield* Fiber.join(asking)
      assert.deepStrictEqual(well, { channel: "well", findings })
      assert.deepStrictEqual(
        [silent, broken].map((report) => report?.findings.map(({ level, message }) => [level, message])),
        [[["failure", "it did not answer within 10 seconds"]], [["failure", "its check broke off"]]]
      )
    })
  )

  it.effect("are those that would be served", () =>
    Effect.gen(function* () {
      const nothing = { agents: {}, directories: {} }
      const store = { kind: "file", place: tmpdir(), status: "absent", supported: 1, movedAside: [] } as const
      const request: Array<boolean> = []
      const { channels } = yield* examineServe(nothing, store, (_, isServed) => {
        request.push(isServed)
        return [{ id: "telegram", check: Effect.succeed(findings) }]
      })
      assert.deepStrictEqual(channels, [{ channel: "telegram", findings }])
      assert.deepStrictEqual(request, [false])
    }).pipe(Effect.scoped, Effect.provide(Layer.mergeAll(nodePlatform)))
  )

  it.effect.each<readonly [string, Finding]>([
    ["node", { level: "ok", message: "voice messages are transcribed by node" }],
    [
      "no-such-program",
      {
        level: "failure",
        message: "transcribe.command: the program no-such-program is missing",
        help: "Install it, or correct the line of reins.toml"
      }
    ]
  ])("need the program that transcribes voice messages: %s", ([program, expected]) =>
    Effect.gen(function* () {
      const configuration = { agents: {}, directories: {}, transcribe: { command: [program] } }
      const store = { kind: "file", place: tmpdir(), status: "absent", supported: 1, movedAside: [] } as const
      const report = yield* examineServe(configuration, store, () => [])
      assert.deepInclude(report.findings, expected)
    }).pipe(Effect.scoped, Effect.provide(Layer.mergeAll(nodePlatform)))
  )

  it.live("have webhooks among them, with their secrets, paths and port", () =>
    Effect.gen(function* () {
      const server = createServer()
      yield* Effect.addFinalizer(() => Effect.sync(() => server.close()))
      const port = yield* Effect.callback<number>((resume) => {
        server.listen(0, "127.0.0.1", () => {
          const address = server.address()
          resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0))
        })
      })
      const configuration = {
        ...{ agents: {}, directories: {}, webhookServer: { port } },
        webhooks: { pulls: { secret: { env: "HOOK" }, signature: "github", prompt: "Look" } }
      } as const
      const found = (host: Readonly<Record<string, string>>, isServed: boolean) =>
        checkChannels(channelsOf(configuration, isServed).filter(({ id }) => id === "webhook")).pipe(
          Effect.map(([report]) => report?.findings.map(({ level, message }) => [level, message])),
          Effect.provideService(HostEnvironment, host)
        )
      assert.deepStrictEqual(yield* found({ HOOK: "0123456789abcdef" }, true), [
        ["ok", "deliveries are taken at /hooks/pulls"],
        ["ok", "reins serve runs, with its port"]
      ])
      const [secret, taken] = (yield* found({}, false)) ?? []
      assert.deepStrictEqual(secret, ["failure", "webhooks.pulls.secret.env: the variable HOOK is not set"])
      assert.strictEqual(taken?.[0], "failure")
      assert.match(String(taken?.[1]), new RegExp(`port ${port} of 127\\.0\\.0\\.1 cannot be used`))
      assert.deepStrictEqual(
        channelsOf({ agents: {}, directories: {} }, false).map(({ id }) => id),
        ["web"]
      )
    }).pipe(Effect.scoped)
  )

  it("are lines of their own", () => {
    assert.deepStrictEqual(serveLines({ live: false, columns: 80 }, findings, "telegram"), [
      "✗ telegram  cannot be served",
      "  problem   it sees all messages of groups",
      "  cure      Change its privacy",
      "  problem   its token is refused",
      "  cure      Get another one"
    ])
  })
})

describe("the page", () => {
  it("of a port that is taken fails, in its own place, and so does serve", async () => {
    const taken = createServer()
    await new Promise<void>((listening) => taken.listen(0, "127.0.0.1", listening))
    const address = taken.address()
    const port = typeof address === "object" ? address?.port : undefined
    const directory = mkdtempSync(join(tmpdir(), "doctor-"))
    const file = join(directory, "reins.toml")
    writeFileSync(file, `[store]\ndirectory = "${directory}"\n[web]\nport = ${port}\n`, { mode: 0o600 })
    try {
      const { code, stdout } = await runHere(["doctor", "--config", file, "--json"])
      const report = JSON.parse(stdout)
      assert.strictEqual(code, 1)
      assert.include(report.failed, "serve")
      const [{ channel, findings: found }] = report.channels
      assert.strictEqual(channel, "web")
      assert.deepStrictEqual(
        found.map(({ level }: Finding) => level),
        ["failure"]
      )
      assert.include(found[0].message, `port ${port} of 127.0.0.1 cannot be used`)
      assert.isFalse(report.serve.some(({ level }: Finding) => level === "failure"))
      const lines = (await runHere(["doctor", "--config", file])).stdout
      assert.include(lines, "✗ serve     cannot start\n  problem   web cannot be served: see below\n")
      assert.include(lines, "✗ web       cannot be served\n")
    } finally {
      taken.close()
      rmSync(directory, { recursive: true })
    }
  })
})
