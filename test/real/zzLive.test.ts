import { existsSync, readFileSync, appendFileSync } from "node:fs"
import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Layer } from "effect"
import { expect, it } from "vitest"
import { AgentRuntime } from "../../src/AgentRuntime.ts"
import { makeCodex } from "../../src/cli/codex/index.ts"
import { makePlainAgent } from "../../src/PlainAgent.ts"
import { type ResponsesScript, responses } from "../../src/testing/ModelServer.ts"
import { makeFolders } from "../../src/testing/sandbox/folders.ts"
import { writeSurroundings } from "../../src/testing/sandbox/sandbox.ts"
import { call, cut, drip, fail, say, stall, message, text, tool, thought } from "../../src/testing/servers/answer.ts"
import { codexCommand, shell } from "./rig/codex.ts"
import { only, pathOf } from "./rig/environment.ts"
import { processesWith } from "../kit/processes.ts"

const live = async (script: ResponsesScript, params: any = {}, given: any = {}) => {
  const stack = new AsyncDisposableStack()
  const api = stack.use(await responses(script))
  const sandbox = given.sandbox ?? stack.use(await makeFolders())
  const values = await writeSurroundings("codex", { ...sandbox, url: api.url, path: pathOf([codexCommand]), retries: given.retries ?? 0 })
  const layer = AgentRuntime.layer(makeCodex(), { command: codexCommand, env: only(values) }).pipe(Layer.provide(NodeServices.layer))
  const agent = stack.use(makePlainAgent("codex", layer as any))
  const session = await agent.open({ workingDirectory: sandbox.work, ...params })
  const all: Array<any> = []
  const seen = (async () => { for await (const event of session.events) all.push(event) })()
  return { api, sandbox, session, all, seen, agent, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}
const brief = (events: ReadonlyArray<any>) => events.map((e) => { const { type, result, ...r } = e; return `${type} ${JSON.stringify(result ? { outcome: result.outcome, text: result.text, usage: result.usage, exit: result.exit, pd: result.permissionDenials } : r).slice(0, 330)}` }).join("\n")
const log = (name: string, events: ReadonlyArray<any>) => appendFileSync("/tmp/h6/codex-scratch/log.txt", `=== ${name}\n${brief(events)}\n`)
const collect = async (iterable: AsyncIterable<any>) => Array.fromAsync(iterable)
const until = async (condition: () => boolean) => { const end = Date.now() + 15000; while (!condition()) { if (Date.now() > end) throw new Error("never"); await new Promise((r) => setTimeout(r, 20)) } }

it("turn", async () => {
  await using real = await live([message([thought("Hm."), text("One."), text("Two.")]), say("Second")])
  const first = await collect(real.session.turn("hi"))
  log("first", first)
  const second = await collect(real.session.turn("again"))
  log("second", second)
  await real.session.setModel("gpt-5.4"); await real.session.setPermissionMode("bypass")
  log("changed", [])
  const third = await collect(real.session.turn("3"))
  log("third", third)
  const started = Date.now()
  await real.session.close(); log("closed", []); await real.seen
  log(`turn (closed in ${Date.now() - started} ms)`, real.all)
  expect(first.at(-1).result.text).toBe("One.\n\nTwo.")
})

it("approvals", async () => {
  const patch = (name: string) => tool("apply_patch", `*** Begin Patch\n*** Add File: ${name}\n+hello\n*** End Patch`)
  await using real = await live([call(shell("echo one > one.txt")), call(shell("echo two > two.txt")), call(patch("p.txt")), say("Done."), call(shell("echo three")), say("never")], {
    onPermission: async (request: any) => request.command?.includes("three") ? { decision: "deny", interrupt: true } : request.command?.includes("two") ? { decision: "deny", message: "Use blue paint." } : { decision: "allow" }
  })
  const first = await collect(real.session.turn("hi"))
  log("approvals " + ["one.txt", "two.txt", "p.txt"].map((n) => existsSync(join(real.sandbox.work, n))), first)
  const second = await collect(real.session.turn("more"))
  log("deny+interrupt", second)
  log("requests", [{ type: "x", input: JSON.stringify((await real.api.arrival(3)).body.input).slice(-300) }])
})

it("modes", async () => {
  const patch = (name: string) => tool("apply_patch", `*** Begin Patch\n*** Add File: ${name}\n+hello\n*** End Patch`)
  for (const permissionMode of ["plan", "accept-edits", "bypass"]) {
    await using real = await live([call(patch("p.txt")), call(patch("/var/tmp/reins-codex-x.txt")), call(shell("echo hi > made.txt")), say("Done.")], { permissionMode, onPermission: () => ({ decision: "deny" }) })
    const first = await collect(real.session.turn("hi"))
    log(`${permissionMode} ` + ["p.txt", "made.txt", "/var/tmp/reins-codex-x.txt"].map((n) => existsSync(join(n[0] === "/" ? "" : real.sandbox.work, n))), first)
    const { rmSync } = await import("node:fs"); rmSync("/var/tmp/reins-codex-x.txt", { force: true })
  }
})

it("interrupt", async () => {
  await using real = await live([call(shell("sleep 98761")), drip()], { permissionMode: "bypass" })
  const turn = collect(real.session.turn("hi"))
  await until(() => real.all.some((e) => e.type === "tool_use"))
  await until(() => processesWith("98761").length > 0)
  expect(await real.session.interrupt()).toBe(true)
  log(`interrupted, left: ${processesWith("98761").length}`, await turn)
  const second = collect(real.session.turn("hi"))
  await real.session.interrupt()
  log("interrupted at once", await second)
})

it("steer", async () => {
  await using real = await live([call(shell("sleep 0.5; echo x")), say("Steered"), say("Late")], { permissionMode: "bypass" })
  const turn = collect(real.session.turn("hi"))
  await until(() => real.all.some((e) => e.type === "tool_use"))
  const delivery = await real.session.send("blue please")
  log(`steer ${delivery}`, await turn)
  log("prompt", [{ type: "x", input: JSON.stringify((await real.api.arrival(2)).body.input).slice(-200) }])
  log(`send ${await real.session.send("late")}`, [])
  await until(() => real.all.filter((e) => e.type === "turn_done").length === 2)
  log("all", real.all)
})

it("question", async () => {
  const ask = tool("request_user_input", { questions: [{ id: "color", header: "Color", question: "Which color?", options: [{ label: "Red", description: "warm" }, { label: "Blue", description: "cold" }] }] })
  await using real = await live([call(ask), say("Blue it is"), call(ask), say("ok")], { onQuestion: (q: any) => real?.all.filter((e: any) => e.type === "turn_done").length ? undefined : ({ "Which color?": ["Blue"] }) })
  log("question", await collect(real.session.turn("hi")))
  log("no answer", await collect(real.session.turn("hi")))
  log("prompt", [{ type: "x", input: JSON.stringify((await real.api.arrival(2)).body.input).slice(-200) }, { type: "x", input: JSON.stringify((await real.api.arrival(4)).body.input).slice(-200) }])
})

it("host tool", async () => {
  await using folders = await makeFolders()
  const tools = [{ name: "add", description: "adds", inputSchema: { type: "object", properties: { a: { type: "number" } } }, run: (i: any) => { if (i.a === 9) throw new Error("nine"); return { sum: i.a + 1 } } }]
  let id
  {
    await using real = await live([call(tool("host.add", { a: 1 }), tool("host.add", { a: 9 })), say("Done.")], { tools }, { sandbox: folders })
    log("host tool", await collect(real.session.turn("hi")))
    log("prompt", [{ type: "x", input: JSON.stringify((await real.api.arrival(2)).body.input).slice(-300) }])
    id = real.session.sessionId
  }
  await using real = await live([call(tool("host.add", { a: 2 })), say("Resumed.")], { tools, sessionId: id }, { sandbox: folders })
  log("resumed", await collect(real.session.turn("hi")))
  log("all", real.all)
})

it("errors", async () => {
  await using real = await live([fail(401), say("ok"), cut("lost"), say("kept")], {}, { retries: 1 })
  log("401", await collect(real.session.turn("hi")))
  log("next", await collect(real.session.turn("hi")))
  log("cut", await collect(real.session.turn("hi")))
  await expect(live([], { sessionId: "01a1fa33-088c-7a41-af81-1e89f19e705c" })).rejects.toThrow(/no rollout/)
})
