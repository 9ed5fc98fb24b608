/**
 * Turns of a live fake → what its peer does, in the words of `fixtures/programs/live/steps.mjs`; pure. A step that asks is
 * followed by the wait for its answer.
 */
import type { LiveAgent } from "./InstalledCli.ts"
import { InvalidFake } from "./InvalidFake.ts"
import type { LiveStep } from "./LiveStep.ts"

/** One step of a peer: its name and what it is given. */
export type PeerStep = Readonly<Record<string, unknown>>

/** The protocols in which an agent asks questions, and takes a text in mid-turn. */
const conversant: ReadonlySet<LiveAgent> = new Set(["claude", "codex"])

const endings: ReadonlySet<LiveStep["type"]> = new Set(["exit", "signal", "hang"])

const scriptOf = (agent: LiveAgent, steps: ReadonlyArray<LiveStep>, turn: number): ReadonlyArray<PeerStep> => {
  let answers = 0
  let texts = 0
  const asked = (id: string, isAsked: boolean, call: object): ReadonlyArray<PeerStep> => {
    if (!isAsked) return [{ tool: { id, ...call } }]
    answers += 1
    return [{ ask: { id, ...call } }, { await: answers }]
  }

  const peerSteps = (step: LiveStep, index: number): ReadonlyArray<PeerStep> => {
    const id = `call-${index + 1}`
    const refuse = (problem: string): never => {
      throw new InvalidFake({
        subject: `step ${index + 1} (${step?.type}) of turn ${turn + 1} of a live fake`,
        problem
      })
    }
    if (typeof step !== "object" || step === null) return refuse("is no step; the functions of LiveStep make them")
    const last = steps[index - 1]
    if (last !== undefined && endings.has(last.type))
      return refuse(`is never reached: ${last.type} is the last of a turn`)
    switch (step.type) {
      case "text":
        return [{ echo: step.text }]
      case "command":
        return asked(id, step.ask, { command: step.command, output: step.output })
      case "write":
        return asked(id, step.ask, { path: step.path, content: step.content })
      case "question": {
        if (!conversant.has(agent)) return refuse(`cannot be asked: ${agent} has no questions`)
        const { type: _, ...question } = step
        answers += 1
        return [{ question: { id, ...question } }, { await: answers }]
      }
      case "steered":
        if (!conversant.has(agent)) return refuse(`cannot be waited for: ${agent} takes no text in mid-turn`)
        texts += 1
        return [{ steered: texts }]
      case "fail":
        return [{ fail: step.message }]
      case "line":
        return [{ line: step.text }]
      case "stderr":
        return [{ stderr: step.text }]
      case "wait":
        return [{ wait: step.ms }]
      case "exit":
        return [{ exit: step.code }]
      case "signal":
        return [{ signal: step.signal }]
      case "hang":
        return [{ hang: true }]
      default:
        return refuse("is none that this version knows")
    }
  }
  return steps.flatMap(peerSteps)
}

/** Throws `InvalidFake` for what the agent cannot do. */
export const liveScripts = (
  agent: LiveAgent,
  turns: ReadonlyArray<ReadonlyArray<LiveStep>>
): ReadonlyArray<ReadonlyArray<PeerStep>> => {
  if (!Array.isArray(turns) || turns.length === 0 || !turns.every((steps) => Array.isArray(steps))) {
    throw new InvalidFake({
      subject: `a live fake of ${agent}`,
      problem: "needs an array of turns, each an array of steps"
    })
  }
  return turns.map((steps, turn) => scriptOf(agent, steps, turn))
}
