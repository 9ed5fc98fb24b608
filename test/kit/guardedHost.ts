/** Hosts of one run each, in processes of their own, and in pid namespaces of their own where the machine lets them. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import type { CliId } from "../../src/cli/clis.ts"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import type { AgentExecuteParams } from "../../src/contract/AgentExecuteParams.ts"
import type { CreateAgentOptions } from "../../src/contract/PlainAgent.ts"

const program = fileURLToPath(new URL("../agents/guard/hosts/guardedRun.ts", import.meta.url))

const unshare = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"] as const

/** Undefined if none can be created here. */
export const ownNamespace: ReadonlyArray<string> | undefined = [
  unshare,
  [...unshare, "--user", "--map-root-user"]
].find(([command = "", ...flags]) => spawnSync(command, [...flags, "true"]).status === 0)

export interface HostOptions {
  readonly id: CliId
  readonly options: CreateAgentOptions
  readonly params: AgentExecuteParams
  /** All hosts with the same one keep each other out. */
  readonly state: string
  /** Its launcher: `ownNamespace`. */
  readonly by?: ReadonlyArray<string>
  /** Another program, and what else stands in its argument. */
  readonly program?: readonly [string, object]
}

export interface GuardedHost {
  readonly child: ChildProcess
  readonly events: ReadonlyArray<AgentEvent>
  /** Rejects if it ends before. */
  readonly until: (holds: (events: ReadonlyArray<AgentEvent>) => boolean) => Promise<void>
  readonly ended: Promise<void>
}

export const startGuardedHost = (input: HostOptions): GuardedHost => {
  const { id, options, params, state, by = [], program: [file, more] = [program, {}] } = input
  const [command = "", ...args] = [...by, process.execPath, file, JSON.stringify({ id, options, params, ...more })]
  const child = spawn(command, args, {
    env: { PATH: process.env["PATH"], HOME: state, XDG_STATE_HOME: state },
    stdio: ["ignore", "pipe", "inherit"]
  })
  const events: Array<AgentEvent> = []
  const wakers = new Set<() => void>()
  const wake = () => {
    for (const waker of [...wakers]) waker()
  }
  const lines = createInterface({ input: child.stdout })
  lines.on("line", (line) => {
    events.push(JSON.parse(line))
    wake()
  })
  let isOver = false
  const ended = Promise.all([once(child, "exit"), once(lines, "close")]).then(() => {
    isOver = true
    wake()
  })
  return {
    child,
    events,
    ended,
    until: (holds) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (!holds(events) && !isOver) return
          wakers.delete(look)
          if (holds(events)) resolve()
          else reject(new Error(`the host ended: ${JSON.stringify(events)}`))
        }
        wakers.add(look)
        look()
      })
  }
}
