/** Step after step, several at a time, until the time is over; now and then all stand still, and what is held is counted. */
import { getEventListeners } from "node:events"
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { availableParallelism, tmpdir } from "node:os"
import { join } from "node:path"
import type { Finding } from "./checks.ts"
import { drawScenario } from "./draw.ts"
import { sharedSignal } from "./drive.ts"
import { drawLive, isLive } from "./live/draw.ts"
import { runLiveStep } from "./live/step.ts"
import { listenForNoise } from "./noise.ts"
import type { Options } from "./options.ts"
import { add, type Facts, type Found, nothing } from "./report.ts"
import { leaksSince, type Resources, readResources } from "./resources.ts"
import { runStep, type StepReport } from "./step.ts"
import { warmUps } from "./warmUps.ts"

/** Steps between two counts: few enough to find by `--only FIRST-LAST` which of them has left something open. */
const blockLength = 80

const width = Math.max(4, 2 * availableParallelism())

/** No step is to throw: then it is wrong itself. */
const failed = (error: unknown): StepReport => {
  const detail = `the step itself failed: ${error instanceof Error ? error.stack : String(error)}`
  return { findings: [{ kind: "noise", detail }], fired: [], killedBy: undefined, isHung: true }
}

/** Steps in their order; without `only` the campaign has no last one. */
const numbers = function* ({ only, times }: Options): Generator<number, void> {
  const [first, last] = only ?? [1, Number.POSITIVE_INFINITY]
  for (let turn = 0; turn < (only === undefined ? 1 : times); turn++) {
    for (let step = first; step <= last; step++) yield step
  }
}

export interface Campaign {
  readonly facts: () => Facts
  readonly stop: () => void
  readonly ended: Promise<void>
}

export const startCampaign = (options: Options): Campaign => {
  const startedAt = performance.now()
  const root = mkdtempSync(join(tmpdir(), "chaos-"))
  const temporary = join(root, "temp")
  mkdirSync(temporary)
  process.env["TMPDIR"] = temporary
  process.env["XDG_STATE_HOME"] = join(root, "state")
  const noise = listenForNoise({ console: true, process: true })
  const found: Array<Found> = []
  let sums = nothing
  let isStopped = false
  let rooms = 0
  let isHung = false
  const passed = () => (performance.now() - startedAt) / 1000
  const isOver = () => isStopped || (options.only === undefined && passed() >= options.seconds)
  const room = () => {
    rooms += 1
    return join(root, `step-${rooms}`)
  }

  const doStep = async (step: number) => {
    const scenario = isLive(options.seed, step) ? drawLive(options.seed, step) : drawScenario(options.seed, step)
    const done = "is" in scenario ? runLiveStep(scenario, room()) : runStep(scenario, room())
    const report = await done.catch(failed)
    sums = add(sums, scenario, report)
    isHung ||= report.isHung
    found.push(...report.findings.map((finding) => ({ ...finding, steps: String(step), scenario })))
  }

  const leftovers = (): ReadonlyArray<Finding> =>
    readdirSync(temporary).map((name) => {
      rmSync(join(temporary, name), { recursive: true, force: true })
      return { kind: "changed files", detail: `${name} is left in the temporary directory` }
    })

  const listeners = (): ReadonlyArray<Finding> => {
    const { length } = getEventListeners(sharedSignal, "abort")
    return length === 0 ? [] : [{ kind: "leaked handles", detail: `${length} listeners of a signal` }]
  }

  /** All that cannot be told of a single step; what hangs holds what it holds. */
  const count = async (before: Resources, steps: string) => {
    const findings = [
      ...noise().map((detail): Finding => ({ kind: "noise", detail })),
      ...(isHung ? [] : [...leftovers(), ...listeners(), ...(await leaksSince(before))])
    ]
    found.push(...findings.map((finding) => ({ ...finding, steps })))
  }

  const go = async () => {
    // Resources that the first use opens for good.
    for (const scenario of warmUps)
      found.push(...(await runStep(scenario, room())).findings.map((one) => ({ ...one, steps: "0" })))
    let before = readResources()
    const steps = numbers(options)
    let next = steps.next()
    while (!isOver() && next.done !== true) {
      const first = next.value
      let last = first
      const block = Array.from({ length: width }, async () => {
        while (!isOver() && next.done !== true && next.value < first + blockLength) {
          const step = next.value
          last = Math.max(last, step)
          next = steps.next()
          await doStep(step)
        }
      })
      await Promise.all(block)
      await count(before, first === last ? String(first) : `${first}-${last}`)
      // Each finding is reported once.
      before = readResources()
    }
    rmSync(root, { recursive: true, force: true })
  }

  return {
    facts: () => ({ seconds: passed(), seed: options.seed, sums, found }),
    stop: () => {
      isStopped = true
    },
    ended: go()
  }
}
