/** Notifications to systemd, recorded by a program of its name. */
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { expect, it } from "vitest"
import { chatOf, makeRoom, saying, script, startServe } from "./room.ts"

it("hears when a host is ready, that it lives, and when it ends; no agent can say so", async () => {
  const room = makeRoom()
  try {
    const words = join(room.root, "words")
    const notify = join(room.root, "bin/systemd-notify")
    writeFileSync(notify, `#!/bin/sh\necho "$2 at $NOTIFY_SOCKET" >> '${words}'\n`)
    chmodSync(notify, 0o755)
    const claude = join(room.root, "bin/claude")
    const known = join(room.root, "seen")
    writeFileSync(claude, readFileSync(claude, "utf8").replace("\nexec", `\nenv > '${known}'\nexec`))
    const env = { NOTIFY_SOCKET: "/run/notify", WATCHDOG_USEC: "200000" }
    const { child, page, ended } = await startServe(room, ["--web=0"], env)
    const received = () => (existsSync(words) ? readFileSync(words, "utf8").trim().split("\n") : [])
    expect(received()[0]).toBe("READY=1 at /run/notify")
    while (received().filter((word) => word === "WATCHDOG=1 at /run/notify").length < 3) await sleep(20)
    const chat = chatOf(page)
    await chat.say(script({ say: "here;" }))
    await chat.shows(saying("here;"))
    expect(readFileSync(known, "utf8")).not.toMatch(/NOTIFY_SOCKET|WATCHDOG/)
    child.kill("SIGTERM")
    expect((await ended).code).toBe(0)
    expect(received()).toContain("STOPPING=1 at /run/notify")
  } finally {
    room.remove()
  }
})

it("is not waited for where its program is missing, which is told", async () => {
  const room = makeRoom()
  try {
    const { child, ended, printing } = await startServe(room, ["--web=0"], {
      NOTIFY_SOCKET: "/run/notify",
      PATH: join(room.root, "bin")
    })
    await printing("stderr", /systemd-notify is not on PATH: use Type=exec/)
    child.kill("SIGTERM")
    expect((await ended).code).toBe(0)
  } finally {
    room.remove()
  }
})
