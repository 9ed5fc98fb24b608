/**
 * The real CLIs behind a channel: people allow what they do by buttons, stop them, write while they work; what they
 * send goes to the chat of their turn, and what they plan for later runs once an owner has agreed.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import { allow } from "../../src/agents/Approvals.ts"
import type { CliId } from "../../src/cli/clis.ts"
import { call, say } from "../../src/testing/servers/Answer.ts"
import type { ModelRequest } from "../../src/testing/servers/request.ts"
import { openBridge } from "./rig/bridge.ts"
import { gatewayTool } from "./rig/gatewayTool.ts"
import { command } from "./rig/live.ts"

const all = ["claude", "gemini", "codex", "opencode"] satisfies ReadonlyArray<CliId>
/** Whose CLI takes up a message at the next step of its turn. */
const steers: ReadonlySet<CliId> = new Set(["claude", "codex", "pi"])

/** Runs what the prompt of a turn names, and then says that it is done; the digit counts the results before its own. */
const runs =
  (cli: CliId, commandOf: (word: string) => string) =>
  ({ prompt, toolResults }: ModelRequest) => {
    const [, word, nth = "1"] = /make ([a-z]+)(\d)?/.exec(prompt) ?? []
    if (word === undefined || toolResults.length >= Number(nth)) return say(`Done: ${prompt.slice(-20).trim()}`)
    return call(command[cli](commandOf(word)))
  }

/** Processes by their arguments: ids that a command sees are those of its sandbox. */
const countOf = (argument: string) =>
  readdirSync("/proc").filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").includes(argument)
    } catch {
      return false
    }
  }).length

/** Output of a command of the agent. */
const output = async (file: string) => {
  while (!existsSync(file) || readFileSync(file, "utf8").trim() === "") await sleep(20)
  return readFileSync(file, "utf8").trim()
}

describe.each(all)("%s behind a channel", (cli) => {
  it("does what a person allows by a button, and nothing that was denied", async () => {
    await using bridge = await openBridge(
      cli,
      runs(cli, (word) => `touch ${word}.txt`)
    )
    const { say: tell, press, shown: visible, sandbox, scripted } = bridge
    await tell("make first1")
    const first = await visible("touch first.txt", { button: "Allow" })
    expect(existsSync(join(sandbox.work, "first.txt"))).toBe(false)
    await press(first.messageId, "Allow")
    await visible("Allowed by ann")
    await visible(/^Done: .*first1/)
    expect(existsSync(join(sandbox.work, "first.txt"))).toBe(true)
    await tell("make second2")
    const second = await visible("touch second.txt", { button: "Deny" })
    // A person who may only speak may not decide.
    await press(second.messageId, "Allow", "bob")
    await press(second.messageId, "Deny")
    await visible("Denied by ann")
    await bridge.until(() => (scripted.acknowledgements().length === 3 ? true : undefined))
    expect(existsSync(join(sandbox.work, "second.txt"))).toBe(false)
    expect(scripted.violations()).toEqual([])
  })

  it.each([true, false])("sends what it sends to the chat of its own turn, live: %s", async (live) => {
    const server = live ? "host" : "gateway"
    await using bridge = await openBridge(
      cli,
      ({ prompt, toolResults }) => {
        const [, word] = /send ([a-z]+)/.exec(prompt) ?? []
        if (word === undefined || toolResults.length > 0) return say(`Done: ${word ?? "nothing"}`)
        return call(gatewayTool(cli, server, "send_message", { text: `from ${word}` }))
      },
      { live, progress: "off" }
    )
    // OpenCode (1.18.33) fails where two processes make the database of a home at once.
    await bridge.say("hello")
    await bridge.shown("Done: nothing")
    await Promise.all([bridge.say("send apples", "ann"), bridge.say("send pears", "bob")])
    await Promise.all([bridge.shown("Done: apples"), bridge.shown("Done: pears", { chat: "bob" })])
    const content = (chat: string) => bridge.ours(chat).map(({ text }) => text)
    expect({ ann: content("ann"), bob: content("bob") }).toEqual({
      ann: ["Done: nothing", "from apples", "Done: apples"],
      bob: ["from pears", "Done: pears"]
    })
  })

  it("is asked later what it planned, once an owner has agreed, by whichever host serves then", async () => {
    let due = 0
    await using bridge = await openBridge(
      cli,
      ({ prompt, toolResults }) => {
        if (!/plan it/.test(prompt) || toolResults.length > 0) return say(`Done: ${prompt.slice(-40).trim()}`)
        due = Date.now() + 5_000
        const at = new Date(due).toISOString()
        return call(gatewayTool(cli, "host", "schedule_add", { prompt: "water the quince", at, budgetUsd: 0.01 }))
      },
      { gateway: { profile: "full", zone: "UTC", scheduleUsd: 1 }, progress: "off" }
    )
    const { say: tell, press, shown: visible, restart } = bridge
    await tell("plan it")
    const asks = await visible("water the quince", { button: "Agree" })
    await press(asks.messageId, "Agree")
    await bridge.until(() => bridge.scripted.acknowledgements()[0])
    await visible(/^Done: .*plan it/)
    // Stopped before it is due: a host looks once a minute, and a turn that it had begun would be interrupted here.
    await restart(() => sleep(due - Date.now() + 100))
    await visible(/^Done: .*water the quince/)
  })
})

