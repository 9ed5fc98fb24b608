/** A call of the AI SDK → what its agent is started with, or why it is not; pure. */
import type { AgentDefaults } from "../../contract/AgentOptions.ts"
import type { ReinsCallOptions, ReinsModelOptions } from "./AiSdk.ts"
import type { Failure } from "./failure.ts"
import { readPrompt } from "./prompt.ts"
import { settingsOf, takes } from "./settings.ts"
import type { CallOptions, Warning } from "./spec.ts"

/** The agent of the model. */
export interface Agent {
  readonly cli: string
  readonly defaults?: AgentDefaults | undefined
}

export interface Plan {
  readonly prompt: string
  /** Of a run, and of a live session. */
  readonly params: {
    readonly sessionId?: string
    readonly forkSession?: boolean
    readonly conversation?: string
    readonly effort?: string
    readonly systemPrompt?: string
    readonly appendSystemPrompt?: string
  }
  /** Of a run, and of a turn. */
  readonly turn: {
    readonly attachments?: ReturnType<typeof readPrompt>["attachments"]
    readonly outputSchema?: Readonly<Record<string, unknown>>
  }
  readonly isJson: boolean
  readonly warnings: ReadonlyArray<Warning>
}

const types: { readonly [Name in keyof ReinsCallOptions]-?: string } = {
  resume: "string",
  fork: "boolean",
  conversation: "string"
}

const isOption = (name: string): name is keyof ReinsCallOptions => Object.hasOwn(types, name)

/** The first option that is none, or is of another type. */
const problemIn = (given: object): string | undefined =>
  Object.entries(given)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => {
      if (!isOption(name)) return `${name.slice(0, 50)} is none of ${Object.keys(types).join(", ")}`
      return typeof value === types[name] ? undefined : `${name} is no ${types[name]}`
    })
    .find((problem) => problem !== undefined)

const refused = (code: Failure["code"], message: string): Failure => ({
  code,
  message,
  category: "invalid_request",
  retryable: false
})

/** Where the system messages go: into an option of the CLI, or in front of the prompt. */
interface Placed {
  readonly params?: Pick<Plan["params"], "systemPrompt" | "appendSystemPrompt">
  readonly front?: string
}

const placed = ({ cli, defaults }: Agent, system: string | undefined, way: ReinsModelOptions["system"]): Placed => {
  if (system === undefined) return {}
  if (way === "replace" && takes(cli, "systemPrompt")) return { params: { systemPrompt: system } }
  if (takes(cli, "appendSystemPrompt")) {
    const before = defaults?.appendSystemPrompt
    return { params: { appendSystemPrompt: before === undefined ? system : `${before}\n\n${system}` } }
  }
  return { front: `${system}\n\n` }
}

export const planOf = (agent: Agent, options: CallOptions, way?: ReinsModelOptions["system"]): Plan | Failure => {
  const given = options.providerOptions?.["reins"] ?? {}
  const problem = problemIn(given)
  if (problem !== undefined) return refused("invalid_params", `providerOptions.reins: ${problem}`)
  const { resume, fork, conversation }: ReinsCallOptions = given
  const question = readPrompt(options.prompt, resume !== undefined || conversation !== undefined)
  if (question.unsupported !== undefined) return refused("unsupported_part", question.unsupported)
  const settings = settingsOf(agent.cli, options)
  const system = placed(agent, question.system, way)
  const end = settings.request === undefined ? "" : `\n\n${settings.request}`
  return {
    prompt: `${system.front ?? ""}${question.prompt}${end}`,
    params: {
      ...(resume === undefined ? {} : { sessionId: resume }),
      ...(fork === undefined ? {} : { forkSession: fork }),
      ...(conversation === undefined ? {} : { conversation }),
      ...(settings.effort === undefined ? {} : { effort: settings.effort }),
      ...system.params
    },
    turn: {
      ...(question.attachments.length === 0 ? {} : { attachments: question.attachments }),
      ...(settings.outputSchema === undefined ? {} : { outputSchema: settings.outputSchema })
    },
    isJson: settings.isJson,
    warnings: [...settings.warnings, ...question.warnings]
  }
}
