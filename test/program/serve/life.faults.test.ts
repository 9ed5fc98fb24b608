/** `reins serve` as a process: an address, turns over HTTP, and its ends. */
import { setTimeout as sleep } from "node:timers/promises"
import { afterEach, describe, expect, it } from "vitest"
import { chatOf, isAlive, logOf, makeRoom, type Room, runServe, saying, script, startServe } from "./room.ts"

const rooms: Array<Room> = []
const hosts: Array<{ readonly child: { readonly kill: (signal: NodeJS.Signals) => boolean } }> = []

afterEach(() => {
  for (const { child } of hosts.splice(0)) child.kill("SIGKILL")
  for (const { remove } of rooms.splice(0)) remove()
})

const roomOf = (options?: Parameters<typeof makeRoom>[0]) => {
  const room = makeRoom(options)
  rooms.push(room)
  return room
}

const started = async (room: Room, args?: ReadonlyArray<string>, env?: NodeJS.ProcessEnv) => {
  const host = await startServe(room, args, env)
  hosts.push(host)
  return host
}

/** Waits for something that no signal tells. */
const until = async (isSo: () => boolean) => {
  while (!isSo()) await sleep(20)
}

describe("a host", () => {
  it("prints its address once, answers over HTTP, and ends with nothing left", async () => {
    const room = roomOf()
    const { child, page, ended } = await started(room)
    const chat = chatOf(page)
    expect(await chat.say(script({ log: "begun" }, { say: "answer to one;" }))).toBe(202)
    await chat.shows(saying("answer to one;"))
    expect((await fetch(`${page.base}/state`)).status).toBe(401)
    child.kill("SIGTERM")
    const { code, stdout, stderr } = await ended
    expect(code).toBe(0)
    expect(stdout.trim().split("\n")).toEqual([`${page.base}/#key=${page.key}`])
    expect(stderr).not.toContain(page.key)
    expect(logOf(stderr).map(({ message }) => message)).toEqual([
      `claude answers in ${room.work}`,
      expect.stringContaining("Open this address"),
      expect.stringMatching(/^SIGTERM: nothing is at work/),
      "Ended: nothing is left running"
    ])
    expect(room.logged().map(({ pid }) => isAlive(pid))).toEqual([false])
  })

  it("finishes what is at work, and keeps what comes meanwhile for its next start, with the same key", async () => {
    const room = roomOf()
    const first = await started(room)
    const [chat, other] = [chatOf(first.page), chatOf(first.page)]
    await chat.say(script({ log: "begun" }, { wait: 1_500 }, { say: "answer to one;" }))
    await until(() => room.logged().length === 1)
    first.child.kill("SIGTERM")
    await first.printing("stderr", /1 turn at work may take 120 seconds/)
    await other.say(script({ log: "later" }, { say: "answer to two;" }))
    await other.shows(/your message is stored/)
    await chat.shows(saying("answer to one;"))
    const { code, stderr } = await first.ended
    expect(code).toBe(0)
    expect(logOf(stderr).at(-1)?.message).toBe("Ended: nothing is left running")
    expect(room.logged().map(({ text }) => text)).toEqual(["begun"])

    const second = await started(room)
    expect(second.page.key).toBe(first.page.key)
    await until(() => room.logged().length === 2)
    second.child.kill("SIGINT")
    expect((await second.ended).code).toBe(0)
    expect(room.logged().map(({ text }) => text)).toEqual(["begun", "later"])
  })

  it("ends at once at the second signal, with its agents", async () => {
    const room = roomOf()
    const { child, page, ended, printing } = await started(room)
    await chatOf(page).say(script({ log: "begun" }, { hang: true }))
    await until(() => room.logged().length === 1)
    child.kill("SIGTERM")
    await printing("stderr", /A second signal ends at once/)
    child.kill("SIGTERM")
    expect((await ended).code).toBe(130)
    const [agent] = room.logged()
    await until(() => !isAlive(agent?.pid ?? 0))
  })

  it("is the only one of its store; the second says so, and where it can be seen", async () => {
    const room = roomOf()
    const { page } = await started(room)
    const second = await runServe(room, ["--web=0"]).ended
    expect(second).toMatchObject({ code: 1, stdout: "" })
    expect(logOf(second.stderr)).toEqual([
      { time: expect.any(String), level: "error", message: expect.stringMatching(/Another reins serve .*--status/) }
    ])
    const taken = await runServe(room, [`--web=${new URL(page.base).port}`]).ended
    expect(taken.code).toBe(1)
    expect(taken.stderr).toContain(`Port ${new URL(page.base).port} of 127.0.0.1 is in use`)
  })

  it("starts anew where its owner says so, and reads all of its configuration then", async () => {
    const room = roomOf()
    const { page, printing, child, ended } = await started(room)
    await chatOf(page).say("/restart")
    await printing("stderr", /Starts anew/)
    await printing("stdout", /#key=\S+\n[\s\S]*#key=\S+\n/)
    child.kill("SIGTERM")
    expect((await ended).code).toBe(0)
  })

  it("answers with the demo agent where no CLI is installed, and says so", async () => {
    const room = roomOf({ hasAgent: false })
    const { page, printing } = await started(room)
    await printing("stderr", /No agent CLI is installed: the demo agent answers, which has no model/)
    const chat = chatOf(page)
    await chat.say("hello")
    await chat.shows(/node --version/)
  })
})

describe("--status", () => {
  it("tells what runs, and fails where nothing does", async () => {
    const room = roomOf()
    const none = await runServe(room, ["--status"]).ended
    expect(none).toMatchObject({ code: 1, stdout: "No reins serve runs on this store.\n", stderr: "" })
    const { page, child, ended } = await started(room)
    await chatOf(page).say(script({ log: "begun" }, { hang: true }))
    await until(() => room.logged().length === 1)
    const { code, stdout } = await runServe(room, ["--status"]).ended
    expect(code).toBe(0)
    expect(stdout).toMatch(new RegExp(`^serve     runs for \\d.*, pid ${child.pid}\\npage      ${page.base}/\\n`))
    expect(stdout).toContain("at work   1 conversation\nwaiting   0 conversations\nnot sent  0 failed, 0 held")
    expect(stdout).not.toContain(page.key)
    child.kill("SIGKILL")
    await ended
    expect((await runServe(room, ["--status"]).ended).code).toBe(1)
  })
})
