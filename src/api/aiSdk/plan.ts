/** A call of the AI SDK → the parameters of its run, or the reason to refuse it; pure. */
import type { AgentDefaults } from "../../contract/AgentOptions.ts"
import { efforts, supports } from "../../contract/CliSupport.ts"
import { present } from "../../contract/present.ts"
import type { ReinsCallOptions, ReinsModelOptions } from "./AiSdk.ts"
import type { Failure } from "./failure.ts"
import { readPrompt } from "./prompt.ts"
import type { CallOptions, Warning } from "./spec.ts"

/** The settings of a call besides its prompt, as parameters of a run. */
interface Settings {
  readonly effort?: string
  readonly outputSchema?: Readonly<Record<string, unknown>>
  /** Whether only JSON counts as the answer. */
  readonly isJson: boolean
  /** Text to append to the prompt. */
  readonly request?: string
  readonly warnings: ReadonlyArray<Warning>
}

const unsupportedSettings = [
  "maxOutputTokens",
  "temperature",
  "stopSequences",
  "topP",
  "topK",
  "presencePenalty",
  "frequencyPenalty",
  "seed"
] as const satisfies ReadonlyArray<keyof CallOptions>

const unsupported = (feature: string, details: string): Warning => ({ type: "unsupported", feature, details })

/** An agent of another name speaks ACP, or is a CLI of the application's own. */
const takes = (cli: string, option: keyof typeof supports): boolean => {
  const takers: ReadonlyArray<string> = supports[option]
  return takers.includes(cli)
}

const effortsOf = (cli: string): ReadonlyArray<string> | undefined =>
  cli === "claude" || cli === "codex" ? efforts[cli] : undefined

const effortOf = (cli: string, reasoning: CallOptions["reasoning"]): Pick<Settings, "effort" | "warnings"> => {
  if (reasoning === undefined || reasoning === "provider-default") return { warnings: [] }
  const all = effortsOf(cli)
  if (takes(cli, "effort") && all?.includes(reasoning) !== false) return { effort: reasoning, warnings: [] }
  const details = all === undefined ? `${cli} has no such option.` : `${cli} has ${all.join(", ")}.`
  return { warnings: [unsupported("reasoning", details)] }
}

const formatOf = (format: CallOptions["responseFormat"]): Pick<Settings, "outputSchema" | "isJson" | "request"> => {
  if (format?.type !== "json") return { isJson: false }
  const { schema } = format
  // A copy: an interface is not assignable to a record.
  if (schema !== undefined) return { isJson: true, outputSchema: { ...schema } }
  return { isJson: true, request: "Answer with one JSON value and nothing else: no other text, no Markdown." }
}

const cure = "An agent does not stop for them: give them to the model instead, reins(…, { hostTools })."

const settingsOf = (cli: string, options: CallOptions): Settings => {
  const { effort, warnings } = effortOf(cli, options.reasoning)
  const ignored = unsupportedSettings.filter((name) => options[name] !== undefined)
  const tools = options.tools === undefined || options.tools.length === 0 ? [] : [unsupported("tools", cure)]
  return {
    ...present({ effort }),
    ...formatOf(options.responseFormat),
    warnings: [...ignored.map((name) => unsupported(name, `${cli} has no such option.`)), ...tools, ...warnings]
  }
}

interface Agent {
  readonly cli: string
  readonly defaults?: AgentDefaults | undefined
}

export interface Plan {
  readonly prompt: string
  readonly params: {
    readonly sessionId?: string
    readonly forkSession?: boolean
    readonly conversation?: string
    readonly effort?: string
    readonly systemPrompt?: string
    readonly appendSystemPrompt?: string
  }
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

const problemIn = (input: object): string | undefined =>
  Object.entries(input)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => {
      if (!isOption(name)) return `${name.slice(0, 50)} is not one of ${Object.keys(types).join(", ")}`
      return typeof value === types[name] ? undefined : `${name} is not a ${types[name]}`
    })
    .find((problem) => problem !== undefined)

const refused = (code: Failure["code"], message: string): Failure => ({
  code,
  message,
  category: "invalid_request",
  retryable: false
})

/** System messages, in an option of the CLI or in front of the prompt. */
interface Placed {
  readonly params?: Pick<Plan["params"], "systemPrompt" | "appendSystemPrompt">
  readonly front?: string
}

const systemPlaced = (
  { cli, defaults }: Agent,
  system: string | undefined,
  way: ReinsModelOptions["system"]
): Placed => {
  if (system === undefined) return {}
  if (way === "replace" && takes(cli, "systemPrompt")) return { params: { systemPrompt: system } }
  // Gemini CLI reads no added text in a workspace that is not trusted.
  const isRead = cli !== "gemini" || defaults?.trustWorkspace !== false
  if (isRead && takes(cli, "appendSystemPrompt")) {
    const before = defaults?.appendSystemPrompt
    return { params: { appendSystemPrompt: before === undefined ? system : `${before}\n\n${system}` } }
  }
  return { front: `${system}\n\n` }
}

export const planOf = (agent: Agent, options: CallOptions, way?: ReinsModelOptions["system"]): Plan | Failure => {
  const input = options.providerOptions?.["reins"] ?? {}
  const problem = problemIn(input)
  if (problem !== undefined) return refused("invalid_params", `providerOptions.reins: ${problem}`)
  const { resume, fork, conversation }: ReinsCallOptions = input
  const question = readPrompt(options.prompt, resume !== undefined || conversation !== undefined)
  if (question.unsupported !== undefined) return refused("unsupported_part", question.unsupported)
  const settings = settingsOf(agent.cli, options)
  const system = systemPlaced(agent, question.system, way)
  const end = settings.request === undefined ? "" : `\n\n${settings.request}`
  return {
    prompt: `${system.front ?? ""}${question.prompt}${end}`,
    params: {
      ...present({ sessionId: resume, forkSession: fork, conversation, effort: settings.effort }),
      ...system.params
    },
    turn: {
      ...(question.attachments.length === 0 ? {} : { attachments: question.attachments }),
      ...present({ outputSchema: settings.outputSchema })
    },
    isJson: settings.isJson,
    warnings: [...settings.warnings, ...question.warnings]
  }
}
