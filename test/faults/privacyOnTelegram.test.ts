/**
 * `reins serve` with a bot gives its token, its keys and what people write away nowhere: in no log, no span, no argument, no
 * environment but the agent's, no crash, and no file but the store. Whatever fails, on Telegram or in the process.
 */
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterEach, assert, describe, it } from "vitest"
import { type TelegramFault, TelegramServer } from "../../src/testing/TelegramServer.ts"
import { startCollector } from "../kit/otlp/collector.ts"
import { makeRoom, runServe, script } from "../program/serve/room.ts"
import { assertNone, makeSecrets, secretsIn } from "./kit/processSecrets.ts"
import { commandLines, descendantsOf } from "./kit/processTable.ts"

const ended: Array<() => unknown> = []
afterEach(async () => {
  for (const end of ended.splice(0).reverse()) await end()
})

const ann = 1_001
const misfortunes = fileURLToPath(new URL("hosts/misfortunes.ts", import.meta.url))

const isAgent = (commandLine: string) => commandLine.includes("claude.mjs")
const isOf = (text: unknown, secret: string) => typeof text === "string" && text.includes(secret.slice(-32))

interface Served {
  /** Misfortune of its process: one of `hosts/misfortunes.ts`. */
  readonly misfortune?: string
  /** Before it starts; `words`: what Telegram knows of it. */
  readonly prepare?: (telegram: TelegramServer, words: string) => void | Promise<void>
}

