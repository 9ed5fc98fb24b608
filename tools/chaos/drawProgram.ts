/** Draws a stand-in for the CLI: which recording it replays, how far, with what in between, and how it ends; pure. */
import type { CliId } from "../../src/agents/Agents.ts"
import type { Dice } from "./dice.ts"
import { recordingsOf } from "./recordings.ts"
import type { End, Flood, OddLine, Program, Tool } from "./scenario.ts"

const listOf = <A>(length: number, draw: () => A): ReadonlyArray<A> => Array.from({ length }, draw)

const drawEnd = (dice: Dice): End =>
  dice.among<End>(
    [40, () => ({ is: "exits", code: 0, afterMs: 0 })],
    [12, () => ({ is: "exits", code: 0, afterMs: dice.spread(10, 1_500) })],
    [12, () => ({ is: "exits", code: dice.pick([1, 3, 130, 143]), afterMs: dice.pick([0, 0, 100]) })],
    [8, () => ({ is: "dies", signal: dice.pick(["SIGKILL", "SIGALRM"]) })],
    [24, () => ({ is: "stays" })],
    [4, () => ({ is: "stops" })]
  )

const drawTool = (dice: Dice, mayChat: boolean): Tool => {
  const is = dice.among<Tool["is"]>(
    [3, () => "sleeper"],
    [2, () => "daemon"],
    [1, () => "forks"],
    [mayChat ? 1 : 0, () => "chats"]
  )
  const holds = dice.pick([[], [], [], ["stdout"], ["stderr"], ["stdout", "stderr"]] as const)
  return {
    is,
    session: dice.chance(0.5),
    deaf: dice.chance(0.4),
    holds: is === "chats" ? ["stdout"] : holds,
    bare: false
  }
}

const drawOddLine = (dice: Dice, lines: number): OddLine => ({
  at: dice.between(0, lines),
  is: dice.pick(["foreign", "foreign", "blank", "prefixed", "unknown", "unknown", "oversize"])
})

const drawFlood = (dice: Dice, lines: number): Flood =>
  dice.among<Flood>(
    [1, () => ({ at: dice.between(0, lines), pipe: "stderr", kilobytes: dice.spread(100, 4_000) })],
    [2, () => ({ at: dice.between(0, lines), pipe: "stdout", kilobytes: dice.spread(100, 20_000) })]
  )

const drawRecording = (dice: Dice, cli: CliId) => {
  const [first, ...others] = recordingsOf(cli).filter(({ lines }) => lines.length > 0 || dice.chance(0.2))
  if (first === undefined) throw new Error(`no recordings of ${cli}`)
  return dice.pick([first, ...others])
}

/** A part of the last line of a run, which it may forget (Claude Code does, 2.1.330). */
const endOf = {
  claude: '"type":"result"',
  gemini: '"type":"result"',
  codex: '"type":"turn.completed"',
  opencode: '"type":"step_finish"',
  pi: '"type":"agent_end"'
}

const lastOf = (cli: CliId, lines: ReadonlyArray<string>) => lines.findLastIndex((line) => line.includes(endOf[cli]))

export const drawProgram = (dice: Dice, cli: CliId): Program => {
  const { name, lines: all } = drawRecording(dice, cli)
  const forgotten = dice.chance(0.08) ? lastOf(cli, all) : -1
  const lines = forgotten !== -1 ? forgotten : dice.chance(0.55) ? all.length : dice.between(0, all.length)
  const half = forgotten === -1 && lines < all.length && dice.chance(0.3)
  const end: End = forgotten === -1 ? drawEnd(dice) : { is: "stays" }
  const closesStdout = dice.chance(0.05)
  // A tool that keeps printing would keep a silent program from being silent, and finish its half line.
  const mayChat = end.is === "exits" && !half && !closesStdout
  return {
    recording: name,
    lines,
    forgets: forgotten !== -1,
    half,
    silentMs: dice.chance(0.3) ? dice.spread(10, 800) : 0,
    pauseMs: dice.chance(0.3) ? dice.spread(1, 60) : 0,
    piece: dice.chance(0.15) ? dice.spread(300, 5_000) : 2 ** 20,
    odd: listOf(dice.chance(0.35) ? dice.between(1, 3) : 0, () => drawOddLine(dice, lines)),
    flood: dice.chance(0.07) ? drawFlood(dice, lines) : null,
    stdin: dice.pick(["read", "read", "read", "read", "late", "never", "closed"]),
    tools: listOf(dice.chance(0.55) ? dice.between(1, 3) : 0, () => drawTool(dice, mayChat)),
    signals: dice.among<Program["signals"]>(
      [5, () => ({ are: "obeyed" })],
      [3, () => ({ are: "deaf" })],
      [2, () => ({ are: "slow", ms: dice.spread(10, 600), code: dice.pick([0, 1, 143]) })]
    ),
    closesStdout,
    complains: dice.chance(0.3),
    end
  }
}
