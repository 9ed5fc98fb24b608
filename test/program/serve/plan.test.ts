/** Flags and configuration → how a host listens and what its bridge is given; its log; what a new configuration changes. */
import { Option, Result } from "effect"
import { assert, describe, it } from "vitest"
import * as Approvals from "../../../src/agents/Approvals.ts"
import type { BudgetState } from "../../../src/contract/Budget.ts"
import type { Configuration, ConfiguredWeb } from "../../../src/contract/Configuration.ts"
import { localTime } from "../../../src/program/format.ts"
import { watchdogMs } from "../../../src/program/serve/notify.ts"
import { logLine } from "../../../src/program/serve/perform.ts"
import {
  accessBy,
  approvalRules,
  bridgeChanges,
  gatewayOf,
  type ServePlan,
  servePlan,
  usualPorts,
  webhookChats
} from "../../../src/program/serve/plan.ts"
import type { ServeStatus } from "../../../src/program/serve/readStatus.ts"
import { reloaded, reloadText } from "../../../src/program/serve/reload.ts"
import { rowOfBudgets, transcriptionOf } from "../../../src/program/serve/serving.ts"
import { statusLines } from "../../../src/program/serve/status.ts"

const nothing: Configuration = { agents: {}, directories: {} }

describe("targets of agents", () => {
  const gateway = { profile: "messaging", targets: { team: { chat: "-1", thread: "7", description: "All" } } } as const

  it("are chats of the bot", () => {
    assert.deepStrictEqual(gatewayOf({ gateway, zone: "UTC" }, [{ id: "telegram", accountId: "12345" }]), {
      profile: "messaging",
      zone: "UTC",
      targets: {
        team: {
          conversation: { channel: "telegram", accountId: "12345", chatId: "-1", threadId: "7" },
          description: "All"
        }
      }
    })
  })

  it("need one", () => {
    assert.deepStrictEqual(gatewayOf({ gateway, zone: "UTC" }, []), { profile: "messaging", zone: "UTC" })
    assert.deepStrictEqual(gatewayOf({}, []), { zone: undefined })
  })
})

describe("voice messages", () => {
  it("are transcribed by a program that gets no secret of the host", () => {
    const telegram = { token: { env: "BOT" } }
    const transcribe = { command: ["whisper-cli", "{file}"], timeout: "1 minute" }
    assert.deepStrictEqual(transcriptionOf({ ...nothing, telegram, transcribe }), {
      command: ["whisper-cli", "{file}"],
      env: { BOT: undefined },
      timeout: "1 minute"
    })
    assert.isUndefined(transcriptionOf({ ...nothing, telegram }))
  })
})

describe("where it listens", () => {
  const plan = (web: string | undefined, host: string | undefined, configured: ConfiguredWeb = {}) =>
    servePlan(
      { web: Option.fromUndefinedOr(web), host: Option.fromUndefinedOr(host) },
      { web: configured },
      "/home/me/shop"
    )
  const usual = { host: "127.0.0.1", ports: usualPorts, title: "shop", tls: undefined, allowRemote: false, hosts: [] }
  const tls = { cert: "/c.pem", key: "/k.pem" }

  it.each<readonly [string, ReturnType<typeof plan>, ServePlan]>([
    ["nothing", plan(undefined, undefined), usual],
    ["--web", plan("", undefined), usual],
    ["--web=80", plan("80", undefined), { ...usual, ports: [80] }],
    ["--web=0", plan("0", undefined, { port: 90 }), { ...usual, ports: [0] }],
    ["web.port", plan("", undefined, { port: 90, title: "Shop" }), { ...usual, ports: [90], title: "Shop" }],
    ["--host ::1", plan(undefined, "::1"), { ...usual, host: "::1" }],
    [
      "for others",
      plan("", "0.0.0.0", { allowRemote: true, tls, hosts: ["a.example"] }),
      { ...usual, host: "0.0.0.0", tls, allowRemote: true, hosts: ["a.example"] }
    ]
  ])("%s", (_, found, expected) => {
    assert.deepStrictEqual(found, Result.succeed(expected))
  })

  it.each([
    ["--web=x", plan("x", undefined)],
    ["--web=65536", plan("65536", undefined)],
    ["--web=-1", plan("-1", undefined)],
    ["--host 0.0.0.0", plan(undefined, "0.0.0.0")],
    ["--host example.org", plan(undefined, "example.org")],
    ["--host 127.0.0.1.evil.example", plan(undefined, "127.0.0.1.evil.example")]
  ])("%s is refused", (_, found) => {
    assert.isTrue(Result.isFailure(found))
  })
})

