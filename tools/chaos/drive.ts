/** Does in this process what a scenario says, and tells what came of it. Used by the main host and by child hosts. */
import { readdirSync } from "node:fs"
import { dirname } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import type { AgentEvent } from "../../src/contract/AgentEvent.ts"
import { changeText, type UserFile } from "../../test/system/settings/edits.ts"
import { type Account, makeTally, type RunAccount } from "./account.ts"
import { optionsOf, paramsOf } from "./asking.ts"
import { type Door, openDoor } from "./doors.ts"
import { signal } from "./processes.ts"
import { pidsFile, type Room, settingsFile } from "./room.ts"
import type { RunPlan, Scenario } from "./scenario.ts"
import { makeWatch, programOf, type Watch } from "./watch.ts"

export interface Driver {
  readonly ended: Promise<Account>
  /** The runs that have not ended. */
  readonly pending: () => ReadonlyArray<string>
  readonly close: () => Promise<void>
}

/** An application's one signal for all that it does. No listener may be left on it at the end. */
export const sharedSignal = new AbortController().signal

/** As the user would: only the process that the program itself has told of. */
const signalProgram = (file: string, name: NodeJS.Signals): boolean => {
  const program = programOf(file)
  return program !== undefined && signal(program, name)
}

const driveRun = async (door: Door, run: RunPlan, params: ReturnType<typeof paramsOf>, file: string, watch: Watch) => {
  const { consumer, fault } = run
  const tally = makeTally()
  const fired: Array<string> = []
  const controller = new AbortController()
  if (fault?.is === "aborted before") controller.abort()
  let askedAt: number | undefined
  const isPaused = () => consumer !== null && consumer.pause !== null
  let received = 0
  const onEvent = async (event: AgentEvent) => {
    tally.onEvent(event)
    watch.onEvent()
    if (consumer?.pause?.after === received) await sleep(consumer.pause.ms)
    received += 1
    return consumer === null || consumer.takes === "all" || received < consumer.takes
  }
  const mayAbort = fault?.is === "abort" || fault?.is === "aborted before"
  const request = { ...params, abortSignal: mayAbort ? controller.signal : sharedSignal }
  const handle = consumer === null ? door.run(request) : door.execute(request, onEvent)
  const act = async () => {
    if (fault === null) return
    if (fault.is === "aborted before" || fault.is === "total" || fault.is === "broken") return fired.push(fault.is)
    if (!(await watch.reached(fault.at))) return
    if (fault.is === "signal") return signalProgram(file, fault.signal) && fired.push(fault.signal)
    fired.push(fault.is)
    askedAt = performance.now()
    return fault.is === "abort" ? controller.abort() : handle.stop()
  }
  const acting = act()
  const ended = await handle.ended
  const endedAt = performance.now()
  watch.end()
  await acting
  const account: RunAccount = {
    ...tally.account(ended),
    fired,
    ...(askedAt === undefined || isPaused() ? {} : { endedAfterMs: endedAt - askedAt })
  }
  return account
}

const isLocked = (file: string) => readdirSync(dirname(file)).some((name) => name.includes(".reins-lock."))

/**
 * Edits the settings as an editor does that reads and writes in one go, while no run of this process is at work on them:
 * two that write at the same instant are beyond any guarantee.
 */
const editSettings = async (scenario: Scenario, room: Room, user: UserFile | undefined, watch: Watch) => {
  if (scenario.edit === null || user === undefined || !(await watch.reached(scenario.edit.at))) return false
  const file = settingsFile(scenario, room)
  while (isLocked(file)) await sleep(1)
  changeText(file, user, scenario.edit.edit, 1)
  return true
}

export const drive = async (
  scenario: Scenario,
  room: Room,
  user: UserFile | undefined,
  onEvent: () => void = () => {}
): Promise<Driver> => {
  const door = await openDoor(scenario.door, scenario.cli, optionsOf(scenario, room))
  const plans = scenario.runs.map((run, index) => ({
    run,
    params: paramsOf(scenario, run, index, room),
    file: pidsFile(room, index)
  }))
  const watches = plans.map(({ file }, index) => {
    const watch = makeWatch(file)
    return index > 0 ? watch : { ...watch, onEvent: () => [watch.onEvent(), onEvent()] }
  })
  const [first = makeWatch(pidsFile(room, 0))] = watches
  const fired: Array<string> = []
  const going = new Set<string>()
  const follow = async <A>(name: string, work: Promise<A>): Promise<A> => {
    going.add(name)
    return work.finally(() => going.delete(name))
  }
  const closing = async () => {
    if (scenario.close === null || !(await first.reached(scenario.close))) return
    fired.push("close")
    await follow("close()", door.close())
  }
  const editing = async () => {
    if (await editSettings(scenario, room, user, first)) fired.push("edit")
  }
  const all = async (): Promise<Account> => {
    const runs = plans.map(({ run, params, file }, index) =>
      follow(`run ${index}`, driveRun(door, run, params, file, watches[index] ?? first))
    )
    const [accounts] = await Promise.all([Promise.all(runs), closing(), follow("the user's edit", editing())])
    await follow("the last close()", door.close())
    return { runs: accounts, fired }
  }
  return { ended: all(), pending: () => [...going], close: door.close }
}
