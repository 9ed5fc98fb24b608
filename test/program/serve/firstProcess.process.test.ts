/** `reins` as process 1 of a pid namespace, as in a container without an init. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { afterEach, describe, expect, it } from "vitest"
import { ownNamespace } from "../../kit/guardedHost.ts"
import { main } from "../programProcess.ts"
import { chatOf, logOf, makeRoom, type Room, saying, script, startServe } from "./room.ts"

if (ownNamespace === undefined) console.warn("SKIPPED: no pid namespace can be made here, so process 1 is not tested")

const rooms: Array<Room> = []
const hosts: Array<ChildProcess> = []
afterEach(() => {
  for (const child of hosts.splice(0)) child.kill("SIGKILL")
  for (const { remove } of rooms.splice(0)) remove()
})

const roomOf = () => {
  const room = makeRoom()
  rooms.push(room)
  return room
}

const statOf = (path: string) => {
  try {
    const stat = readFileSync(path, "latin1")
    const [state = "", parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    return { state, parent: Number(parent) }
  } catch {
    return undefined // it has ended
  }
}

/** Their pids, as this process sees them. */
const childrenOf = (parent: number) =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && statOf(`/proc/${name}/stat`)?.parent === parent)
    .map(Number)

/** Process 1 of the namespace. */
const firstOf = (launcher: number) => {
  const [first] = childrenOf(launcher)
  if (first === undefined) throw new Error("the namespace has no process 1")
  return first
}

/** State and name of all processes of the namespace. */
const tableOf = (first: number) => {
  const proc = `/proc/${first}/root/proc`
  return readdirSync(proc)
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const found = statOf(`${proc}/${name}/stat`)
      return found === undefined ? [] : [found.state]
    })
}

/** Each of its processes leaves three shells in sessions of their own, with a background child each. */
const leaveShells = ({ root }: Room) => {
  const claude = join(root, "bin/claude")
  const leaving = `for n in 1 2 3; do setsid sh -c 'sleep 1000 & sleep 1000; :' > /dev/null 2>&1 < /dev/null & done`
  writeFileSync(claude, readFileSync(claude, "utf8").replace("\nexec", `\n${leaving}\nexec`))
  chmodSync(claude, 0o755)
}

/** `claude` is this program of `fixtures/programs` from now on. */
const runs = ({ root }: Room, name: string) => {
  const program = fileURLToPath(new URL(`../../../fixtures/programs/${name}`, import.meta.url))
  writeFileSync(join(root, "bin/claude"), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`)
}

const runAsFirst = async (
  room: Room,
  args: ReadonlyArray<string>,
  input = "",
  meanwhile: (launcher: number) => Promise<void> = async () => {}
) => {
  const [command = "", ...flags] = ownNamespace ?? []
  const child = spawn(command, [...flags, process.execPath, main, ...args], { cwd: room.work, env: room.env })
  hosts.push(child)
  const printed = { stdout: "", stderr: "" }
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      printed[name] += text
    })
  }
  child.stdin.on("error", () => {})
  child.stdin.end(input)
  const ended = once(child, "close")
  await meanwhile(child.pid ?? 0)
  const [code] = await ended
  return { code, ...printed }
}

describe.skipIf(ownNamespace === undefined)("the program as process 1", () => {
  it("leaves no entries in the process table, and drains on SIGTERM", async () => {
    const room = roomOf()
    leaveShells(room)
    const { child, page, ended } = await startServe(room, ["--web=0"], {}, [], ownNamespace)
    hosts.push(child)
    const first = firstOf(child.pid ?? 0)
    const before = tableOf(first).length
    for (const n of [1, 2, 3, 4, 5]) {
      const chat = chatOf(page)
      await chat.say(script({ log: "begun" }, { say: `answer ${n};` }, { exit: 1 }))
      await chat.shows(saying(`answer ${n};`))
    }
    // The reaper stays with the host. Entries of ended processes never go where nothing reaps them.
    while (tableOf(first).filter((state) => state !== "Z").length > before + 1) await sleep(20)
    await sleep(100)
    expect(tableOf(first).filter((state) => state === "Z")).toEqual([])

    const chat = chatOf(page)
    await chat.say(script({ log: "last" }, { wait: 500 }, { say: "last answer;" }))
    while (!room.logged().some(({ text }) => text === "last")) await sleep(20)
    process.kill(first, "SIGTERM")
    await chat.shows(saying("last answer;"))
    const { code, stderr } = await ended
    expect(code).toBe(0)
    expect(logOf(stderr).at(-1)?.message).toBe("Ended: nothing is left running")
    expect(stderr).not.toContain("process 1")
  })

  it("ends with its own exit code, and reads its own stdin", async () => {
    const room = roomOf()
    runs(room, "echo-stdin.mjs")
    const answered = await runAsFirst(room, ["run", "--output", "text", "-"], "here;")
    expect(answered).toMatchObject({ code: 0, stdout: expect.stringContaining("here;") })
    expect((await runAsFirst(room, ["run", "--nope"])).code).toBe(2)
    runs(room, "exits-1.mjs")
    expect((await runAsFirst(room, ["run", "-"], "here;")).code).toBe(1)
  })

  it("has a settings file restored before the container ends, when the program is killed", async () => {
    const room = roomOf()
    const settings = join(room.work, ".gemini/settings.json")
    mkdirSync(dirname(settings))
    writeFileSync(settings, '{ "own": 1 }')
    const servers = join(room.root, "servers.json")
    writeFileSync(servers, JSON.stringify({ mcpServers: { added: { command: "added" } } }))
    // It says nothing, so that the file stays as it reads it.
    const gemini = join(room.root, "bin/gemini")
    writeFileSync(gemini, "#!/bin/sh\ncat > /dev/null\nsleep 1000\n")
    chmodSync(gemini, 0o755)
    const args = ["run", "--agent", "gemini", "--mcp-config", servers, "hi"]
    const { code } = await runAsFirst(room, args, "", async (launcher) => {
      while (!readFileSync(settings, "utf8").includes("added")) await sleep(20)
      const program = childrenOf(firstOf(launcher)).find((pid) =>
        readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(main)
      )
      if (program === undefined) throw new Error("the program has ended")
      process.kill(program, "SIGKILL")
    })
    expect(code).toBe(137)
    expect(readFileSync(settings, "utf8")).toBe('{ "own": 1 }')
  })
})