describe("directories", () => {
  it("are the current one, unless the file names one of its own", () => {
    const shop = { path: "/code/shop", agent: "codex", billing: "api-key" } as const
    const { access: _, ...changes } = bridgeChanges(nothing, "/home/me/my code")
    assert.deepStrictEqual(changes, {
      directories: { "my-code": { path: "/home/me/my code" } },
      directory: "my-code",
      whileBusy: undefined,
      approvals: undefined,
      chats: {}
    })
    const { directories, directory } = bridgeChanges({ ...nothing, directories: { shop } }, "/")
    assert.deepStrictEqual([Object.keys(directories), directory], [["here", "shop"], "here"])
    const named = bridgeChanges({ ...nothing, directories: { shop }, directory: "shop" }, "/")
    assert.deepStrictEqual([Object.keys(named.directories), named.directory], [["shop"], "shop"])
  })
})

describe("approvals", () => {
  const request = { deadline: "1 hour" } as const
  const rest = Approvals.ask(undefined, request)

  it("are stricter first, and people are asked about all else", () => {
    assert.deepStrictEqual(approvalRules({}), [
      Approvals.allow({ kinds: ["read"] }),
      Approvals.allow({ kinds: ["search"] }),
      rest
    ])
    assert.deepStrictEqual(
      approvalRules({ allow: ["command", "*"], ask: ["command(git push *)"], deny: ["command(rm *)"] }),
      [
        Approvals.deny({ commands: ["rm *"] }),
        Approvals.ask(undefined, { ...request, match: { commands: ["git push *"] } }),
        Approvals.allow({ kinds: ["command"] }),
        Approvals.allow(),
        rest
      ]
    )
  })

  it("deny or ask about all but what is named", () => {
    const read = Approvals.allow({ kinds: ["read"] })
    assert.deepStrictEqual(approvalRules({ allow: ["read"], deny: ["*"] }), [read, Approvals.deny(), rest])
    assert.deepStrictEqual(approvalRules({ allow: ["read", "*"], ask: ["*"] }), [read, rest])
  })
})

describe("a configuration that is read again", () => {
  it("counts in part", () => {
    const before: Configuration = { ...nothing, agent: "claude", web: { port: 1 }, file: "/a" }
    const read: Configuration = { ...nothing, whileBusy: "queue", web: { port: 2 }, zone: "UTC", file: "/b" }
    const next = reloaded(before, read)
    assert.deepStrictEqual(next.applied, ["agent", "whileBusy"])
    assert.deepStrictEqual(next.waiting, ["web", "zone"])
    assert.deepStrictEqual(next.configuration, { ...nothing, web: { port: 1 }, file: "/a", whileBusy: "queue" })
    assert.deepStrictEqual(reloaded(next.configuration, read).waiting, ["web", "zone"])
    assert.strictEqual(
      reloadText(next),
      "The configuration was read again. It counts from the next turn on: agent, whileBusy; after a restart alone: web, zone."
    )
    assert.include(reloadText(reloaded(before, before)), "nothing has changed")
  })
})

describe("a bot", () => {
  const bot = { token: { env: "BOT" }, owners: ["1"] } as const

  it("has people of its own, and the page its owner", () => {
    const access = accessBy({ telegram: { ...bot, groups: { "-1": { mention: false } } } })
    assert.deepStrictEqual(access({ channel: "web", accountId: "web" }).owners, ["you"])
    const { owners, users, groups } = access({ channel: "telegram", accountId: "12" })
    assert.deepStrictEqual([owners, users, groups], [["1"], undefined, { "-1": { mention: false } }])
    assert.deepStrictEqual(accessBy({})({ channel: "telegram", accountId: "12" }).owners, undefined)
  })

  it("that is read again has other people at once, and another token after a restart alone", () => {
    const before: Configuration = { ...nothing, telegram: bot }
    const people = reloaded(before, { ...nothing, telegram: { ...bot, users: ["2"] } })
    assert.deepStrictEqual([people.applied, people.waiting], [["people of telegram"], []])
    assert.deepStrictEqual(people.configuration.telegram, { ...bot, users: ["2"] })
    const token = reloaded(before, { ...nothing, telegram: { token: "t", users: ["2"] } })
    assert.deepStrictEqual([token.applied, token.waiting], [["people of telegram"], ["telegram"]])
    assert.deepStrictEqual(token.configuration.telegram, { token: { env: "BOT" }, users: ["2"] })
    for (const [from, to] of [
      [before, nothing],
      [nothing, before]
    ] as const) {
      const other = reloaded(from, to)
      assert.deepStrictEqual(
        [other.applied, other.waiting, other.configuration.telegram],
        [[], ["telegram"], from.telegram]
      )
    }
  })
})

