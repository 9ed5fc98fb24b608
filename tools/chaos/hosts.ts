/** Hosts that work on one store, killed and stopped at random; each that dies is followed by another. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readFileSync } from "node:fs"
import { createInterface } from "node:readline"
import { setTimeout as sleep } from "node:timers/promises"
import { Result } from "effect"
import type { Dice } from "./dice.ts"

export interface Kill {
  readonly at: number
  readonly host: number
}

export interface HostsOptions<Line> {
  readonly script: string
  /** The input of the host of this number, as JSON. */
  readonly jobOf: (number: number) => unknown
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly seconds: number
  /** How many there are at a time. */
  readonly width: number
  readonly dice: Dice
  /** How long one is left alone, at least and at most. */
  readonly lifeMs: readonly [number, number]
  /** Each line of its stdout, which is JSON. */
  readonly onLine: (line: Line) => void
  readonly onProblem: (problem: string) => void
  /** Warnings that a host may log while others stand in its way. Default: none. */
  readonly mayWarn?: RegExp
}

/** A CLI that a machine which pauses let linger after its result; it is ended as it must be, and counted. */
const lingers = /level=WARN .*the process lingered after its result/

/** Time of the machine's monotonic clock, in ms. */
export const clockMs = () => Number(process.hrtime.bigint() / 1000n) / 1000

export const linesOf = <A>(file: string): ReadonlyArray<A> =>
  existsSync(file)
    ? readFileSync(file, "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line): A => JSON.parse(line))
    : []

/** Stderr of a host: lines that are not findings, and others. */
export const judge = (problems: string, mayWarn?: RegExp) => {
  const lines = problems.split("\n").filter((line) => line !== "")
  const others = lines.filter((line) => !lingers.test(line))
  return { lingered: lines.length - others.length, unusual: others.filter((line) => mayWarn?.test(line) !== true) }
}

export const runHosts = async <Line>(options: HostsOptions<Line>) => {
  const { script, jobOf, cwd, env, seconds, width, dice, lifeMs, onLine, onProblem, mayWarn } = options
  const kills: Array<Kill> = []
  const all = new Set<ChildProcess>()
  let [stops, started, lingered, isOver] = [0, 0, 0, false]

  const start = () => {
    const job = JSON.stringify(jobOf(++started))
    const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", script, job], {
      cwd,
      env,
      stdio: ["pipe", "pipe", "pipe"]
    })
    all.add(child)
    const isReady = once(child.stdout, "data")
    createInterface({ input: child.stdout }).on("line", (line) => {
      const read = Result.try((): Line => JSON.parse(line))
      if (Result.isSuccess(read)) onLine(read.success) // else the last one of a host that was killed
    })
    let problems = ""
    child.stderr.on("data", (chunk) => {
      problems += chunk
    })
    child.stdin.on("error", () => {})
    const ended = once(child, "close").then(([code]) => {
      all.delete(child)
      const { lingered: more, unusual } = judge(problems, mayWarn)
      lingered += more
      if (code !== null && (code !== 0 || unusual.length > 0))
        onProblem(`a host ended with ${code}: ${(unusual.length > 0 ? unusual.join("\n") : problems).slice(0, 2_000)}`)
    })
    return { child, isReady, ended }
  }

  /** One after the other in a place of its own. */
  const keepOne = async () => {
    while (!isOver) {
      const { child, isReady, ended } = start()
      await Promise.race([isReady, ended])
      while (!isOver && all.has(child)) {
        await sleep(dice.spread(...lifeMs))
        if (isOver || !all.has(child)) break
        if (dice.chance(0.3)) {
          stops += 1
          child.kill("SIGSTOP")
          await sleep(dice.spread(50, 2_000))
          child.kill("SIGCONT")
        } else {
          kills.push({ at: clockMs(), host: child.pid ?? 0 })
          child.kill("SIGKILL")
          await ended
        }
      }
      child.stdin.end()
      await ended
    }
  }

  try {
    const keeping = Array.from({ length: width }, keepOne)
    await sleep(seconds * 1000)
    isOver = true
    for (const { stdin } of all) stdin?.end()
    await Promise.race([Promise.all(keeping), sleep(60_000)])
    if (all.size > 0) onProblem(`${all.size} hosts did not end within 60 s`)
  } finally {
    isOver = true
    for (const child of all) child.kill("SIGKILL")
  }
  return { kills, stops, lingered }
}
