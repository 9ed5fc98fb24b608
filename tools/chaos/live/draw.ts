/** Draws a live session; pure. The same seed and step draw the same one. */
import type { CliId } from "../../../src/cli/clis.ts"
import type { PeerStep } from "../../../test/kit/live.ts"
import { type Dice, makeDice } from "../dice.ts"
import { drawDisturbances } from "../disturbances.ts"
import type { LivePlan, LiveTurn } from "./plan.ts"

/** Every third step or so is a session. */
export const isLive = (seed: number, step: number) => makeDice(seed, -step).chance(0.3)

const drawTalk = (dice: Dice, turn: number): ReadonlyArray<PeerStep> =>
  Array.from({ length: dice.between(1, 4) }, (_, index): ReadonlyArray<PeerStep> => {
    const id = `t${turn}s${index}`
    return dice.among<ReadonlyArray<PeerStep>>(
      [4, () => [{ say: `${id} is said` }]],
      [2, () => [{ tool: { id, command: `run ${id}` } }]],
      [1, () => [{ times: { count: dice.spread(10, 2_000), text: `${id} again` } }]],
      [1, () => [dice.pick([{ unknown: true }, { malformed: true }])]],
      [1, () => [{ stderr: "a word on stderr\n" }]],
      [4, () => [{ ask: { id, command: `run ${id}` } }, { await: 1 }, { tell: true }]]
    )
  }).flat()

/** More than one question of a turn would have to be counted in its order: the first is kept. */
const askingOnce = (steps: ReadonlyArray<PeerStep>): ReadonlyArray<PeerStep> => {
  const first = steps.findIndex((step) => "ask" in step)
  return steps.filter((step, index) => {
    const isOfAsk = "ask" in step || "await" in step || "tell" in step
    return !isOfAsk || (first !== -1 && index >= first && index < first + 3)
  })
}

const drawTurn = (dice: Dice, turn: number, cli: CliId): LiveTurn => {
  const end = dice.among<ReadonlyArray<PeerStep>>(
    [16, () => []],
    [4, () => [{ hang: true }]],
    [1, () => [{ fail: "no more of this" }]],
    [1, () => [{ exit: dice.pick([0, 1]) }]],
    [1, () => [{ signal: "SIGKILL" }]],
    [1, () => [{ silent: true }]],
    // Only Claude Code says that an answer is whole before its result (2.1.330).
    [cli === "claude" ? 6 : 0, () => [{ say: `t${turn}slast is said` }, { forget: true }]]
  )
  if (end.some((step) => "forget" in step))
    return { steps: [...askingOnce(drawTalk(dice, turn)), ...end], act: null, decides: dice.pick(["allow", "deny"]) }
  const acts = end.some((step) => "hang" in step || "silent" in step) ? dice.chance(0.85) : dice.chance(0.15)
  return {
    steps: [...askingOnce(drawTalk(dice, turn)), ...end],
    act: acts ? { is: dice.pick(["interrupt", "interrupt", "leave"]), atEvent: dice.spread(1, 5) } : null,
    decides: dice.pick(["allow", "deny", "nobody"])
  }
}

export const drawLive = (seed: number, step: number): LivePlan => {
  const dice = makeDice(seed, step)
  const hasFate = dice.chance(0.35)
  const cli = dice.pick(["claude", "gemini", "codex", "opencode"])
  const [door, killGraceMs] = [dice.pick(["effect", "promise"]), dice.pick([0, 50, 200, 500])]
  const turns = Array.from({ length: dice.between(1, 4) }, (_, index) => drawTurn(dice, index, cli))
  // An interrupt of another turn would reach an agent that believes to rest.
  const isForgetful = turns.some(({ steps }) => steps.some((step) => "forget" in step))
  return {
    ...{ is: "live", cli, door, killGraceMs, turns },
    isTogether: dice.chance(0.25) && !isForgetful,
    closesAfterMs: dice.chance(0.2) ? dice.spread(1, 2_000) : null,
    fate: hasFate
      ? {
          how: dice.among<"lives" | "SIGKILL" | "SIGTERM">(
            [4, () => "lives"],
            [2, () => "SIGKILL"],
            [1, () => "SIGTERM"]
          ),
          atMs: dice.spread(50, 3_000),
          disturbances: drawDisturbances(dice)
        }
      : null
  }
}
