/** The shell that takes the program's place as process 1: it reaps, forwards signals, and ends as the program did. */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { assert, describe, it } from "vitest"
import { script } from "../../src/program/reapingParent.ts"
import { ownNamespace } from "../kit/guardedHost.ts"

if (ownNamespace === undefined) console.warn("SKIPPED: no pid namespace can be made here, so process 1 is not tested")

/** `/bin/sh` is dash on Debian, and bash in its POSIX mode on Red Hat. */
const shells = [["dash"], ["bash", "--posix"], ["busybox", "ash"]].filter(
  ([name = ""]) => spawnSync(name, ["-c", ":"]).error === undefined
)

const [unshare = "", ...flags] = ownNamespace ?? []

const node = (code: string) => [process.execPath, "-e", code]
const sh = (code: string) => ["sh", "-c", code]

describe.skipIf(ownNamespace === undefined).each(shells.map((words) => ({ name: words[0], words })))(
  "$name as process 1",
  ({ words }) => {
    /** A session of its own has no terminal. */
    const start = (program: ReadonlyArray<string>) =>
      spawn(unshare, [...flags, ...words, "-c", script, "reins", ...program], { detached: true })

    const run = async (program: ReadonlyArray<string>, input = "") => {
      const child = start(program)
      let stdout = ""
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        stdout += text
      })
      child.stdin.on("error", () => {})
      child.stdin.end(input)
      const [code] = await once(child, "close")
      return { code, stdout }
    }

    it.each([
      ["success", sh("exit 0"), 0],
      ["a failure", sh("exit 7"), 7],
      ["a program that is missing", ["/missing"], 127],
      ["SIGKILL", sh("kill -KILL $$"), 137],
      ["SIGTERM", sh("kill -TERM $$"), 143]
    ])("ends as the program did: %s", async (_, program, code) => {
      assert.strictEqual((await run(program)).code, code)
    })

    it.each(["SIGTERM", "SIGINT", "SIGHUP"])(
      "forwards %s, and waits for what the program does then",
      async (signal) => {
        const code = `process.on("${signal}", () => setTimeout(() => process.exit(5), 50)); setInterval(() => {}, 1e6)
        process.kill(1, "${signal}")`
        assert.strictEqual((await run(node(code))).code, 5)
      }
    )

    it("forwards each signal once, however many come", async () => {
      const code = `let count = 0; setInterval(() => {}, 1e6)
        process.on("SIGHUP", () => { count += 1; process.kill(1, count < 20 ? "SIGHUP" : "SIGTERM") })
        process.on("SIGTERM", () => process.exit(count)); process.kill(1, "SIGHUP")`
      assert.strictEqual((await run(node(code))).code, 20)
    })

    it("gives the program its stdin and its arguments as they are", async () => {
      const read = await run(
        [...node("process.stdin.pipe(process.stdout)"), "--", "a b", "$HOME", "", "-n"],
        "some\ntext"
      )
      assert.strictEqual(read.stdout, "some\ntext")
      const args = await run([
        ...node("console.log(JSON.stringify(process.argv.slice(1)))"),
        "--",
        "a b",
        "$HOME",
        "",
        "'"
      ])
      assert.deepEqual(JSON.parse(args.stdout), ["a b", "$HOME", "", "'"])
    })

    it("reaps orphans while the program runs", async () => {
      // Each shell is an orphan at once, its child when the shell has ended.
      const code = `const { execSync } = require("node:child_process"), fs = require("node:fs")
        for (let n = 0; n < 20; n++) execSync("(setsid sh -c 'sleep 0.05 & exit 0' &) > /dev/null 2>&1")
        const others = () => fs.readdirSync("/proc").filter((name) => +name > 1 && +name !== process.pid)
        const look = () => (others().length === 0 ? process.exit(5) : setTimeout(look, 10))
        look()`
      assert.strictEqual((await run(node(code))).code, 5)
    })

    it("lets Ctrl-C reach the program once: the terminal has sent it to both", async () => {
      const code = `let count = 0; setInterval(() => {}, 1e6)
        process.on("SIGINT", () => { count += 1; process.kill(1, "SIGTERM") })
        process.on("SIGTERM", () => process.exit(40 + count)); console.log("ready")`
      const command = [unshare, ...flags, ...words, "-c", script, "reins", ...node(code)]
      const quoted = command.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ")
      // `exec`: a shell that stays in between ends by Ctrl-C, and hides the code.
      const child = spawn("script", ["--quiet", "--return", "--command", `exec ${quoted}`, "/dev/null"])
      let output = ""
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        output += text
        if (output.includes("ready")) child.stdin.end("\x03")
      })
      const [ended] = await once(child, "close")
      assert.strictEqual(ended, 41)
    })

    it("waits for the reaper of a program that was killed", async () => {
      // The substitution ends when the reaper, which runs by then, has closed it.
      const reaper = "exec 3>&1; : $(setsid sh -c 'exec >&3; sleep 0.3; echo cleared' reins-reaper 2> /dev/null &)"
      assert.deepEqual(await run(sh(`${reaper}; kill -KILL $$`)), { code: 137, stdout: "cleared\n" })
    })
  }
)
