/** `reins serve` as a process with a bot on a Telegram of its own: pairing, turns, its second start, and its token. */
import { chmodSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import { TelegramServer } from "../../../src/testing/TelegramServer.ts"
import { logOf, makeRoom, type Room, runProgram, runServe, script } from "./room.ts"

const ended: Array<() => unknown> = []
afterEach(async () => {
  for (const end of ended.splice(0).reverse()) await end()
})

const place = async (more = "", top = "") => {
  const telegram = await TelegramServer.start()
  ended.push(() => telegram[Symbol.asyncDispose]())
  const room = makeRoom({
    config: `${top}[telegram]\ntoken = { env = "MY_BOT" }\napiRoot = "${telegram.url}"\n${more}`
  })
  ended.push(room.remove)
  return { telegram, room, env: { MY_BOT: telegram.token } }
}

const started = (room: Room, args: ReadonlyArray<string>, env: NodeJS.ProcessEnv) => {
  const host = runServe(room, ["--web=0", ...args], env)
  ended.push(() => host.child.kill("SIGKILL"))
  return { ...host, opened: () => host.printing("stdout", /#key=/) }
}

type Server = Awaited<ReturnType<typeof TelegramServer.start>>

const visible = ({ until, chat }: Server, id: number, pattern: RegExp) =>
  until(() => chat(id).find(({ isOurs, text }) => isOurs && pattern.test(text)))

const ann = 1_001

describe("a bot", () => {
  it("is paired by a code, works, answers, and continues at its next start; its token never appears", async () => {
    const { telegram, room, env } = await place()
    const first = started(room, ["--pair"], env)
    const [, code = ""] = await first.printing("stdout", /Send this code to telegram \(123456\) .*: (\S+)/)
    await first.opened()
    telegram.say("let me in", { from: 2_002 })
    telegram.say(code)
    await visible(telegram, ann, /You are the owner now/)
    telegram.say(script({ log: "begun" }, { wait: 2_500 }, { say: "answer to one;" }))
    const progress = await visible(telegram, ann, /claude/)
    expect(progress.buttons.flat()).toContain("Stop")
    await telegram.until(() => (room.logged().length === 1 ? true : undefined))
    const [agent] = room.logged()
    const of = (file: string) => readFileSync(`/proc/${agent?.pid}/${file}`, "utf8")
    expect([of("environ").includes(telegram.token), of("environ").includes("MY_BOT")]).toEqual([false, false])
    expect(of("environ")).toContain("REINS_SESSION=1")
    expect(readFileSync(`/proc/${first.child.pid}/cmdline`, "utf8")).not.toContain(telegram.token)
    const answer = await visible(telegram, ann, /^answer to one;/)
    expect(answer.messageId).not.toBe(progress.messageId)
    const [footer = "", line = ""] = answer.text.split("\n").slice(-2)
    expect(footer).toMatch(/^claude · \S+ · \d+(?:\.\d+)? s/)
    telegram.say(script({ say: "answer to three;" }), { replyTo: answer })
    const again = await visible(telegram, ann, /^answer to three;/)
    expect(line).toMatch(/^claude --resume \S+$/)
    expect(again.text.split("\n").at(-1)).toBe(line)
    const status = await runProgram(room, ["serve", "--status"], env).ended
    expect(status.stdout).toMatch(/channels +telegram \(123456\), web/)
    first.child.kill("SIGTERM")
    const one = await first.ended
    expect(one.code).toBe(0)
    // A person writes faster than a chat takes answers: those wait.
    expect(telegram.violations().filter(({ rule }) => rule !== "pace")).toEqual([])
    expect(telegram.chat(2_002).filter(({ isOurs }) => isOurs)).toEqual([])

    telegram.say(script({ say: "answer to two;" }))
    const second = started(room, [], env)
    await visible(telegram, ann, /^answer to two;/)
    telegram.say("/whoami")
    await visible(telegram, ann, /your role is owner/)
    second.child.kill("SIGTERM")
    const two = await second.ended
    expect(two.code).toBe(0)
    for (const { stdout, stderr } of [one, two, status]) expect(stdout + stderr).not.toContain(telegram.token)
    expect(logOf(one.stderr).some(({ message }) => message.includes(code))).toBe(false)
  }, 60_000)

  it("shows an agent at work in drafts, whose stop is that of the turn, and of which nothing stays", async () => {
    const { telegram, room, env } = await place(`owners = [${ann}]\n`, 'progress = "draft"\n')
    const host = started(room, [], env)
    await host.opened()
    telegram.say(script({ log: "begun" }, { wait: 2_500 }, { say: "answer to one;" }))
    const first = await telegram.until(() => telegram.draft(ann))
    expect(first).toMatchObject({ canStop: true, text: expect.stringMatching(/^⏳ claude/) })
    await visible(telegram, ann, /^answer to one;/)
    expect(telegram.draft(ann)).toBeUndefined()

    telegram.say(script({ log: "begun" }, { wait: 60_000 }, { say: "answer to two;" }))
    const second = await telegram.until(() => telegram.draft(ann))
    expect(second.draftId).not.toBe(first.draftId)
    telegram.stopDraft(ann)
    await visible(telegram, ann, /^Stopped/)
    const ours = telegram.chat(ann).filter(({ isOurs }) => isOurs)
    expect(ours.map(({ text }) => text.split("\n")[0])).toEqual(["answer to one;", "Stopped."])
    expect(telegram.draft(ann)).toBeUndefined()
    expect(telegram.violations().filter(({ rule }) => rule !== "pace")).toEqual([])
    host.child.kill("SIGTERM")
    expect((await host.ended).code).toBe(0)
  })

  it("without people does not start, and says what to do", async () => {
    const { telegram, room, env } = await place()
    const { code, stderr } = await started(room, [], env).ended
    expect(code).toBe(1)
    expect(logOf(stderr).at(-1)).toMatchObject({
      level: "error",
      message: expect.stringMatching(
        /^No one may write to the bot of \[telegram\] yet: start once with reins serve --pair/
      )
    })
    expect(stderr).not.toContain(telegram.token)
  })

  it("whose token is refused ends with what to do, and opens no page", async () => {
    const { telegram, room, env } = await place(`owners = [${ann}]\n`)
    telegram.revoke()
    const { code, stdout, stderr } = await started(room, [], env).ended
    expect([code, stdout]).toEqual([1, ""])
    expect(logOf(stderr).at(-1)?.message).toMatch(/Telegram refuses the token\..*BotFather/)
    expect(stderr).not.toContain(telegram.token)
  })

  it("whose token is taken back while it serves ends the host", async () => {
    const { telegram, room, env } = await place(`owners = [${ann}]\n`)
    const host = started(room, [], env)
    await host.opened()
    await telegram.until(() => (telegram.listeners() > 0 ? true : undefined))
    telegram.revoke()
    const { code, stdout, stderr } = await host.ended
    expect(code).toBe(1)
    expect(logOf(stderr).at(-1)?.message).toMatch(/Telegram refuses the token/)
    expect(stdout + stderr).not.toContain(telegram.token)
  })

  it.each([
    ["is not set", undefined, /telegram\.token\.env: the variable MY_BOT is not set/],
    ["has a line break", "123456:abc\ndef", /telegram\.token\.env: MY_BOT is not a token as @BotFather gives it/]
  ])("whose token %s is refused as bad usage", async (_, token, expected) => {
    const { room } = await place(`owners = [${ann}]\n`)
    const { code, stderr } = await started(room, [], token === undefined ? {} : { MY_BOT: token }).ended
    expect(code).toBe(2)
    expect(logOf(stderr).at(-1)?.message).toMatch(expected)
    expect(stderr).not.toContain("abc")
  })

  it("takes other people in while it serves", async () => {
    const { telegram, room, env } = await place(`owners = [${ann}]\n`)
    const host = started(room, [], env)
    await host.opened()
    const bob = 1_002
    telegram.say("/whoami", { from: bob })
    await host.printing("stderr", /Not answered: an unlisted person, id ..1002/)
    const config = readFileSync(room.config, "utf8")
    writeFileSync(room.config, `${config}users = [${bob}]\n`)
    host.child.kill("SIGHUP")
    await host.printing("stderr", /It counts from the next turn on: people of telegram\./)
    telegram.say("/whoami", { from: bob })
    await visible(telegram, bob, /your role is user/)
    writeFileSync(room.config, config.replace("MY_BOT", "OTHER"))
    host.child.kill("SIGHUP")
    await host.printing("stderr", /from the next turn on: people of telegram; after a restart alone: telegram\./)
  })
})

describe("reins doctor", () => {
  const examined = async (room: Room, env: NodeJS.ProcessEnv, ...args: ReadonlyArray<string>) =>
    await runProgram(room, ["doctor", ...args], env).ended

  it("says that the bot can start", async () => {
    const { telegram, room, env } = await place(`owners = [${ann}]\n`)
    const { stdout, stderr } = await examined(room, env)
    expect(stdout).toMatch(/^✓ telegram +can be served$/m)
    expect(stdout + stderr).not.toContain(telegram.token)
    const json = await examined(room, env, "--json")
    const report = JSON.parse(json.stdout)
    const request: { channel: string; findings: ReadonlyArray<unknown> } | undefined = report.channels.find(
      (each: { channel: string }) => each.channel === "telegram"
    )
    expect(request?.findings[0]).toEqual({
      level: "ok",
      message: expect.stringMatching(/^The token is that of @/)
    })
    expect(report.failed).not.toContain("telegram")
  })

  it("removes a webhook where it is told to, and says so; what waits at Telegram is kept", async () => {
    const { telegram, room, env } = await place(`owners = [${ann}]\n`)
    const isHooked = async () => {
      const answer = await fetch(`${telegram.url}/bot${telegram.token}/getWebhookInfo`)
      return (await answer.text()).includes("hook.example")
    }
    const hook = `${telegram.url}/bot${telegram.token}/setWebhook?url=https://hook.example/s3cret`
    await (await fetch(hook)).arrayBuffer()
    telegram.say("one")
    const found = await examined(room, env)
    expect([found.code, await isHooked()]).toEqual([1, true])
    expect(found.stdout).toMatch(/A webhook at hook\.example takes the bot's messages.*\n +cure .*reins doctor --fix/)
    const fixed = await examined(room, env, "--fix")
    expect(await isHooked()).toBe(false)
    expect(fixed.stdout).toMatch(/^✓ telegram +can be served\n +fixed +The webhook at hook\.example is removed/m)
    expect(telegram.pending().length).toBe(1)
    const again = await examined(room, env, "--fix", "--json")
    const request = JSON.parse(again.stdout).channels.find(({ channel }: { channel: string }) => channel === "telegram")
    expect(request).toEqual({ channel: "telegram", findings: [expect.objectContaining({ level: "ok" })] })
    for (const { stdout, stderr } of [found, fixed, again]) {
      expect(stdout + stderr).not.toContain(telegram.token)
      expect(stdout + stderr).not.toContain("s3cret")
    }
    telegram.revoke()
    const refused = await examined(room, env, "--fix")
    expect(refused.stdout).toMatch(/Telegram refuses the token/)
    expect(refused.stdout).not.toContain("fixed")
  })

  it("names what keeps it from that", async () => {
    const { telegram, room, env } = await place(`owners = [${ann}]\n`)
    telegram.revoke()
    const refused = await examined(room, env)
    expect([refused.code, refused.stdout]).toEqual([1, expect.stringMatching(/Telegram refuses the token/)])
    expect(refused.stdout).toMatch(/^Failed: .*\btelegram\b/m)
    const missing = await examined(room, {})
    expect(missing.stdout).toMatch(/✗ telegram +cannot be served\n +problem +telegram\.token\.env: the variable MY_BOT/)
    const file = join(room.root, "token")
    writeFileSync(file, telegram.token)
    chmodSync(file, 0o644)
    writeFileSync(room.config, readFileSync(room.config, "utf8").replace('env = "MY_BOT"', `file = "${file}"`))
    const open = await examined(room, {})
    expect(open.stdout).toContain("can be read by others: chmod 600")
    for (const { stdout, stderr } of [refused, missing, open]) expect(stdout + stderr).not.toContain(telegram.token)
  })
})