describe("webhooks", () => {
  const webhooks = {
    pulls: { secret: { env: "HOOK" }, signature: "github", prompt: "x" },
    ci: { secret: { env: "HOOK" }, signature: "github", prompt: "x", conversation: "main", agent: "codex" }
  } as const

  it("have conversations in plan mode unless they name another, and no people but themselves", () => {
    const chats = { "webhook:main": { effort: "high", permissionMode: "accept-edits" }, "1": { model: "m" } } as const
    assert.deepStrictEqual(webhookChats({ webhooks, chats }), {
      "webhook:pulls": { permissionMode: "plan" },
      "webhook:main": { permissionMode: "accept-edits", effort: "high", agent: "codex" }
    })
    const own = { ...webhooks.ci, permissionMode: "default", directory: "shop" } as const
    assert.deepStrictEqual(webhookChats({ webhooks: { ci: own }, chats })["webhook:main"], {
      ...{ permissionMode: "default", effort: "high", agent: "codex", directory: "shop" }
    })
    const changes = bridgeChanges({ ...nothing, webhooks, chats }, "/home/me/shop")
    assert.deepStrictEqual(Object.keys(changes.chats ?? {}).sort(), ["1", "webhook:main", "webhook:pulls"])
    assert.deepStrictEqual(accessBy({ webhooks })({ channel: "webhook", accountId: "webhooks" }), {
      users: ["pulls", "ci"]
    })
  })

  it("change after a restart alone, and keep their conversations until then", () => {
    const before: Configuration = { ...nothing, webhooks }
    for (const read of [nothing, { ...nothing, webhooks: { pulls: { ...webhooks.pulls, prompt: "y" } } }]) {
      const next = reloaded(before, read)
      assert.deepStrictEqual([next.applied, next.waiting], [[], ["webhooks"]])
      assert.deepStrictEqual(next.configuration.webhooks, webhooks)
    }
  })
})

describe("the log", () => {
  const at = new Date("2026-11-25T12:00:00Z")
  const parts = ["a key: sEcReT", new Error("went wrong")]

  it("is for people at a terminal, JSON elsewhere, and without secrets", () => {
    const line = { at, level: "warn", parts }
    assert.match(logLine(line, true, ["sEcReT"]), /^\d\d:00:00 warn: a key: … went wrong$/)
    assert.deepStrictEqual(JSON.parse(logLine(line, false, ["sEcReT"])), {
      time: "2026-11-25T12:00:00.000Z",
      level: "warn",
      message: "a key: … went wrong"
    })
    assert.match(logLine({ ...line, level: "info" }, true, []), /^\d\d:00:00 a key/)
  })
})

describe("what systemd gives to live", () => {
  it.each([
    [undefined, undefined],
    ["", undefined],
    ["0", undefined],
    ["-5", undefined],
    ["1e9", undefined],
    ["30000000", 30_000]
  ])("%s", (usec, expected) => {
    assert.strictEqual(watchdogMs(usec), expected)
  })
})

describe("the status", () => {
  const mark = { pid: 7, startedAt: 0, address: "http://127.0.0.1:7346/", directory: "/w\u001b[2J" }
  const account = { channel: "web", accountId: "web", host: "h", isServed: true, isTaken: true, mark }
  const status: ServeStatus = {
    homes: [],
    accounts: [account, { ...account, accountId: "old", isServed: false }],
    running: 1,
    waiting: 2,
    unsent: { failed: 1, held: 0, unknown: 3 },
    next: [{ at: 0, prompt: "say\nhello" }]
  }

  it("is for people, with the key on the owner's own terminal alone", () => {
    assert.deepStrictEqual(statusLines(status, 7_800_000, undefined).slice(0, 7), [
      "serve     runs for 2 h 10 min, pid 7",
      "page      http://127.0.0.1:7346/",
      "directory /w\\u001b[2J",
      "channels  web",
      "at work   1 conversation",
      "waiting   2 conversations",
      "not sent  1 failed, 0 held until the person writes, 3 not known"
    ])
    assert.match(statusLines(status, 0, undefined)[7] ?? "", /^next {6}1970-01-0\d \d\d:\d\d {2}say hello$/)
    assert.strictEqual(statusLines(status, 0, "k")[1], "page      http://127.0.0.1:7346/#key=k")
  })
})

describe("the budget that is shown", () => {
  const state = (budget: string, spent: number, more: Partial<BudgetState> = {}): BudgetState => ({
    ...{ budget, per: "all", window: "day", unit: "usd", limit: 10, spent, reserved: 0 },
    ...more
  })
  it("is the one that is closest to its end", () => {
    assert.isUndefined(rowOfBudgets([]))
    assert.isUndefined(rowOfBudgets([state("t", 9, { unit: "tokens" })]))
    assert.deepStrictEqual(
      rowOfBudgets([state("a", 1), state("b", 2, { reserved: 5, endsAt: Date.UTC(2026, 0, 2) }), state("c", 6)]),
      {
        ...{ name: "b", spent: 2, reserved: 5, limit: 10, again: localTime(Date.UTC(2026, 0, 2)) }
      }
    )
  })
})
