/** How a CLI lists its models without asking one: a short dialogue in lines, in a process of its own; plain data in and out. */
import { Predicate, type Result } from "effect"
import type { FailureReason } from "../contract/AgentError.ts"
import type { AgentModel, AgentModels } from "../contract/AgentModels.ts"
import type { AgentOptions } from "../contract/AgentOptions.ts"
import type { Plan, PlanContext } from "../contract/Plan.ts"
import { present, textAt } from "./jsonFields.ts"

/** The outcome ends the dialogue; until then lines may be written, each as JSON. */
export interface ModelsStep {
  readonly write?: ReadonlyArray<unknown>
  readonly outcome?: AgentModels | FailureReason
}

export interface ModelsDialogue {
  /** The first lines to write. Without any, stdin is closed at once. */
  readonly open: ReadonlyArray<unknown>
  /** A line of stdout. */
  readonly line: (text: string) => ModelsStep
  /** All of stdout was read, and the exit code is 0; undefined: it came too early. */
  readonly end?: () => AgentModels | undefined
}

export interface ModelsQuestion {
  readonly plan: (options: AgentOptions, context: PlanContext) => Result.Result<Plan, FailureReason>
  readonly dialogue: (workingDirectory: string) => ModelsDialogue
}

const maxModels = 2_000
/** Longest text of the CLI, in UTF-16 code units. */
const maxLength = 1_000

const clip = (text: string) => text.slice(0, maxLength)
const isText = (value: unknown): value is string => typeof value === "string" && value !== ""

/** The names that a CLI uses for the fields of a model. */
export interface ModelKeys {
  readonly id: string
  readonly name: string
  readonly efforts?: (fields: object) => unknown
  readonly isDefault?: (fields: object) => boolean
}

const modelOf = (
  json: unknown,
  { id: idKey, name: nameKey, efforts, isDefault }: ModelKeys
): ReadonlyArray<AgentModel> => {
  if (!Predicate.isObject(json)) return []
  const [id, name, description] = [idKey, nameKey, "description"].map((key) => {
    const text = textAt(json, key)
    return text && clip(text)
  })
  if (id === undefined) return []
  const levels = efforts?.(json)
  return [
    {
      id,
      ...present({ name, description }),
      ...(Array.isArray(levels) && levels.length > 0 ? { efforts: levels.filter(isText).slice(0, 100).map(clip) } : {}),
      ...(isDefault?.(json) === true ? { isDefault: true } : {})
    }
  ]
}

/** Anything but a list has no models. An entry without an id is left out. */
export const listed = (json: unknown, keys: ModelKeys): AgentModels =>
  Array.isArray(json)
    ? { type: "listed", models: json.slice(0, maxModels).flatMap((entry: unknown) => modelOf(entry, keys)) }
    : { type: "unlisted" }