/** A host that serves a bot, with a secret in each place. */
const serveBot = async ({ misfortune = "", prepare }: Served = {}) => {
  const { prompt, inherited: key, named: answer, agent: command, redacted: digits } = makeSecrets()
  const [hex = ""] = /[0-9a-f]{32}/.exec(digits) ?? []
  const token = `123456:${hex}`
  const secrets = { token, key, prompt, answer: answer.trim(), command }
  const telegram = await TelegramServer.start({ token, pace: false })
  ended.push(() => telegram[Symbol.asyncDispose]())
  const words = [token, prompt, secrets.answer, command].join(" ")
  await prepare?.(telegram, words)
  const collector = await startCollector()
  ended.push(collector.close)
  const room = makeRoom({
    config: `[telegram]\ntoken = { env = "MY_BOT" }\napiRoot = "${telegram.url}"\nowners = [${ann}]\n`
  })
  ended.push(room.remove)
  const file = join(room.root, "words")
  writeFileSync(file, `${Object.values(secrets).join("\n")}\n    at ${prompt} (file:///a.ts:1:1)`)
  const host = runServe(
    room,
    ["--web=0"],
    {
      ...{ MY_BOT: token, ANTHROPIC_API_KEY: key, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
      ...{ MISFORTUNE: misfortune, WORDS: file, TMPDIR: room.work }
    },
    [`--import=${misfortunes}`]
  )
  ended.push(() => host.child.kill("SIGKILL"))
  const visible = (pattern: RegExp) =>
    telegram.until(() => telegram.chat(ann).find(({ isOurs, text }) => isOurs && pattern.test(text)))
  const asking = [{ ask: { id: "a", command: `${command} && make clean` } }, { await: 1 }]
  const write = ({ asks = true } = {}) =>
    telegram.say(script({ stderr: `${prompt}\n` }, ...(asks ? asking : []), { say: secrets.answer }))
  /** At the end of the process: what it has printed and exported, and all that it leaves. */
  const judged = async (code: number | null) => {
    const end = await host.ended
    assert.strictEqual(end.code, code, end.stderr)
    assertNone(end.stdout, secrets, "stdout")
    assertNone(end.stderr, secrets, "stderr")
    assertNone(collector.text(), secrets, "telemetry")
    for (const name of readdirSync(room.root, { recursive: true, encoding: "utf8" })) {
      const left = join(room.root, name)
      if (left !== file && statSync(left).isFile())
        assertNone(readFileSync(left, "latin1"), { token, key }, `the file ${name}`)
    }
    return end
  }
  return { telegram, collector, host, secrets, words, shown: visible, write, judged }
}

/** Fault of the next call of each method; `words`: the secrets that Telegram knows. */
const faults: Readonly<Record<string, (words: string) => TelegramFault>> = {
  "is cut before it is taken": () => "cutBefore",
  "is cut after it was taken": () => "cutAfter",
  "is answered by a proxy": () => "badGateway",
  "is answered by half an answer": () => "invalidJson",
  "is refused in words that have it all": (words) => ({ code: 400, description: `Bad Request: ${words}` }),
  "is forbidden in words that have it all": (words) => ({ code: 403, description: `Forbidden: ${words}` }),
  "fails in words that have it all": (words) => ({ code: 500, description: words })
}

const atWork = ["sendMessage", "editMessageText", "answerCallbackQuery", "sendChatAction", "getUpdates"]

describe("a bot's token, keys and the words of its people", () => {
  it("stand in the agent's environment at most, while it works", async () => {
    const { telegram, collector, host, secrets, shown: visible, write, judged } = await serveBot()
    write()
    const request = await visible(/make clean/)
    assertNone(commandLines().join("\n"), secrets, "the command lines of this machine")
    const { pid } = host.child
    if (pid === undefined) return assert.fail("the process is missing")
    const all = descendantsOf(pid)
    assert.isAtLeast(all.length, 2)
    assert.isTrue(all.some(({ cmdline }) => isAgent(cmdline)))
    for (const { cmdline, environ } of all) {
      assert.deepStrictEqual(secretsIn(environ, secrets), isAgent(cmdline) ? ["key"] : [], cmdline)
      assert.notInclude(environ, "MY_BOT")
    }
    telegram.press(request, "Allow")
    const answer = await visible(/^named /)
    assert.include(answer.text, secrets.answer.slice(-32))
    host.child.kill("SIGTERM")
    await judged(0)
    assert.isAbove(collector.spans().length, 0)
  })

  it.each(Object.entries(faults))("are nowhere when a call %s", async (_, faultOf) => {
    const {
      telegram,
      host,
      secrets,
      words,
      shown: visible,
      write,
      judged
    } = await serveBot({
      prepare: ({ fail }, all) => {
        for (const method of ["getMe", "setMyCommands"]) fail(method, faultOf(all))
      }
    })
    write()
    const request = await visible(/make clean/)
    for (const method of atWork) telegram.fail(method, faultOf(words))
    telegram.press(request, "Allow")
    await telegram.until(() =>
      telegram.calls().find(({ method, params }) => method === "sendMessage" && isOf(params["text"], secrets.answer))
    )
    telegram.say("/whoami")
    await visible(/your role is owner/)
    host.child.kill("SIGTERM")
    await judged(0)
  })

  it("are nowhere when the address is unreachable", async () => {
    const { telegram, host, shown: visible, write, judged } = await serveBot({ prepare: ({ down }) => down() })
    await host.printing("stderr", /Telegram cannot be reached yet/)
    await telegram.up()
    write({ asks: false })
    await visible(/^named /)
    host.child.kill("SIGTERM")
    await judged(0)
  })

  it("are nowhere when grammY throws", async () => {
    const { telegram, host, shown: visible, write, judged } = await serveBot({ misfortune: "thrown" })
    write({ asks: false })
    await visible(/^named |may be missing/)
    await host.printing("stderr", /^thrown: sendMessage$/m)
    telegram.say("/whoami")
    await visible(/your role is owner|may be missing/)
    host.child.kill("SIGTERM")
    await judged(0)
  })

  it("are nowhere when the token is refused, at the start or later", async () => {
    const first = await serveBot({ prepare: ({ revoke }) => revoke() })
    await first.judged(1)
    const second = await serveBot()
    second.write()
    await second.shown(/make clean/)
    second.telegram.revoke()
    await second.judged(1)
  })

  it.each(["crash", "rejected"])("are nowhere when the process ends by an error of its own: %s", async (misfortune) => {
    const { host, shown: visible, write, judged } = await serveBot({ misfortune })
    write()
    await visible(/make clean/)
    host.child.kill("SIGUSR2")
    const { stderr } = await judged(1)
    assert.match(stderr, /Internal error, which ends the host.*(?:misfortunes|grammy).*:\d+:\d+/s)
  })
})
