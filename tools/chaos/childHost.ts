/** Has a child host do a scenario, and ends it at the drawn moment where that is done from outside. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { makeLineSplitter } from "../../src/system/process/lines.ts"
import type { Account } from "./account.ts"
import { type Disturbance, disturb } from "./disturbances.ts"
import type { LivePlan } from "./live/plan.ts"
import { pidsFile, type Room } from "./room.ts"
import type { Fate, Scenario } from "./scenario.ts"
import { makeWatch } from "./watch.ts"

export interface HostEnd<Told = Account> {
  /** Undefined when it died before it could say. */
  readonly hostId: string | undefined
  /** Undefined when it died before its runs had ended. */
  readonly account: Told | undefined
  readonly noise: ReadonlyArray<string>
  /** How it left, in a word: a code or a signal. */
  readonly exit: string
  readonly stderr: string
  /** It was killed from here. */
  readonly isSignalled: boolean
  readonly isHung: boolean
  readonly disturbed: ReadonlyArray<Disturbance["is"]>
}

const script = fileURLToPath(new URL("host.ts", import.meta.url))

const signalOf = (how: Fate["how"]): NodeJS.Signals | undefined => {
  if (how === "closes on SIGTERM") return "SIGTERM"
  return how === "exit" || how === "throw" || how === "reject" || how === "lives" ? undefined : how
}

export interface HostOptions {
  /** The task of the host. */
  readonly job: { readonly scenario: Scenario } | { readonly live: LivePlan }
  readonly fate: Pick<Fate, "how" | "at" | "disturbances">
  readonly room: Room
  readonly boundMs: number
  /** The host is there, and about to begin. */
  readonly onReady: () => void
}

export const runHost = async <Told = Account>(options: HostOptions): Promise<HostEnd<Told>> => {
  const { job, fate, room, boundMs, onReady } = options
  const file = join(room.root, "host.json")
  writeFileSync(file, JSON.stringify({ ...job, room, disturbances: fate.disturbances }))
  const host = spawn(process.execPath, [script, file], {
    env: { ...process.env, TMPDIR: room.temp, HOME: room.home },
    stdio: ["ignore", "pipe", "pipe"]
  })
  const exited = once(host, "exit")
  const stderr = text(host.stderr)
  const watch = makeWatch(pidsFile(room, 0))
  const over = new AbortController()
  let disturbing: Promise<ReadonlyArray<Disturbance["is"]>> = Promise.resolve([])
  const state: { hostId?: string; account?: Told; noise: ReadonlyArray<string>; isSignalled: boolean } = {
    noise: [],
    isSignalled: false
  }
  const kill = async () => {
    const signal = signalOf(fate.how)
    if (signal === undefined || !(await watch.reached(fate.at))) return
    state.isSignalled = host.kill(signal)
  }
  const lines = makeLineSplitter(Number.POSITIVE_INFINITY)
  host.stdout.on("data", (chunk: Buffer) => {
    for (const line of lines.push(chunk)) {
      const content = line._tag === "Line" ? JSON.parse(line.text) : {}
      if (content.event === true) watch.onEvent()
      if (content.account !== undefined) Object.assign(state, content)
      if (content.host === undefined) continue
      state.hostId = content.host
      onReady()
      disturbing = disturb(host, fate.disturbances, over.signal)
      void kill()
    }
  })
  let isHung = false
  const patience = setTimeout(() => {
    isHung = host.kill("SIGKILL")
  }, boundMs)
  const [code, signal] = await exited
  clearTimeout(patience)
  watch.end()
  over.abort()
  // A process that the host leaves alive could hold its pipe; the host's output is complete, for it has exited.
  await Promise.race([once(host.stdout, "close"), new Promise((resolve) => setTimeout(resolve, 1_000))])
  host.stdout.destroy()
  return {
    hostId: state.hostId,
    account: state.account,
    noise: state.noise,
    exit: String(code ?? signal),
    stderr: await stderr,
    isSignalled: state.isSignalled,
    isHung,
    disturbed: await disturbing
  }
}