/** Pi never asks, and takes none of the bridge's tools. */
describe.each([...all, "pi"] satisfies ReadonlyArray<CliId>)(
  "%s behind a channel, allowed all that it does,",
  (cli) => {
    it("is stopped from the chat, with all that it has started", async () => {
      await using bridge = await openBridge(
        cli,
        runs(cli, () => "echo on > begun.txt; sleep 601.5; echo woken"),
        { approvals: [allow()] }
      )
      const { say: tell, press, shown: visible, sandbox, scripted } = bridge
      await tell("make long")
      await output(join(sandbox.work, "begun.txt"))
      while (countOf("601.5") === 0) await sleep(20)
      const progress = await visible("", { button: "Stop" })
      const since = performance.now()
      await press(progress.messageId, "Stop")
      await bridge.until(() => scripted.acknowledgements()[0])
      const isLate = performance.now() - since > 5_000
      while (countOf("601.5") > 0 && performance.now() - since < 30_000) await sleep(20)
      expect({ left: countOf("601.5"), isLate }).toEqual({ left: 0, isLate: false })
      await tell("hello")
      await visible(/^Done: .*hello/)
    })

    it("takes up a message at its next step, or answers it afterwards", async () => {
      await using bridge = await openBridge(
        cli,
        ({ prompt, toolResults }) => {
          if (!/make it/.test(prompt) || toolResults.length > 0) return say(`Done: ${prompt.slice(-40).trim()}`)
          return call(command[cli]("echo on > begun.txt; while [ ! -e go.txt ]; do sleep 0.05; done"))
        },
        { approvals: [allow()] }
      )
      const { say: tell, shown: visible, sandbox, ours, scripted } = bridge
      await tell("make it")
      await output(join(sandbox.work, "begun.txt"))
      const taken = scripted.confirmed()
      await tell("with quince")
      await bridge.until(() => (scripted.confirmed() > taken ? true : undefined))
      writeFileSync(join(sandbox.work, "go.txt"), "")
      await visible(steers.has(cli) ? /^Done: / : /^Done: .*quince/)
      await bridge.until(() =>
        bridge.api.requests.find(({ body }) => JSON.stringify(body).includes("with quince")) ? true : undefined
      )
      await visible("✓ done")
      expect(ours("ann").filter(({ text }) => text.startsWith("Done: ")).length).toBe(steers.has(cli) ? 1 : 2)
    })
  }
)

it.each([true, false])("Pi answers behind a channel that offers tools, live: %s", async (live) => {
  await using bridge = await openBridge("pi", ({ prompt }) => say(`Done: ${prompt.slice(-20).trim()}`), {
    live,
    gateway: { profile: "full", zone: "UTC", scheduleUsd: 1 },
    progress: "off"
  })
  await bridge.say("hello")
  await bridge.shown(/^Done: .*hello/)
  await bridge.say("again")
  await bridge.shown(/^Done: .*again/)
  expect(bridge.ours("ann").map(({ text }) => text)).toHaveLength(2)
})
