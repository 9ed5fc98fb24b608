/** Draws what one step does; pure. The same seed and step draw the same scenario, whatever was drawn before. */
import { type CliId, clis } from "../../src/agents/Agents.ts"
import { type Edit, edits } from "../../test/system/settings/edits.ts"
import { type Dice, makeDice } from "./dice.ts"
import { drawDisturbances } from "./disturbances.ts"
import { drawConsumer, drawFault, drawMoment, fitting } from "./drawFault.ts"
import { drawProgram } from "./drawProgram.ts"
import type { Fate, Program, RunPlan, Scenario } from "./scenario.ts"
import { settingsTexts } from "./settingsTexts.ts"

/** Codex takes no more than a megabyte. */
const longestPrompt = { claude: 3_000_000, codex: 1_000_000, gemini: 3_000_000, opencode: 3_000_000, pi: 3_000_000 }

/**
 * A process without the mark is known by its parent: where the program is the last to leave, and only its silence shows it, there
 * is time to see that.
 */
const bareTools = (dice: Dice, program: Program): Program => ({
  ...program,
  tools: program.tools.map((tool) => ({ ...tool, bare: tool.is === "sleeper" && dice.chance(0.5) }))
})

/** More than the host holds in memory comes while the consumer has paused. */
const drawSpill = (dice: Dice, run: RunPlan): RunPlan => ({
  ...run,
  program: {
    ...run.program,
    flood: { at: dice.between(0, run.program.lines), pipe: "stdout", kilobytes: dice.between(9_000, 20_000) }
  },
  consumer: { takes: "all", pause: { after: dice.between(0, 2), ms: dice.between(1_000, 3_000) } }
})

interface RunOptions {
  readonly cli: CliId
  readonly door: Scenario["door"]
  readonly isAlone: boolean
  /** Nothing happens to the host, and the agent stays open. */
  readonly isQuiet: boolean
}

const drawRun = (dice: Dice, { cli, door, isAlone, isQuiet }: RunOptions): RunPlan => {
  const consumer = dice.chance(0.2) ? null : drawConsumer(dice)
  const program = drawProgram(dice, cli)
  const fault = drawFault(dice, { door, consumer, isAlone })
  const isPatient = isQuiet && fault === null && consumer?.takes === "all" && program.end.is === "stays"
  const run: RunPlan = {
    program: isPatient ? bareTools(dice, program) : program,
    consumer,
    promptBytes: dice.among<number>(
      [7, () => dice.spread(5, 500)],
      [2, () => dice.spread(500, 200_000)],
      [1, () => dice.spread(200_000, longestPrompt[cli])]
    ),
    systemPromptBytes: dice.chance(0.3) ? dice.spread(10, 100_000) : 0,
    mcpServers:
      clis[cli].supports.has("mcpServers") && dice.chance(clis[cli].settingsPath === undefined ? 0.25 : 0.75)
        ? dice.between(1, 2)
        : 0,
    resumes: dice.chance(isAlone ? 0.1 : 0.3),
    records: dice.chance(0.3),
    budgetMs: dice.spread(300, 1_200),
    fault: fitting(fault, program)
  }
  return dice.chance(0.03) ? drawSpill(dice, run) : run
}

/** "adds a server" and "removes a server" are made for a file with other names. */
const drawEdit = (dice: Dice): Edit => {
  const [first = "changes a value", ...others] = edits.filter((edit) => !edit.endsWith("server"))
  return dice.pick([first, ...others])
}

const drawFate = (dice: Dice, seesEvents: boolean, mayEdit: boolean, hasSettings: boolean): Fate => ({
  how: dice.among<Fate["how"]>(
    [8, () => "SIGKILL"],
    [4, () => dice.pick(["SIGTERM", "SIGINT", "SIGHUP"])],
    [4, () => dice.pick(["exit", "throw", "reject"])],
    [2, () => "closes on SIGTERM"],
    [3, () => "lives"]
  ),
  at: drawMoment(dice, seesEvents),
  neighbourMs: hasSettings && dice.chance(0.5) ? dice.spread(50, 2_000) : null,
  edit: mayEdit && dice.chance(0.3) ? drawEdit(dice) : null,
  recovery: dice.pick(["doctor", "next run"]),
  disturbances: drawDisturbances(dice)
})

const drawLimits = (dice: Dice): Scenario["limits"] =>
  dice.among<Scenario["limits"]>(
    [2, () => null],
    [2, () => ({ perCli: 1 })],
    [1, () => ({ perCli: 1, maxWaitMs: dice.spread(1, 1_000) })],
    [1, () => ({ staggerMs: dice.spread(10, 1_000) })]
  )

export const drawScenario = (seed: number, step: number): Scenario => {
  const dice = makeDice(seed, step)
  const cli = dice.pick(["claude", "gemini", "codex", "opencode", "pi"])
  const door = dice.pick(["effect", "promise"])
  const count = dice.chance(0.75) ? 1 : dice.between(2, 3)
  const isInChild = dice.chance(0.14)
  const isClosed = dice.chance(0.1)
  const run = () => drawRun(dice, { cli, door, isAlone: count === 1, isQuiet: !isInChild && !isClosed })
  const first = run()
  const others = Array.from({ length: count - 1 }, run)
  const seesEvents = first.consumer !== null
  const settings = clis[cli].settingsPath === undefined ? null : dice.pick(settingsTexts).name
  const hasFile = settingsTexts.some(({ name, text }) => name === settings && typeof text === "string")
  return {
    cli,
    door,
    killGraceMs: dice.pick([0, 50, 200, 500]),
    limits: isInChild && count > 1 ? drawLimits(dice) : null,
    runs: [first, ...others],
    settings,
    edit: hasFile && !isInChild && dice.chance(0.6) ? { at: drawMoment(dice, false), edit: drawEdit(dice) } : null,
    close: isClosed ? drawMoment(dice, seesEvents) : null,
    fate: isInChild ? drawFate(dice, seesEvents, hasFile, settings !== null) : null
  }
}
