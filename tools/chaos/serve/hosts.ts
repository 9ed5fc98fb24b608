/** The host of the page, one after the other on the same port and store, and what a campaign does to it. */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { logOf, type Page, type Room, startServe } from "../../../test/program/serve/room.ts"
import { type Answer, answerFile, type Orders } from "./orders.ts"

export interface Hosts {
  readonly page: () => Page
  /** Facts of the present host. */
  readonly pid: () => number
  /** Another one follows, but after SIGHUP. */
  readonly disturb: (signal: "SIGKILL" | "SIGTERM" | "SIGINT" | "SIGHUP") => Promise<void>
  /** Moves the clocks of this host and those behind it. */
  readonly shift: (by: Pick<Orders, "wallMs" | "monotonicMs">) => Promise<void>
  /** Its living objects. */
  readonly measure: (snapshot: string | undefined) => Promise<Answer>
  readonly end: () => Promise<void>
  readonly kills: () => number
  /** Log lines of the page about a full disk, of all hosts. */
  readonly warnings: () => number
}

const preload = fileURLToPath(new URL("orders.ts", import.meta.url))
/** A heap that is let grow shows no leak for a long time; this one is full by then. */
const flags = ["--max-old-space-size=96", "--expose-gc", "--import", preload]

const answerMs = 60_000

export const startHosts = async (room: Room, problems: Array<string>): Promise<Hosts> => {
  const file = join(room.root, "orders.json")
  let orders: Orders = { id: 0, wallMs: 0, monotonicMs: 0, isMeasured: false }
  const write = () => writeFileSync(file, JSON.stringify(orders))
  write()
  const env = { REINS_CHAOS_ORDERS: file }
  let [kills, warnings] = [0, 0]
  let host = await startServe(room, ["--web=0"], env, flags)
  const { page } = host
  const { port } = new URL(page.base)

  const judge = async (expected: "SIGKILL" | 0) => {
    const { code, signal, stderr } = await host.ended
    if ((expected === 0 ? code : signal) !== expected)
      problems.push(`a host ended with ${code ?? signal}, not ${expected}: ${stderr.slice(-2_000)}`)
    if (stderr.includes(page.key)) problems.push("the key of the page is in the log")
    for (const { level, message } of logOf(stderr)) {
      if (/no space is left/.test(message)) warnings += 1
      if (level !== "info" && level !== "warn" && !/configuration is not valid/.test(message)) problems.push(message)
    }
  }

  const again = async () => {
    writeFileSync(room.config, "")
    host = await startServe(room, [`--web=${port}`], env, flags)
  }

  const order = async (input: Partial<Orders>): Promise<Answer> => {
    const { wallMs, monotonicMs, id } = orders
    orders = { wallMs, monotonicMs, isMeasured: false, ...input, id: id + 1 }
    write()
    host.child.kill("SIGUSR2")
    const until = performance.now() + answerMs
    while (performance.now() < until) {
      const answer: Answer | undefined = existsSync(answerFile(file))
        ? JSON.parse(readFileSync(answerFile(file), "utf8"))
        : undefined
      if (answer?.id === orders.id) return answer
      await sleep(20)
    }
    throw new Error("a host does not answer its campaign")
  }

  return {
    page: () => page,
    pid: () => host.child.pid ?? 0,
    kills: () => kills,
    warnings: () => warnings,
    disturb: async (signal) => {
      host.child.kill(signal)
      if (signal === "SIGHUP") return
      kills += signal === "SIGKILL" ? 1 : 0
      await judge(signal === "SIGKILL" ? signal : 0)
      await again()
    },
    shift: async ({ wallMs, monotonicMs }) =>
      void (await order({ wallMs: orders.wallMs + wallMs, monotonicMs: orders.monotonicMs + monotonicMs })),
    measure: (snapshot) => order({ isMeasured: true, ...(snapshot === undefined ? {} : { snapshot }) }),
    end: async () => {
      host.child.kill("SIGTERM")
      await judge(0)
    }
  }
}
