/** `reins serve` as a process with webhooks: answers in a chat, hosts that are killed, and what never appears. */
import { execFileSync } from "node:child_process"
import { chmodSync, readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { afterEach, describe, expect, it } from "vitest"
import { TelegramServer } from "../../../src/testing/TelegramServer.ts"
import { type AnswerBody, signed } from "../../channels/webhooks/kit.ts"
import { logOf, makeRoom, type Room, runProgram, runServe, script } from "./room.ts"

const ended: Array<() => unknown> = []
afterEach(async () => {
  for (const end of ended.splice(0).reverse()) await end()
})

const secret = "hidden-secret-of-the-webhook"
const ann = 1_001

const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

/** `prompt`: of the webhook `pulls`, in TOML. */
const place = async (prompt: string, more = "", top = "") => {
  const port = await freePort()
  const config = `${top}[webhookServer]\nport = ${port}\n[webhooks.pulls]\nsecret = { env = "MY_HOOK" }\nsignature = "github"\nprompt = ${prompt}\n${more}`
  const room = makeRoom({ config })
  ended.push(room.remove)
  const deliver = async (id: string, body: object = {}, more: Record<string, string> = {}) => {
    const text = JSON.stringify(body)
    const response = await fetch(`http://127.0.0.1:${port}/hooks/pulls`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "x-hub-signature-256": signed(text, secret),
        "x-github-delivery": id,
        ...more
      },
      body: text
    })
    return { status: response.status, body: (await response.json()) as AnswerBody }
  }
  return { room, port, deliver, env: { MY_HOOK: secret } }
}

