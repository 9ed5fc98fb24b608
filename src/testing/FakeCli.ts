/** A scripted stand-in for a CLI, as plain data; performed by a real process, without a model, account or network. */
import type { CliId } from "../contract/CliSupport.ts"
import type { Dialect } from "./dialect.ts"
import { checkedId, dialects } from "./dialects.ts"
import { type Fake, type InstalledCli, installFake, type LiveAgent, performancesOf } from "./InstalledCli.ts"
import { InvalidFake } from "./InvalidFake.ts"
import { blanks, type Instruction, type UnnamedPerformance } from "./instructions.ts"
import type { LiveStep } from "./LiveStep.ts"
import { type ReplayOptions, type ReplayStep, replayed } from "./Replayed.ts"
import type { Step } from "./Step.ts"
import { type Spoken, speak } from "./speak.ts"

type PeerStep = Readonly<Record<string, unknown>>

/** Agents whose protocol has questions, and text in mid-turn. */
const conversant: ReadonlySet<LiveAgent> = new Set(["claude", "codex", "pi"])
/** Agents that never ask for a permission. */
const unasking: ReadonlySet<LiveAgent> = new Set(["pi"])
const endings: ReadonlySet<LiveStep["type"]> = new Set(["exit", "signal", "hang"])

type Refuse = (problem: string) => never

const scriptOf = (agent: LiveAgent, steps: ReadonlyArray<LiveStep>, turn: number): ReadonlyArray<PeerStep> => {
  let answers = 0
  let texts = 0
  const askSteps = (id: string, isAsked: boolean, call: object, refuse: Refuse): ReadonlyArray<PeerStep> => {
    if (!isAsked) return [{ tool: { id, ...call } }]
    if (unasking.has(agent)) return refuse("cannot ask: Pi never asks for a permission")
    answers += 1
    return [{ ask: { id, ...call } }, { await: answers }]
  }

  const peerSteps = (step: LiveStep, index: number): ReadonlyArray<PeerStep> => {
    const id = `call-${index + 1}`
    const refuse: Refuse = (problem) => {
      throw new InvalidFake({
        subject: `step ${index + 1} (${step?.type}) of turn ${turn + 1} of a live fake`,
        problem
      })
    }
    if (typeof step !== "object" || step === null) return refuse("is not a step; the functions of LiveStep make them")
    const last = steps[index - 1]
    if (last !== undefined && endings.has(last.type))
      return refuse(`is never reached: ${last.type} is the last of a turn`)
    switch (step.type) {
      case "text":
        return [{ echo: step.text }]
      case "command":
        return askSteps(id, step.ask, { command: step.command, output: step.output }, refuse)
      case "write":
        return askSteps(id, step.ask, { path: step.path, content: step.content }, refuse)
      case "question": {
        if (!conversant.has(agent)) return refuse(`cannot be asked: ${agent} has no questions`)
        const { type: _, ...question } = step
        if (agent === "pi" && question.multiple === true) return refuse("takes one answer: a dialog of Pi has no more")
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
        return refuse("is unknown to this version")
    }
  }
  return steps.flatMap(peerSteps)
}

/** Throws `InvalidFake` for what the agent cannot do. */
const liveScripts = (
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

const asText = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value))

const instructionOf = (step: Spoken | ReplayStep): Instruction => {
  switch (step.type) {
    case "spoken":
      return { do: "print", text: `${JSON.stringify(step.line)}\n`, fill: true }
    case "line":
      return { do: "print", text: `${asText(step.value)}${step.newline ? "\n" : ""}`, fill: false }
    case "stderr":
      return { do: "warn", text: step.text }
    case "signal":
      return { do: "kill", signal: step.signal }
    case "hang":
      return { do: "hang" }
    case "process": {
      const { type: _, ...how } = step
      return { do: "startProcess", ...how }
    }
    case "wait":
    case "waitUntil":
    case "exit":
    case "closeStdout":
    case "expectStdin": {
      const { type, ...how } = step
      return { do: type, ...how } as Instruction // the same names and fields
    }
  }
}

/** Spoken steps → instructions of the player; pure. Adjacent prints become one write. */
const instructionsOf = (steps: ReadonlyArray<Spoken | ReplayStep>): ReadonlyArray<Instruction> => {
  const instructions: Array<Instruction> = []
  for (const next of steps.map(instructionOf)) {
    const last = instructions.at(-1)
    if (last?.do === "print" && next.do === "print" && last.fill === next.fill) {
      instructions[instructions.length - 1] = { ...last, text: last.text + next.text }
    } else instructions.push(next)
  }
  return instructions
}

/** A deaf process is deaf from its start, so that no signal comes too early. */
const isDeaf = (steps: ReadonlyArray<{ readonly type: string; readonly deaf?: boolean }>): boolean =>
  steps.some((step) => step.type === "hang" && step.deaf === true)

