/** `reins serve` as a process on each service of chats: pairing, turns, buttons, its second start, and its secrets. */
import { readFileSync, writeFileSync } from "node:fs"
import { afterEach, describe, expect, it } from "vitest"
import { channels } from "../../../src/api/config/channels.ts"
import { type Service, type ServiceMessage, startService } from "../../kit/services.ts"
import { logOf, makeRoom, type Room, runProgram, runServe, script } from "./room.ts"

const ended: Array<() => unknown> = []
afterEach(async () => {
  for (const end of ended.splice(0).reverse()) await end()
})

const started = (room: Room, args: ReadonlyArray<string>, env: NodeJS.ProcessEnv) => {
  const host = runServe(room, ["--web=0", ...args], env)
  ended.push(() => host.child.kill("SIGKILL"))
  return { ...host, opened: () => host.printing("stdout", /#key=/) }
}

const visible = ({ until, chat }: Service, pattern: RegExp, button?: string): Promise<ServiceMessage> =>
  until(() =>
    chat().find(
      ({ isOurs, text, buttons }) => isOurs && pattern.test(text) && (button === undefined || buttons.includes(button))
    )
  )

// Telegram has a file of its own, with more.
describe.each(channels.map(({ id }) => id).filter((id) => id !== "telegram"))("a bot on %s", (id) => {
  const place = async (more = "") => {
    const service = await startService(id)
    ended.push(() => service[Symbol.asyncDispose]())
    const room = makeRoom({ config: `${service.table}${more}` })
    ended.push(room.remove)
    return { service, room, env: { ...service.env } }
  }

  it("is paired by a code, works, answers, and continues at its next start; no secret appears", async () => {
    const { service, room, env } = await place()
    const first = started(room, ["--pair"], env)
    const [, code = ""] = await first.printing("stdout", new RegExp(`Send this code to ${id} \\(.*: (\\S+)`))
    await first.opened()
    await service.connect()
    service.say("let me in", 2)
    service.say(code)
    await visible(service, /You are the owner now/)
    service.say(
      script({ log: "begun" }, { ask: { id: "a", command: "make one" } }, { await: 1 }, { say: "answer to one;" })
    )
    const request = await visible(service, /make one/, "Allow")
    const [agent] = room.logged()
    const environment = readFileSync(`/proc/${agent?.pid}/environ`, "utf8")
    for (const [name, value] of Object.entries(env)) {
      expect(environment).not.toContain(name)
      expect(environment).not.toContain(value)
    }
    service.press(request.messageId, "Allow")
    await visible(service, /answer to one;/)
    const status = await runProgram(room, ["serve", "--status"], env).ended
    expect(status.stdout).toMatch(new RegExp(`channels .*${id} \\(`))
    first.child.kill("SIGTERM")
    const one = await first.ended
    expect(one.code).toBe(0)
    expect(service.chat(2).filter(({ isOurs }) => isOurs)).toEqual([])

    service.say(script({ say: "answer to two;" }))
    const second = started(room, [], env)
    await second.opened()
    await visible(service, /answer to two;/)
    service.command("whoami")
    await visible(service, /your role is owner/)
    second.child.kill("SIGTERM")
    const two = await second.ended
    expect(two.code).toBe(0)
    expect(service.chat().filter(({ isOurs, text }) => isOurs && /answer to (?:one|two);/.test(text))).toHaveLength(2)
    expect(service.violations().filter(({ rule }) => rule !== "pace")).toEqual([])
    for (const { stdout, stderr } of [one, two, status])
      for (const secret of Object.values(env)) expect(stdout + stderr).not.toContain(secret)
    expect(logOf(one.stderr).some(({ message }) => message.includes(code))).toBe(false)
  }, 40_000)

  it("without people does not start, and says what to do", async () => {
    const { room, env } = await place()
    const { code, stderr } = await started(room, [], env).ended
    expect(code).toBe(1)
    expect(logOf(stderr).at(-1)?.message).toMatch(
      new RegExp(`No one may write to the bot of \\[${id}\\] yet: .*--pair.*${id}\\.owners`)
    )
  })

  it("takes other people in while it serves", async () => {
    const { service, room, env } = await place()
    const other = service.person(2)
    const owner = `owners = ["${service.person(1)}"]\n`
    writeFileSync(room.config, `${service.table}${owner}`)
    const host = started(room, [], env)
    await host.opened()
    await service.connect()
    service.command("whoami", 2)
    await host.printing("stderr", /Not answered: an unlisted person/)
    writeFileSync(room.config, `${service.table}${owner}users = ["${other}"]\n`)
    host.child.kill("SIGHUP")
    await host.printing("stderr", new RegExp(`It counts from the next turn on: people of ${id}\\.`))
    service.command("whoami", 2)
    await service.until(() => service.chat(2).find(({ text }) => /your role is user/.test(text)))
  }, 30_000)
})
