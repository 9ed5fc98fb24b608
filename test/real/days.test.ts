/** A day with a real CLI behind `reins serve`, from pairing to the export, in one chat: each CLI, and each service. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { type ChannelId, channels } from "../../src/api/config/channels.ts"
import { type Answer, call, say, tool } from "../../src/testing/servers/Answer.ts"
import type { ModelRequest } from "../../src/testing/servers/request.ts"
import { png } from "../kit/attachments.ts"
import { openDay } from "./rig/day.ts"
import { gatewayTool, type ToolsCli } from "./rig/gatewayTool.ts"
import { command } from "./rig/live.ts"

/** For people: how the chats looked at the end of the day. */
const folder = fileURLToPath(new URL("../../.cache/day", import.meta.url))

const days: ReadonlyArray<readonly [ToolsCli, ChannelId]> = [
  ...(["claude", "gemini", "codex", "opencode"] as const).map((cli) => [cli, "telegram"] as const),
  ...channels.filter(({ id }) => id !== "telegram").map(({ id }) => ["claude", id] as const)
]

/** The model's reaction to a word of the prompt, by how much it has done; undefined when it is done, and says so. */
type Plans = { readonly [word: string]: (before: number, request: ModelRequest) => Answer | undefined }

const once =
  (work: () => ReturnType<typeof tool>) =>
  (before: number): Answer | undefined =>
    before === 0 ? call(work()) : undefined

