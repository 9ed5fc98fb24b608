/**
 * `reins serve` as a process with one real CLI on its PATH, and Telegram in front of it: what its owner says, presses and
 * sees. Everything is where a user has it, in a home of its own.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import type { CliId } from "../../../src/cli/clis.ts"
import { forCli } from "../../../src/testing/ModelServer.ts"
import { makeSandbox } from "../../../src/testing/sandbox/sandbox.ts"
import type { Answer } from "../../../src/testing/servers/Answer.ts"
import type { ModelRequest } from "../../../src/testing/servers/request.ts"
import { TelegramServer } from "../../../src/testing/TelegramServer.ts"
import type { TelegramMessage } from "../../../src/testing/telegram/messages.ts"
import type { TelegramSaying } from "../../../src/testing/telegram/people.ts"
import { pathOf } from "./environment.ts"
import { commandFor } from "./layered.ts"

const reins = fileURLToPath(new URL("../../../dist/program.js", import.meta.url))
const ann = 1_001

/** Nothing of a day takes as long, on a busy machine, too: schedules are looked at once a minute. */
const patience = 90_000

const configFor = (cli: CliId, url: string, work: string) => `agent = "${cli}"
directory = "work"
whileBusy = "steer"
gateway = { profile = "full" }

[directories.work]
path = "${work}"

[[budgets]]
name = "day"
window = "day"
usd = 100

[telegram]
token = { env = "TELEGRAM_BOT_TOKEN" }
apiRoot = "${url}"
`

export const openDay = async (cli: CliId, script: (request: ModelRequest) => Answer) => {
  const stack = new AsyncDisposableStack()
  try {
    const api = stack.use(await forCli(cli, script))
    const sandbox = stack.use(await makeSandbox(cli, api, { path: pathOf([commandFor(cli)]) }))
    const telegram = stack.use(await TelegramServer.start())
    mkdirSync(join(sandbox.home, ".config/reins"), { recursive: true })
    const config = configFor(cli, telegram.url, sandbox.work)
    writeFileSync(join(sandbox.home, ".config/reins/reins.toml"), config, { mode: 0o600 })
    const env = { ...sandbox.values, TELEGRAM_BOT_TOKEN: telegram.token }
    const printed = { text: "" }
    let host: ChildProcess | undefined
    const waiting = new Set<() => void>()

    const start = (args: ReadonlyArray<string> = []) => {
      printed.text = ""
      const child = spawn(process.execPath, [reins, "serve", "--web=0", ...args], { cwd: sandbox.work, env })
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding("utf8").on("data", (text: string) => {
          printed.text += text
          for (const look of waiting) look()
        })
      }
      host = child
    }
    const end = async (signal: NodeJS.Signals) => {
      const child = host
      host = undefined
      if (child === undefined || child.exitCode !== null) return
      const ended = once(child, "close")
      child.kill(signal)
      await ended
    }
    stack.defer(() => end("SIGKILL"))

    /** Who waits in vain is told what there was to see. */
    const soon = async <A>(what: string, work: Promise<A>): Promise<A> => {
      const late = new AbortController()
      const gaveUp = sleep(patience, undefined, { signal: late.signal }).then(() => {
        const calls = telegram
          .calls()
          .slice(-12)
          .map(({ method, params }) => `${method} ${JSON.stringify(params)}`)
        const requested = api.requests.slice(-6).map(({ kind, prompts, toolResults }) => {
          const content = toolResults.at(-1)?.text.slice(0, 300)
          return `${kind}, after ${toolResults.length} results (${content}): ${prompts.at(-1)?.slice(-200)}`
        })
        const known = [
          telegram.render(ann),
          "Calls:",
          ...calls,
          "The host:",
          printed.text.slice(-3_000),
          "The model:",
          ...requested
        ]
        throw new Error(`${what} did not come. The chat:\n${known.join("\n")}`)
      })
      try {
        return await Promise.race([work, gaveUp])
      } finally {
        late.abort()
        gaveUp.catch(() => {})
      }
    }

    /** Output of the host. */
    const printing = (pattern: RegExp) => soon(`The host's ${pattern}`, printedBy(pattern))
    const printedBy = (pattern: RegExp) =>
      new Promise<RegExpExecArray>((resolve) => {
        const look = () => {
          const found = pattern.exec(printed.text)
          if (found === null) return
          waiting.delete(look)
          resolve(found)
        }
        waiting.add(look)
        look()
      })

    const ours = (): ReadonlyArray<TelegramMessage> => telegram.chat(ann).filter(({ isOurs }) => isOurs)
    let behind = 0
    /** The first message of the bot behind what was said last that has the text, and the button. */
    const visible = (part: string | RegExp, button?: string) =>
      soon(
        button === undefined ? `${part}` : `${part} with ${button}`,
        telegram.until(() =>
          ours().find(
            ({ messageId, text, buttons, files }) =>
              messageId > behind &&
              (typeof part === "string"
                ? text.includes(part) || files.some(({ name }) => name?.includes(part))
                : part.test(text)) &&
              (button === undefined || buttons.includes(button))
          )
        )
      )
    const tell = (text: string, options: TelegramSaying = {}) => {
      const content = telegram.say(text, options)
      behind = content.messageId
      return content
    }
    return {
      ...{ api, sandbox, telegram, soon, printing, printed, ours, shown: visible, tell, start, end },
      pid: () => host?.pid,
      press: (message: TelegramMessage, label: string) => telegram.press(message, label),
      chat: () => telegram.render(ann),
      [Symbol.asyncDispose]: () => stack.disposeAsync()
    }
  } catch (error) {
    await stack.disposeAsync()
    throw error
  }
}
