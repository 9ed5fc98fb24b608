/** One step: makes its room, has its scenario done here or in a child host, and looks at what is left of it. */
import { rmSync } from "node:fs"
import { availableParallelism, loadavg } from "node:os"
import { setTimeout as sleep } from "node:timers/promises"
import { changeText } from "../../test/system/settings/edits.ts"
import type { Account } from "./account.ts"
import { paramsOf } from "./asking.ts"
import { boundOf, endingMs, hostDeathMs, slackMs, slowness } from "./bounds.ts"
import { type Finding, findingsOf } from "./checks.ts"
import { type HostEnd, runHost } from "./childHost.ts"
import type { Disturbance } from "./disturbances.ts"
import { drive } from "./drive.ts"
import { killAll, livingOf, type Survivor, waitUntilGone } from "./processes.ts"
import { recover, visitMeanwhile } from "./recovery.ts"
import {
  differences,
  makeRoom,
  type Room,
  type Snapshot,
  settingsFile,
  snapshot,
  userFileOf,
  withUserFile
} from "./room.ts"
import type { Fate, Scenario } from "./scenario.ts"

/** The outcomes of live sessions, in numbers. */
export interface LiveCounts {
  readonly sessions: number
  readonly turns: number
  readonly approvals: number
  /** Turns that ended although their result never came. */
  readonly forgotten: number
}

export interface StepReport {
  readonly findings: ReadonlyArray<Finding>
  /** The faults that came in time. */
  readonly fired: ReadonlyArray<string>
  /** How its host died. */
  readonly killedBy: string | undefined
  /** It did not end: its handles are not a leak of others. */
  readonly isHung: boolean
  readonly disturbed?: ReadonlyArray<Disturbance["is"]>
  readonly live?: LiveCounts
}

/** All that is waited for takes longer where others want to run, too. */
export const slow = () => slowness(loadavg()[0] ?? 0, availableParallelism())

export const within = <A>(promise: Promise<A>, ms: number): Promise<A | undefined> => {
  const timer = new AbortController()
  const late = sleep(ms, undefined, { signal: timer.signal }).catch(() => undefined)
  return Promise.race([promise, late]).finally(() => timer.abort())
}

export const survivorsOf = async (
  look: () => ReadonlyArray<Survivor>,
  forMs: number
): Promise<ReadonlyArray<Finding>> => {
  const survivors = await waitUntilGone(look, forMs)
  killAll(survivors)
  return survivors.map(({ pid, command }) => ({ kind: "survivors", detail: `${pid}: ${command}` }))
}

export const filesOf = (expected: Snapshot, room: Room): ReadonlyArray<Finding> =>
  differences(expected, snapshot(room)).map((detail) => ({ kind: "changed files", detail }))

const firedOf = (account: Account | undefined) =>
  account === undefined ? [] : [...account.fired, ...account.runs.flatMap(({ fired }) => fired)]

const here = async (scenario: Scenario, room: Room): Promise<StepReport> => {
  const user = userFileOf(scenario)
  const before = snapshot(room)
  const driver = await drive(scenario, room, user)
  const bound = slow() * boundOf(scenario)
  const account = await within(driver.ended, bound)
  if (account === undefined) {
    const [living, pending] = [livingOf(room), driver.pending()]
    killAll(living)
    await within(
      driver.ended.catch(() => undefined),
      slow() * slackMs
    )
    const commands = living.map(({ command }) => command).join("; ")
    const detail = `not over after ${Math.round(bound)} ms: ${pending.join(", ")}; alive: ${commands === "" ? "nothing" : commands}; after their end not over: ${driver.pending().join(", ")}`
    return { findings: [{ kind: "hangs", detail }], fired: [], killedBy: undefined, isHung: true }
  }
  const survivors = await survivorsOf(() => livingOf(room), slow() * endingMs)
  const params = scenario.runs.map((run, index) => paramsOf(scenario, run, index, room))
  const files = filesOf(withUserFile(before, scenario, room, user), room)
  return {
    findings: [...findingsOf(scenario, params, account, slow()), ...survivors, ...files],
    fired: firedOf(account),
    killedBy: undefined,
    isHung: false
  }
}

/** It died as it was to, or left by itself with all its runs told. */
export const checkHost = ({ how }: Pick<Fate, "how">, end: HostEnd<unknown>, bound: number): ReadonlyArray<Finding> => {
  if (end.isHung) return [{ kind: "hangs", detail: `the host was not over after ${Math.round(bound)} ms` }]
  const noise = end.noise.map((detail): Finding => ({ kind: "noise", detail }))
  if (end.account !== undefined && end.exit === "0") return noise
  const expected = {
    lives: "0",
    exit: "3",
    throw: "1",
    reject: "1",
    "closes on SIGTERM": "SIGTERM",
    SIGKILL: "SIGKILL",
    SIGTERM: "SIGTERM",
    SIGINT: "SIGINT",
    SIGHUP: "SIGHUP"
  }[how]
  if (end.exit === expected) return noise
  return [...noise, { kind: "noise", detail: `the host left with ${end.exit}: ${end.stderr.slice(-2_000)}` }]
}

const inChild = async (scenario: Scenario, fate: Fate, room: Room): Promise<StepReport> => {
  const user = userFileOf(scenario)
  const before = snapshot(room)
  const bound = slow() * (boundOf(scenario) + slackMs)
  let visiting: Promise<void> = Promise.resolve()
  const onReady = () => {
    visiting = visitMeanwhile(scenario, fate, room)
  }
  const end = await runHost({ job: { scenario }, fate, room, boundMs: bound, onReady })
  const survivors = await survivorsOf(() => livingOf(room, end.hostId), slow() * (hostDeathMs + endingMs))
  await visiting
  const isDead = end.account === undefined
  if (isDead && fate.edit !== null && user !== undefined) changeText(settingsFile(scenario, room), user, fate.edit, 1)
  if (isDead) await recover(scenario, fate, room)
  const params = scenario.runs.map((run, index) => paramsOf(scenario, run, index, room))
  const runs = end.account === undefined ? [] : findingsOf(scenario, params, end.account, slow())
  const files = filesOf(withUserFile(before, scenario, room, user), room)
  return {
    findings: [...checkHost(fate, end, bound), ...runs, ...survivors, ...files],
    fired: firedOf(end.account),
    killedBy: isDead ? (fate.how === "closes on SIGTERM" ? "SIGTERM" : fate.how) : undefined,
    isHung: false,
    disturbed: end.disturbed
  }
}

export const runStep = async (scenario: Scenario, root: string): Promise<StepReport> => {
  const room = makeRoom(scenario, root)
  try {
    return await (scenario.fate === null ? here(scenario, room) : inChild(scenario, scenario.fate, room))
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}
