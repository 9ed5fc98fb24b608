/** One live session: in this process or in a child host, and what is left of it. */
import { rmSync } from "node:fs"
import { endingMs, hostDeathMs, slackMs } from "../bounds.ts"
import type { Finding } from "../checks.ts"
import { runHost } from "../childHost.ts"
import { heldMs } from "../disturbances.ts"
import { killAll, livingOf } from "../processes.ts"
import { makeEmptyRoom, type Room, snapshot } from "../room.ts"
import { checkHost, filesOf, type StepReport, slow, survivorsOf, within } from "../step.ts"
import { liveFindings } from "./checks.ts"
import { driveLive, type LiveAccount } from "./drive.ts"
import { deadlineMs, has, idleMs, type LivePlan, type LiveTurn, settleMs } from "./plan.ts"

/** On a machine with nothing else to do. */
const boundOf = (plan: LivePlan) => {
  const silenceOf = (turn: LiveTurn) => (has(turn, "hang") ? idleMs : 0) + (has(turn, "forget") ? settleMs : 0)
  const turns = plan.turns.map((turn) => 1_000 + deadlineMs + silenceOf(turn) + plan.killGraceMs)
  const held = plan.fate === null ? 0 : heldMs(plan.fate.disturbances)
  return turns.reduce((sum, ms) => sum + ms, 0) + held + idleMs + endingMs + slackMs
}

const countsOf = (account: LiveAccount | undefined): NonNullable<StepReport["live"]> => ({
  sessions: 1,
  turns: account?.turns.length ?? 0,
  approvals: account?.events.filter(({ type }) => type === "permission_request").length ?? 0,
  forgotten: account?.events.filter((event) => event.type === "notice" && event.kind === "result_missing").length ?? 0
})

const firedOf = (account: LiveAccount | undefined, plan: LivePlan) => [
  ...(account?.turns ?? []).flatMap(({ acted }, index) => (acted ? [plan.turns[index]?.act?.is ?? ""] : [])),
  ...(plan.closesAfterMs === null ? [] : ["close"])
]

const here = async (plan: LivePlan, room: Room): Promise<StepReport> => {
  const before = snapshot(room)
  const driver = await driveLive(plan, room)
  const bound = slow() * boundOf(plan)
  const account = await within(driver.ended, bound)
  if (account === undefined) {
    const living = livingOf(room)
    killAll(living)
    await within(driver.ended, slow() * slackMs)
    const alive = living.map(({ command }) => command).join("; ")
    const detail = `the session was not over after ${Math.round(bound)} ms; alive: ${alive === "" ? "nothing" : alive}`
    return { findings: [{ kind: "hangs", detail }], fired: [], killedBy: undefined, isHung: true }
  }
  const survivors = await survivorsOf(() => livingOf(room), slow() * endingMs)
  return {
    findings: [...liveFindings(plan, account), ...survivors, ...filesOf(before, room)],
    fired: firedOf(account, plan),
    killedBy: undefined,
    isHung: false,
    live: countsOf(account)
  }
}

const inChild = async (plan: LivePlan, fate: NonNullable<LivePlan["fate"]>, room: Room): Promise<StepReport> => {
  const before = snapshot(room)
  const boundMs = slow() * (boundOf(plan) + slackMs)
  const end = await runHost<LiveAccount>({
    job: { live: plan },
    fate: { ...fate, at: { after: "asked", ms: fate.atMs } },
    room,
    boundMs,
    onReady: () => {}
  })
  const survivors = await survivorsOf(() => livingOf(room, end.hostId), slow() * (hostDeathMs + endingMs))
  const findings: ReadonlyArray<Finding> = end.account === undefined ? [] : liveFindings(plan, end.account)
  return {
    findings: [...checkHost(fate, end, boundMs), ...findings, ...survivors, ...filesOf(before, room)],
    fired: firedOf(end.account, plan),
    killedBy: end.account === undefined ? fate.how : undefined,
    isHung: false,
    disturbed: end.disturbed,
    live: countsOf(end.account)
  }
}

export const runLiveStep = async (plan: LivePlan, root: string): Promise<StepReport> => {
  const room = makeEmptyRoom(root)
  try {
    return await (plan.fate === null ? here(plan, room) : inChild(plan, plan.fate, room))
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}
