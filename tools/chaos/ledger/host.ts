/**
 * A host on a shared store: runs that keep their reservations, spend more, are aborted or fail, for projects and users that
 * all hosts share for a while. It ends when its stdin does.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { AgentError, createAgent } from "reins/promise"
import { clockMs } from "../hosts.ts"
import { beginHost, type StoreJob } from "../storeHost.ts"
import { budgets, type HostLine, mostOfRun, zone } from "./logs.ts"

export interface Job extends StoreJob {
  /** It closes what the dead have left, and ends. */
  readonly isLast: boolean
  /** Folder of its CLIs. */
  readonly log: string
}

const { job, dice, say, broke, isOver, open } = beginHost<Job, HostLine>()
const cli = fileURLToPath(new URL("../../../fixtures/programs/spends.mjs", import.meta.url))
const store = await open()
const agent = createAgent("claude", {
  store,
  budgets,
  zone,
  prices: { chaos: { input: 1, output: 1 } },
  command: process.execPath,
  baseArgs: [cli, `--log=${job.log}`],
  killGrace: 200
})

/** The same for all hosts, and another one a few seconds later, since what is spent does not come back. */
const era = (ms: number) => Math.floor(clockMs() / ms)

const draw = () => {
  const spendsMore = dice.chance(0.4)
  const count = dice.between(1, 4)
  const answers = Array.from({ length: count }, () => dice.between(1, Math.floor(mostOfRun / count)))
  const account = spendsMore
    ? { user: `u${era(4_000)}`, project: `free${dice.between(1, 3)}` }
    : { project: `p${era(5_000)}-${dice.between(1, 2)}` }
  const end = dice.chance(0.1) ? "exit" : "result"
  return { account, prompt: JSON.stringify({ answers, ms: dice.spread(5, 200), end }) }
}

const work = async () => {
  while (!isOver()) {
    const { account, prompt } = draw()
    const abort = new AbortController()
    const timer = dice.chance(0.1) ? setTimeout(() => abort.abort(), dice.spread(20, 600)) : undefined
    let micros = 0
    const reported = { is: "ended" } as const
    try {
      const result = await agent.run({ prompt, account, abortSignal: abort.signal })
      micros = Math.round((result.totalCostUsd ?? 0) * 1e6)
      say({
        ...reported,
        outcome: "completed",
        micros,
        ...(result.sessionId === undefined ? {} : { run: result.sessionId })
      })
    } catch (error) {
      if (error instanceof AgentError) say({ ...reported, outcome: error.reason.code, micros })
      else broke(error instanceof Error ? (error.stack ?? "") : String(error))
      await sleep(dice.between(5, 50))
    } finally {
      clearTimeout(timer)
    }
  }
}

try {
  say({ is: "ready" })
  if (job.isLast) await store.usage()
  else await Promise.all([work(), work()])
} finally {
  await agent.close()
  await store.close()
}
