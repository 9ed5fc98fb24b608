/**
 * `reins serve` as a process with one real CLI on its PATH, and a service of chats in front of it: what its owner says,
 * presses and sees. Everything is where a user has it, in a home of its own.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import type { ChannelId } from "../../../src/api/config/channels.ts"
import type { CliId } from "../../../src/cli/clis.ts"
import { forCli } from "../../../src/testing/ModelServer.ts"
import { makeSandbox } from "../../../src/testing/sandbox/sandbox.ts"
import type { Answer } from "../../../src/testing/servers/Answer.ts"
import type { ModelRequest } from "../../../src/testing/servers/request.ts"
import { type ServiceMessage, startService } from "../../kit/services.ts"
import { pathOf } from "./environment.ts"
import { commandFor } from "./layered.ts"

const reins = fileURLToPath(new URL("../../../dist/program.js", import.meta.url))

/** Nothing of a day takes as long, on a busy machine, too: schedules are looked at once a minute. */
const patience = 90_000

const configFor = (cli: CliId, channel: string, work: string) => `agent = "${cli}"
directory = "work"
whileBusy = "steer"
gateway = { profile = "full" }

[directories.work]
path = "${work}"

[[budgets]]
name = "day"
window = "day"
usd = 100

${channel}`

export const openDay = async (cli: CliId, channel: ChannelId, script: (request: ModelRequest) => Answer) => {
  const stack = new AsyncDisposableStack()
  try {
    const api = stack.use(await forCli(cli, script))
    const sandbox = stack.use(await makeSandbox(cli, api, { path: pathOf([commandFor(cli)]) }))
    const service = stack.use(await startService(channel))
    mkdirSync(join(sandbox.home, ".config/reins"), { recursive: true })
    const config = configFor(cli, service.table, sandbox.work)
    writeFileSync(join(sandbox.home, ".config/reins/reins.toml"), config, { mode: 0o600 })
    const env = { ...sandbox.values, ...service.env }
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
        const calls = service
          .calls()
          .slice(-12)
          .map((each) => JSON.stringify(each).slice(0, 500))
        const requested = api.requests.slice(-6).map(({ kind, prompts, toolResults }) => {
          const content = toolResults.at(-1)?.text.slice(0, 300)
          return `${kind}, after ${toolResults.length} results (${content}): ${prompts.at(-1)?.slice(-200)}`
        })
        const known = [
          service.render(),
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

    const ours = (): ReadonlyArray<ServiceMessage> =>
      service
        .chat()
        .filter(({ isOurs }) => isOurs)
        // Some services have marks for bold in the text.
        .map((message) => ({ ...message, text: message.text.replaceAll("*", "") }))
    /** Ids of messages before the owner's last word. */
    let earlier: ReadonlySet<string> = new Set()
    /** The first message of the bot since the owner's last word that has the text, or the file, and the button. */
    const visible = (part: string | RegExp, button?: string) =>
      soon(
        button === undefined ? `${part}` : `${part} with ${button}`,
        service.until(() =>
          ours().find(
            ({ messageId, text, buttons, files }) =>
              !earlier.has(messageId) &&
              (typeof part === "string"
                ? text.includes(part) || files.some((name) => name.includes(part))
                : part.test(text)) &&
              (button === undefined || buttons.includes(button))
          )
        )
      )
    const acting = (act: () => unknown) => {
      earlier = new Set(service.chat().map(({ messageId }) => messageId))
      act()
    }
    return {
      ...{ api, sandbox, service, soon, printing, shown: visible, start, end },
      tell: (text: string) => acting(() => service.say(text)),
      command: (words: string) => acting(() => service.command(words)),
      photo: (content: Uint8Array, caption: string) => acting(() => service.photo(content, caption)),
      press: ({ messageId }: ServiceMessage, label: string) => service.press(messageId, label),
      [Symbol.asyncDispose]: () => stack.disposeAsync()
    }
  } catch (error) {
    await stack.disposeAsync()
    throw error
  }
}
