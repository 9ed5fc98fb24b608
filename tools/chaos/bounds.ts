/** How long a step may take at most; pure. Beyond it the step hangs. */
import type { CliId } from "../../src/agents/Agents.ts"
import { heldMs } from "./disturbances.ts"
import { recordingOf } from "./recordings.ts"
import type { Moment, Program, RunPlan, Scenario } from "./scenario.ts"

export const slackMs = 20_000
/** Until nothing of a host's runs lives after its death. */
export const hostDeathMs = 5_000
/** The time from a requested end of a run to its end, beside the grace for its process. */
export const endingMs = 2_000

const momentMs = (moment: Moment | undefined) => (moment === undefined || moment.after === "event" ? 0 : moment.ms)

/** How long a closed stdout waits for the exit. */
const mutedMs = 2_000

/** A retry that is announced without its time is waited for, beside the budget for silence. */
const announcedMs = 60_000

const waitsIn = (cli: CliId, { recording }: Program): number =>
  recordingOf(cli, recording).lines.some((line) => /reconnecting|retry/i.test(line)) ? announcedMs : 0

const runMs = ({ program, consumer, budgetMs, fault }: RunPlan): number => {
  const lines = program.lines + 1
  const flood = program.flood === null ? 0 : program.flood.kilobytes
  const dribble = program.piece < 2 ** 20 ? lines * 30 : 0
  const end = program.end.is === "exits" ? program.end.afterMs : 0
  const pause = consumer?.pause?.ms ?? 0
  const late = fault !== null && "at" in fault ? momentMs(fault.at) : 0
  // The budget for silence, and that for lingering.
  const muted = program.closesStdout ? mutedMs : 0
  return (
    program.silentMs + muted + lines * program.pauseMs + dribble + flood + end + pause + late + 2 * (budgetMs + 500)
  )
}

/** Runs that wait for each other take as long as all of them. */
const together = ({ cli, runs, limits }: Scenario): number => {
  const times = runs.map((run) => runMs(run) + waitsIn(cli, run.program))
  const isOneByOne = limits !== null || runs.filter(({ resumes }) => resumes).length > 1
  return isOneByOne ? times.reduce((sum, ms) => sum + ms + endingMs, 0) : Math.max(...times)
}

/** On a machine with nothing else to do. */
export const boundOf = (scenario: Scenario): number => {
  const { killGraceMs, edit, close, fate, runs } = scenario
  const held = fate === null ? 0 : heldMs(fate.disturbances)
  const late = momentMs(edit?.at) + momentMs(close ?? undefined)
  return together(scenario) + held + late + runs.length * killGraceMs + endingMs + slackMs
}

/** By how much a machine with so many processes that want to run is slower than one with nothing to do. */
export const slowness = (load: number, cores: number): number => Math.max(1, load / cores)