const started = (room: Room, env: NodeJS.ProcessEnv, args: ReadonlyArray<string> = []) => {
  const host = runServe(room, ["--web=0", ...args], env)
  ended.push(() => host.child.kill("SIGKILL"))
  return { ...host, opened: () => host.printing("stdout", /#key=/) }
}

/** A literal of TOML. */
const literal = (...steps: ReadonlyArray<object>) => `'${script(...steps)}'`

/** Waits for something that no signal tells. */
const until = async (isSo: () => boolean) => {
  while (!isSo()) await sleep(20)
}

const begun = (room: Room) => room.logged().filter(({ text }) => text === "begun").length

describe("a webhook", () => {
  it("begins a turn in plan mode, whose answer goes into the chat, once; its secret never appears", async () => {
    const telegram = await TelegramServer.start()
    ended.push(() => telegram[Symbol.asyncDispose]())
    const bot = `[telegram]\ntoken = { env = "MY_BOT" }\napiRoot = "${telegram.url}"\nowners = [${ann}]\n`
    const {
      room,
      deliver,
      env: own,
      port
    } = await place(
      literal({ log: "begun" }, { ask: { id: "a", command: "make one" } }, { await: 1 }, { say: "answer to one;" }),
      `tell = "telegram:${ann}"\n${bot}`
    )
    const env = { ...own, MY_BOT: telegram.token }
    const host = started(room, env)
    await host.opened()
    await host.printing("stderr", new RegExp(`A webhook is at http://127\\.0\\.0\\.1:${port}/hooks/pulls`))
    // A bot reaches people who have written to it.
    telegram.say("/whoami")
    await telegram.until(() => telegram.chat(ann).find(({ isOurs, text }) => isOurs && /your role is owner/.test(text)))
    expect(await deliver("one")).toEqual({ status: 202, body: { status: "taken", delivery: "one" } })
    const answer = await telegram.until(() =>
      telegram.chat(ann).find(({ isOurs, text }) => isOurs && /answer to one;/.test(text))
    )
    expect(answer.text).toMatch(/^Webhook pulls:\s+answer to one;/)
    expect(telegram.chat(ann).filter(({ isOurs }) => isOurs)).toHaveLength(2)
    expect((await deliver("one")).body).toMatchObject({ status: "already taken" })
    expect((await deliver("two", {}, { "x-hub-signature-256": signed("x", secret) })).status).toBe(401)
    const [agent] = room.logged()
    const of = (file: string) => readFileSync(`/proc/${agent?.pid}/${file}`, "utf8")
    expect(of("environ")).not.toContain("MY_HOOK")
    expect(of("environ")).not.toContain(secret)
    expect(of("cmdline")).toContain("plan")
    const status = await runProgram(room, ["serve", "--status"], env).ended
    expect(status.stdout).toMatch(/channels .*webhook \(webhooks\)/)
    host.child.kill("SIGTERM")
    const end = await host.ended
    expect(end.code).toBe(0)
    for (const { stdout, stderr } of [end, status]) expect(stdout + stderr).not.toContain(secret)
    expect(begun(room)).toBe(1)
  }, 60_000)

  it.each(["SIGKILL", "SIGTERM"] as const)(
    "whose host ends by %s between the 202 and the turn is performed once after the restart",
    async (signal) => {
      // The only place is taken by the page's conversation, so that the turn waits.
      const { room, deliver, env } = await place(
        literal({ log: "begun" }, { say: "answer to one;" }),
        "",
        "[limits]\ntotal = 1\n"
      )
      const first = started(room, env)
      const [, base = "", key = ""] = await first.printing("stdout", /^(https?:\/\/\S+)\/#key=([\w-]+)$/m)
      await fetch(`${base}/messages`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({
          id: crypto.randomUUID(),
          conversation: crypto.randomUUID(),
          text: script({ log: "other" }, { wait: signal === "SIGTERM" ? 1_000 : 600_000 }, { say: "x" })
        })
      })
      await until(() => room.logged().length === 1)
      expect((await deliver("one")).status).toBe(202)
      expect((await deliver("one")).status).toBe(200)
      first.child.kill(signal)
      await first.ended
      expect(begun(room)).toBe(0)

      const second = started(room, env)
      await second.printing("stderr", /webhook pulls: answer to one;/)
      expect((await deliver("one")).body).toMatchObject({ status: "already taken" })
      second.child.kill("SIGKILL")
      await second.ended
      const third = started(room, env)
      await third.opened()
      expect((await deliver("one")).body).toMatchObject({ status: "already taken" })
      expect(begun(room)).toBe(1)
    },
    60_000
  )

  it("whose host is killed in its turn is not repeated, and the log says so", async () => {
    const { room, deliver, env } = await place(literal({ log: "begun" }, { wait: 600_000 }, { say: "x" }))
    const first = started(room, env)
    await first.opened()
    await deliver("one")
    await until(() => begun(room) === 1)
    first.child.kill("SIGKILL")
    await first.ended
    const second = started(room, env)
    await second.printing(
      "stderr",
      /webhook pulls: The host was restarted while the agent was at work\. .* It is not repeated\./
    )
    expect(begun(room)).toBe(1)
  }, 60_000)

  it("answers in the response, and says what its configuration lacks", async () => {
    const { room, deliver, env } = await place(literal({ say: "answer to one;" }), 'answer = "http"\n')
    const host = started(room, env)
    await host.opened()
    expect(await deliver("one")).toEqual({
      status: 200,
      body: { status: "completed", reason: "completed", answer: expect.stringContaining("answer to one;") }
    })
    // A new prompt counts after a restart alone.
    writeFileSync(room.config, readFileSync(room.config, "utf8").replace("answer to one", "answer to two"))
    host.child.kill("SIGHUP")
    await host.printing("stderr", /It counts after a restart alone: webhooks\./)
    expect((await deliver("two")).body.answer).toContain("answer to one;")
  }, 60_000)

  it("listens for other machines with a certificate, whose key only the user can read", async () => {
    const { room, env, port } = await place('"Look"')
    const [cert, key] = [join(room.root, "cert.pem"), join(room.root, "key.pem")]
    const name = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"]
    const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    execFileSync("openssl", ["req", "-x509", ...kind, "-keyout", key, "-out", cert, ...name], { stdio: "ignore" })
    chmodSync(key, 0o600)
    const server = `[webhookServer]\nhost = "0.0.0.0"\nallowRemote = true\ntls = { cert = "${cert}", key = "${key}" }`
    writeFileSync(room.config, readFileSync(room.config, "utf8").replace("[webhookServer]", server))
    const host = started(room, env)
    await host.printing("stderr", new RegExp(`A webhook is at https://0\\.0\\.0\\.0:${port}/hooks/pulls`))
    const send = `fetch("https://127.0.0.1:${port}/hooks/pulls", { method: "POST", body: "{}" }).then((r) => console.log(r.status))`
    const trusting = { ...process.env, NODE_EXTRA_CA_CERTS: cert }
    expect(String(execFileSync(process.execPath, ["-e", send], { env: trusting }))).toBe("401\n")
    host.child.kill("SIGKILL")
    await host.ended
    chmodSync(key, 0o644)
    const { code, stderr } = await started(room, env).ended
    expect(code).toBe(1)
    expect(logOf(stderr).at(-1)?.message).toMatch(
      /webhookServer\.tls\.key: .*key\.pem can be read by others: chmod 600/
    )
  }, 60_000)

  it.each([
    [{}, /webhooks\.pulls\.secret\.env: the variable MY_HOOK is not set/],
    [{ MY_HOOK: "hidden" }, /webhooks\.pulls\.secret\.env: MY_HOOK is not a secret of 16 letters/]
  ])("does not start with the environment %j", async (env, problem) => {
    const { room } = await place('"Look"')
    const { code, stderr } = await started(room, env).ended
    expect(code).toBe(2)
    expect(logOf(stderr).at(-1)?.message).toMatch(problem)
    expect(stderr).not.toContain("hidden")
  })

  it("does not start where its port is taken, and says what to do", async () => {
    const { room, env, port } = await place('"Look"')
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve))
    ended.push(() => server.close())
    const { code, stderr } = await started(room, env).ended
    expect(code).toBe(1)
    expect(logOf(stderr).at(-1)?.message).toMatch(/Webhooks: Port \d+ on 127\.0\.0\.1 is in use.*webhookServer\.port/)
  })
})