export interface FakeCliOptions {
  /** Session id of a start that names none. Default: one in the CLI's own form, the same for all its starts. */
  readonly sessionId?: string
  /** `meanwhile`: does not wait for the end of stdin before the first step, as real CLIs do. Default: `first`. */
  readonly stdin?: "first" | "meanwhile"
}

/** A script for one CLI, as plain data, safe to keep as JSON for this version of the package. */
export interface FakeCli extends Fake {}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** If all fakes had the same session, tests in several processes would wait for each other. */
const another = (example: string) => {
  const id = crypto.randomUUID()
  return uuid.test(example) ? id : example.slice(0, -28) + id.replaceAll("-", "").slice(0, 28)
}

const fakeOf = (cli: LiveAgent, ...performances: ReadonlyArray<UnnamedPerformance>): FakeCli => ({ cli, performances })

const scripted =
  (cli: CliId, dialect: Dialect) =>
  (
    steps: ReadonlyArray<Step>,
    { sessionId = another(dialect.sessionId), stdin = "first" }: FakeCliOptions = {}
  ): FakeCli => {
    const instructions = instructionsOf(speak(dialect, steps, blanks))
    const { modeArgument } = dialect
    return fakeOf(cli, {
      sessionId,
      sessionArguments: dialect.sessionArguments,
      ...(modeArgument === undefined ? {} : { modeArgument }),
      liveArgument: dialect.liveArgument,
      deaf: isDeaf(steps),
      stdin,
      instructions
    })
  }

/** Makes fakes, and puts them where a CLI is expected. */
export const FakeCli = {
  /** Claude Code, which takes this script for its own. Throws `InvalidFake` for what it cannot say. */
  claude: scripted("claude", dialects.claude),
  /** Gemini CLI. Throws `InvalidFake`. It has no thoughts and no retries on stdout. */
  gemini: scripted("gemini", dialects.gemini),
  /** Codex. Throws `InvalidFake`. It has tools of its own only, and no cost. */
  codex: scripted("codex", dialects.codex),
  /** OpenCode. Throws `InvalidFake`. It tells a tool call when that has ended. */
  opencode: scripted("opencode", dialects.opencode),
  /** Pi. Throws `InvalidFake`. It leaves with 0 whatever happens, and does not tell when to retry. */
  pi: scripted("pi", dialects.pi),
  /**
   * Recorded output of a real CLI: the lines of `record`, with or without their timing. Nothing of the process
   * is in a recording: unless `end` says more, it leaves with 0. Throws `InvalidFake` for what cannot be read.
   */
  replay: (cli: CliId, file: string, options: ReplayOptions = {}): FakeCli => {
    const dialect = dialects[checkedId(cli)]
    const steps = replayed(file, options)
    return fakeOf(cli, {
      sessionId: dialect.sessionId,
      sessionArguments: { named: [], resumed: [], forked: [] },
      liveArgument: dialect.liveArgument,
      deaf: isDeaf(steps),
      stdin: "first",
      instructions: instructionsOf(steps)
    })
  },
  /**
   * A live session: one script for each turn, the last one for all that follow. It speaks the CLI's own protocol, takes
   * what is decided and answered, interrupts, changes of model and mode. `acp` is an agent of the Agent Client Protocol,
   * for `createAcpAgent` and `Acp.layer`. Started for a run it says so and leaves; so does a fake of runs that is opened
   * live. Throws `InvalidFake` for what the agent cannot do.
   */
  live: (cli: LiveAgent, turns: ReadonlyArray<ReadonlyArray<LiveStep>>): FakeCli => {
    const liveArgument = cli === "acp" ? {} : { liveArgument: dialects[checkedId(cli)].liveArgument }
    return fakeOf(cli, {
      sessionId: "",
      sessionArguments: { named: [], resumed: [], forked: [] },
      deaf: false,
      stdin: "meanwhile",
      instructions: [],
      ...liveArgument,
      live: { peer: cli === "acp" ? "agent" : cli, scripts: liveScripts(cli, turns) }
    })
  },
  /** Each start performs the next one; the last repeats. All are fakes of one CLI. Throws `InvalidFake`. */
  inTurn: (first: FakeCli, ...others: ReadonlyArray<FakeCli>): FakeCli => {
    const other = others.find(({ cli }) => cli !== first.cli)
    if (other === undefined) return fakeOf(first.cli, ...[first, ...others].flatMap(performancesOf))
    throw new InvalidFake({
      subject: `a fake of ${other.cli}`,
      problem: `does not take turns with one of ${first.cli}`
    })
  },
  /** Installs it in a temporary folder until it is disposed; `command: cli.command` makes an agent start it. */
  install: async (fake: FakeCli): Promise<InstalledCli & AsyncDisposable> => {
    const { cli, remove } = installFake(fake)
    return { ...cli, [Symbol.asyncDispose]: async () => remove() }
  }
}
