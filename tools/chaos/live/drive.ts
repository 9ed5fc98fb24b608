/** Has a live session done in this process, and tells what was heard of it. Used by the main host and by child hosts. */
import { fileURLToPath } from "node:url"
import * as Approvals from "../../../src/agents/Approvals.ts"
import { AgentError } from "../../../src/contract/AgentError.ts"
import type { AgentEvent } from "../../../src/contract/AgentEvent.ts"
import type { PlainSession } from "../../../src/contract/PlainSession.ts"
import { script } from "../../../test/kit/live.ts"
import { openDoor } from "../doors.ts"
import { type Room, stepMark } from "../room.ts"
import { deadlineMs, idleMs, type LivePlan, type LiveTurn, settleMs } from "./plan.ts"

export interface TurnAccount {
  readonly events: ReadonlyArray<AgentEvent>
  /** `left`: by its caller, before its end. */
  readonly how: "ended" | "left"
  readonly acted: boolean
}

export interface LiveAccount {
  readonly turns: ReadonlyArray<TurnAccount>
  /** All that the session told. */
  readonly events: ReadonlyArray<AgentEvent>
  /** It could not be opened, or something was thrown that never should be. */
  readonly problem?: string
}

export interface LiveDriver {
  readonly ended: Promise<LiveAccount>
  readonly close: () => Promise<void>
}

const peerOf = (cli: LivePlan["cli"]) =>
  fileURLToPath(new URL(`../../../fixtures/programs/live/${cli}.mjs`, import.meta.url))

const driveTurn = async (session: PlainSession, { steps, act }: LiveTurn): Promise<TurnAccount> => {
  const events: Array<AgentEvent> = []
  let interrupting: Promise<unknown> = Promise.resolve()
  let acted = false
  for await (const event of session.turn(script(...steps))) {
    events.push(event)
    if (act === null || acted || events.length < act.atEvent || event.type === "turn_done") continue
    acted = true
    if (act.is === "leave") return { events, how: "left", acted }
    interrupting = session.interrupt()
  }
  await interrupting
  return { events, how: "ended", acted }
}

/** Which turn asks is told by the command. */
const decider =
  ({ turns }: LivePlan, session: PlainSession) =>
  async (event: AgentEvent) => {
    if (event.type !== "permission_request") return
    const turn = turns[Number(/t(\d+)s/.exec(event.command ?? "")?.[1])]
    if (turn === undefined || turn.decides === "nobody") return
    await session.decide(event.requestId, { decision: turn.decides })
  }

const hold = async (plan: LivePlan, session: PlainSession): Promise<LiveAccount> => {
  const events: Array<AgentEvent> = []
  const decide = decider(plan, session)
  const hearing = (async () => {
    for await (const event of session.events) {
      events.push(event)
      await decide(event)
    }
  })()
  const closing =
    plan.closesAfterMs === null
      ? undefined
      : new Promise((resolve) => setTimeout(resolve, plan.closesAfterMs ?? 0)).then(session.close)
  const turns: Array<TurnAccount> = []
  if (plan.isTogether) turns.push(...(await Promise.all(plan.turns.map((turn) => driveTurn(session, turn)))))
  else for (const turn of plan.turns) turns.push(await driveTurn(session, turn))
  await closing
  await session.close()
  await hearing
  return { turns, events }
}

const problemOf = (error: unknown) =>
  error instanceof AgentError ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error)

export const driveLive = async (plan: LivePlan, room: Room): Promise<LiveDriver> => {
  const options = {
    command: process.execPath,
    baseArgs: [peerOf(plan.cli)],
    killGrace: plan.killGraceMs,
    timeouts: { idle: idleMs, tool: idleMs, settle: settleMs }
  }
  const door = await openDoor(plan.door, plan.cli, options)
  const params = {
    workingDirectory: room.work,
    env: { [stepMark]: room.mark, HOME: room.home },
    approvals: [Approvals.ask(undefined, { deadline: deadlineMs })]
  }
  const all = async (): Promise<LiveAccount> => {
    try {
      return await hold(plan, await door.open(params))
    } catch (error) {
      return { turns: [], events: [], problem: problemOf(error) }
    } finally {
      await door.close()
    }
  }
  return { ended: all(), close: door.close }
}
