/**
 * A host in which the system refuses what a run needs. The first argument says what is refused, the second is a
 * directory for it. Prints how each run ended, one JSON line each, and whatever should never have come up.
 */
import { execFileSync } from "node:child_process"
import { closeSync, openSync, readdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { type AgentExecuteParams, type CliId, type CreateAgentOptions, createAgent } from "reins/promise"

const [how = "", directory = "", ...recordings] = process.argv.slice(2)
const ids = ["claude", "gemini", "codex", "opencode"] as const satisfies ReadonlyArray<CliId>
const say = (reported: object) => process.stdout.write(`${JSON.stringify(reported)}\n`)
for (const fault of ["uncaughtException", "unhandledRejection", "warning"]) {
  process.on(fault, (error) => say({ name: fault, message: String(error) }))
}

/** Prints its recording and leaves; where it is told to, it starts a process that stays before. */
const agentOf = (id: (typeof ids)[number], options: CreateAgentOptions = {}) =>
  createAgent(id, {
    command: "/bin/sh",
    baseArgs: ["-c", '[ -z "$STAY" ] || sleep 60 > /dev/null 2>&1 & cat > /dev/null; cat "$RECORDING"'],
    env: { values: { RECORDING: recordings[ids.indexOf(id)], STAY: how === "descriptors" ? "yes" : "" } },
    killGrace: 300,
    ...options
  })

const run = async (
  name: string,
  id: (typeof ids)[number],
  params: Partial<AgentExecuteParams> = {},
  options?: CreateAgentOptions
) => {
  const reported: Array<object> = []
  try {
    await using agent = agentOf(id, options)
    for await (const event of agent.execute({ prompt: "hello", ...params })) {
      if (event.type === "error") reported.push({ category: event.category, message: event.message })
      if (event.type === "done") reported.push({ reason: event.result.reason })
    }
  } catch (error) {
    reported.push({ thrown: String(error) })
  }
  return { name, id, ...Object.assign({}, ...reported), ends: reported.filter((one) => "reason" in one).length }
}

const mcpServers = { tiny: { command: "tiny", env: { PLAIN: "value" } } }

/** A consumer who takes nothing until the CLI has gone: what has no place in memory has none on the disk, either. */
const pause = async () => {
  const baseArgs = [fileURLToPath(new URL("../../../fixtures/programs/floods-events.mjs", import.meta.url))]
  await using agent = createAgent("claude", { command: process.execPath, baseArgs: [...baseArgs, "--megabytes=40"] })
  const types: Array<string> = []
  let answer = ""
  for await (const event of agent.execute({ prompt: "hello", workingDirectory: "/" })) {
    types.push(event.type)
    if (event.type === "done") answer = event.result.text
    if (event.type !== "session") continue
    while (readdirSync("/proc").includes(event.sessionId.slice("pids-".length))) await sleep(5)
  }
  const delivered = types.filter((type) => type === "tool_result").length
  return { name: "pause", printed: Number(answer.split(" ")[0]), delivered }
}

/** Opens files until no more may be open, but for some. */
const withDescriptors = async (free: number, then: () => Promise<void>) => {
  const open: Array<number> = []
  try {
    for (;;) open.push(openSync("/dev/null", "r"))
  } catch {
    for (const descriptor of open.splice(0, free)) closeSync(descriptor)
  }
  await then()
  for (const descriptor of open) closeSync(descriptor)
}

const survivors = (tag: string) =>
  readdirSync("/proc").filter((pid) => {
    try {
      return (
        /^\d+$/.test(pid) && Number(pid) !== process.pid && readFileSync(`/proc/${pid}/environ`, "utf8").includes(tag)
      )
    } catch {
      return false
    }
  })

const refusals: Readonly<Record<string, () => Promise<void>>> = {
  descriptors: async () => {
    process.chdir(directory)
    const reported: Array<object> = []
    for (let free = 0; free < 12; free++) {
      await withDescriptors(free, async () => {
        for (const id of ids) reported.push(await run(`${free} free`, id, { mcpServers }))
      })
    }
    for (const id of ids) reported.push(await run("all free", id))
    for (const one of reported) say(one)
    say({ name: "survivors", pids: survivors(recordings[0] ?? "?") })
  },
  "own directory": async () => {
    process.chdir(directory)
    rmSync(directory, { recursive: true })
    for (const id of ids) {
      say(await run("no directory given", id))
      say(await run("a relative one", id, { workingDirectory: "below" }))
      say(await run("a relative command", id, { workingDirectory: "/" }, { command: "./agent" }))
      say(await run("absolute ones", id, { workingDirectory: "/" }))
    }
  },
  processes: async () => {
    // The threads that read files are started by the first one that is read.
    await Promise.all(ids.map(() => readFile("/proc/self/stat")))
    execFileSync("prlimit", ["--pid", String(process.pid), "--nproc=1:1"])
    for (const id of ids) say(await run("no more processes", id, { workingDirectory: "/" }))
  },
  permissions: async () => {
    for (const id of ids) {
      for (const name of ["closed", "unreadable", "unsearchable"]) {
        say(await run(name, id, { workingDirectory: `${directory}/${name}` }))
      }
      say(await run("command", id, { workingDirectory: "/" }, { command: `${directory}/closed/agent` }))
      say(await run("record", id, { workingDirectory: "/", record: `${directory}/closed/record` }))
    }
    say(await run("settings", "gemini", { workingDirectory: `${directory}/readonly`, mcpServers }))
    process.env["TMPDIR"] = `${directory}/closed`
    say(await run("private files", "claude", { workingDirectory: "/", mcpServers }))
  },
  disk: async () => {
    const free = () => {
      const { bavail, bsize } = statfsSync(directory)
      return bavail * bsize
    }
    writeFileSync(`${directory}/fill`, Buffer.alloc(free()))
    for (const id of ["claude", "codex", "opencode"] as const) {
      say(await run("private files", id, { workingDirectory: "/", mcpServers }))
    }
    for (const id of ids) say(await run("no private files", id, { workingDirectory: "/" }))
    for (const id of ids) say(await run("record", id, { workingDirectory: "/", record: `${directory}/record` }))
    say(await run("settings", "gemini", { workingDirectory: directory, mcpServers }))
    say(await pause())
    say({ name: "left", files: readdirSync(directory).sort() })
  }
}

await refusals[how]?.()
say({ name: "end" })
