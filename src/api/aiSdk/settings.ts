/** The settings of a call that are not its prompt → parameters of a run, and warnings of what no CLI takes; pure. */
import { efforts, supports } from "../../contract/supports.ts"
import type { CallOptions, Warning } from "./spec.ts"

export interface Settings {
  readonly effort?: string
  /** JSON Schema of the answer. */
  readonly outputSchema?: Readonly<Record<string, unknown>>
  /** Only JSON counts as the answer. */
  readonly isJson: boolean
  /** To follow the prompt. */
  readonly request?: string
  readonly warnings: ReadonlyArray<Warning>
}

const untaken = [
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

/** Whether the CLI takes an option. An agent of another name speaks ACP, or is a CLI of the application's own. */
export const takes = (cli: string, option: keyof typeof supports): boolean => {
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
  // A copy: by its type an interface, it is no record.
  if (schema !== undefined) return { isJson: true, outputSchema: { ...schema } }
  return { isJson: true, request: "Answer with one JSON value and nothing else: no other text, no Markdown." }
}

const cure = "An agent does not stop for them: give them to the model instead, reins(…, { hostTools })."

export const settingsOf = (cli: string, options: CallOptions): Settings => {
  const { effort, warnings } = effortOf(cli, options.reasoning)
  const ignored = untaken.filter((name) => options[name] !== undefined)
  const tools = options.tools === undefined || options.tools.length === 0 ? [] : [unsupported("tools", cure)]
  return {
    ...(effort === undefined ? {} : { effort }),
    ...formatOf(options.responseFormat),
    warnings: [...ignored.map((name) => unsupported(name, `${cli} has no such option.`)), ...tools, ...warnings]
  }
}