/** It is written into a file first, Claude's is named in what the model is told. */
const writePlan = ({ body }: ModelRequest): { readonly [Id in ToolsCli]?: Answer } => {
  const [file = ""] = /\/[^\s"\\]*\/plans\/[\w-]+\.md/.exec(JSON.stringify(body)) ?? []
  return {
    claude: call(tool("Write", { file_path: file, content: "Prune the quince." })),
    gemini: call(tool("write_file", { file_path: "p.md", content: "Prune the quince." }))
  }
}
/** Only these two have plans that people agree to. */
const showPlan: { readonly [Id in ToolsCli]?: Answer } = {
  claude: call(tool("ExitPlanMode", {})),
  gemini: call(tool("exit_plan_mode", { plan_filename: "p.md" }))
}
const outline = "The outline: ".padEnd(300, "first the quince, then the rest, ")

/** A session's requests have the results of its earlier turns, too: what counts are those behind the word. */
const modelOf = (plans: Plans) => {
  const before = new Map<string, number>()
  return (request: ModelRequest): Answer => {
    const { kind, prompt, toolResults } = request
    if (kind === "side") return say("A day")
    const word = Object.keys(plans).find((each) => prompt.includes(each))
    const plan = word === undefined ? undefined : plans[word]
    if (word === undefined || plan === undefined) return say(`Done: ${prompt.slice(-40).trim()}`)
    const known = before.get(word) ?? toolResults.length
    before.set(word, known)
    return plan(toolResults.length - known, request) ?? say(`Done: **${word}**`)
  }
}

const appears = async (file: string) => {
  while (!existsSync(file)) await sleep(20)
}

// At once: most of the time they wait for the pace of the chat.
describe.concurrent.each(days)("%s on %s, in a pocket", (cli, channel) => {
  it("is paired, asks, is steered and stopped, gets and sends files, outlives its host, and is exported", async () => {
    const shell = (text: string) => once(() => command[cli](text))
    const host = (name: string, input: object) => once(() => gatewayTool(cli, "host", name, input))
    await using day = await openDay(
      cli,
      channel,
      modelOf({
        "touch first": shell("touch first.txt"),
        "wait for me": shell("echo on > begun.txt; while [ ! -e go.txt ]; do sleep 0.05; done"),
        "sleep long": shell("echo on > long.txt; sleep 601.25; echo woken"),
        "ask me": host("ask_person", { question: "Tea or coffee?", options: ["Tea", "Coffee"] }),
        "send notes": host("send_file", { path: "notes.txt", caption: "The notes" }),
        "work for hours": shell("echo on > hours.txt; sleep 602.25; echo woken"),
        "think first": (done, request) => [writePlan(request)[cli], showPlan[cli], say(outline)][done],
        "carry on": (done) => [showPlan[cli]][done],
        "plan it": once(() => {
          const at = new Date(Date.now() + 1_500).toISOString()
          return gatewayTool(cli, "host", "schedule_add", { prompt: "water the quince", at, budgetUsd: 0.01 })
        })
      })
    )
    const { sandbox, start, end, soon, printing, tell, press, shown: visible, service, api } = day
    const inWork = (name: string) => join(sandbox.work, name)
    const output = (file: string) => soon(file, appears(file))
    const allow = async (part: string) => {
      const requested = await visible(part, "Allow")
      press(requested, "Allow")
      // Without edits the question stays as it is.
      if (service.hasEdits) await visible(/Allowed by/)
    }

    start(["--pair"])
    const [code] = await printing(/\b[2-9A-Z]{5}-[2-9A-Z]{5}\b/)
    await service.connect()
    tell(code)
    await visible(/owner/i)

    tell("touch first")
    await allow("touch first.txt")
    await visible("Done: touch first")
    expect(existsSync(inWork("first.txt"))).toBe(true)

    tell("wait for me")
    await allow("begun.txt")
    await output(inWork("begun.txt"))
    tell("with quince")
    await soon(
      "the host's word that it has it",
      service.until(() => service.waiting() === 0 || undefined)
    )
    writeFileSync(inWork("go.txt"), "")
    await visible(/^Done: /)
    const received = (part: string) =>
      soon(
        part,
        service.until(() => api.requests.find(({ body }) => JSON.stringify(body).includes(part)))
      )
    await received("with quince")

    tell("sleep long")
    await allow("long.txt")
    await output(inWork("long.txt"))
    if (service.hasEdits) press(await visible("⏳", "Stop"), "Stop")
    else day.command("stop")
    await visible(/■|stopped/i)

    if (showPlan[cli] !== undefined) {
      day.command("planmode on")
      await visible("Plan mode: on")
      tell("think first")
      press(await visible("Prune the quince", "Outline"), "Outline")
      await visible(/^The outline: /)
      tell("carry on")
      press(await visible("Prune the quince", "Allow"), "Allow")
      await visible("Done: carry on")
      day.command("planmode off")
      await visible("Plan mode: off")
    }

    tell("ask me")
    const requested = await visible("Tea or coffee?", "Tea")
    press(requested, "Tea")
    // In the same turn, or in one of its own.
    await soon(
      "the answer's way to the model",
      service.until(() => api.requests.find(({ prompts }) => prompts.some((content) => /^Tea$/m.test(content))))
    )

    const photo = png(16, 16, [200, 0, 0])
    day.photo(photo, "what is this")
    await visible(/^Done: /)
    await received("what is this")
    await received(Buffer.from(photo).toString("base64"))

    writeFileSync(inWork("notes.txt"), "buy quinces\n")
    tell("send notes")
    await visible("notes.txt")
    await visible("Done: send notes")

    tell("work for hours")
    await allow("hours.txt")
    await output(inWork("hours.txt"))
    const beforeKill = service.violations()
    await end("SIGKILL")
    start()
    press(await visible("The host was restarted", "Go on"), "Go on")
    await visible(/^Done: /)

    tell("plan it")
    press(await visible("water the quince", "Agree"), "Agree")
    await visible(/Done: .*water the quince/)

    day.command("export")
    await visible(".md")
    await end("SIGTERM")

    const chat = service.render()
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, `${cli}-${channel}.txt`), chat)
    // The host that was killed knows what it had just sent, the next one does not: the service tells it, also about a call
    // that was under way when another one was refused.
    expect(beforeKill).toEqual([])
    expect(service.violations().filter(({ rule }) => rule !== "pace" && rule !== "forbidden")).toEqual([])
    expect(service.violations().length).toBeLessThan(5)
    for (const secret of Object.values(service.secrets)) expect(chat).not.toContain(secret)
    expect(readFileSync(inWork("notes.txt"), "utf8")).toBe("buy quinces\n")
  }, 400_000)
})
