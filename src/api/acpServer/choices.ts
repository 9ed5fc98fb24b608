/**
 * Choices of a session, as modes and options of the protocol: the permission mode, and the model if the CLI has listed
 * its models; pure. `bypass` is offered only if the program was started with it.
 */
import type { PermissionMode } from "../../contract/AgentExecuteParams.ts"
import type { AgentModel } from "../../contract/AgentModels.ts"
import { shortLine } from "../../contract/text/harmless.ts"

const words: Readonly<Record<PermissionMode, { readonly name: string; readonly description: string }>> = {
  default: { name: "Ask", description: "Asks before it acts, as the agent does by default" },
  plan: { name: "Plan", description: "Only reads, and plans" },
  "accept-edits": { name: "Accept edits", description: "Changes files in the working directory without asking" },
  bypass: { name: "Bypass", description: "Does everything without asking" }
}

const safeModes: ReadonlyArray<PermissionMode> = ["default", "plan", "accept-edits"]

/** Modes that a client may choose, given the mode with which the program was started. */
export const modesFor = (initial: PermissionMode): ReadonlyArray<PermissionMode> =>
  initial === "bypass" ? [...safeModes, "bypass"] : safeModes

export const modeOf = (initial: PermissionMode, id: string): PermissionMode | undefined =>
  modesFor(initial).find((mode) => mode === id)

export interface Chosen {
  readonly initial: PermissionMode
  readonly mode: PermissionMode
  /** Undefined for the CLI's own default. */
  readonly model: string | undefined
  /** Empty if the CLI was not asked, or has no list. */
  readonly models: ReadonlyArray<AgentModel>
}

export const modeOption = "mode"
export const modelOption = "model"
const mostModels = 200

/** The current model is an option, too, if the CLI has not listed it. */
const modelChoices = ({ model, models }: Chosen) => {
  const listed = models.slice(0, mostModels).filter(({ id }) => id.length <= 256)
  const current = model ?? listed.find(({ isDefault }) => isDefault === true)?.id ?? "default"
  const others = listed.some(({ id }) => id === current) ? [] : [{ id: current }]
  const options = [...others, ...listed].map(({ id, name, description }: AgentModel) => ({
    value: id,
    name: shortLine(name ?? id, 200) || id,
    ...(description === undefined ? {} : { description: shortLine(description, 400) })
  }))
  return { current, options }
}

/** Returns undefined for a model that the client may not choose. */
export const modelOf = (chosen: Chosen, value: string): string | undefined =>
  chosen.models.find(({ id }) => id === value)?.id

export const configOptionsOf = (chosen: Chosen) => {
  const modes = {
    type: "select",
    id: modeOption,
    name: "Mode",
    description: "What the agent may do without asking",
    category: "mode",
    currentValue: chosen.mode,
    options: modesFor(chosen.initial).map((value) => ({ value, ...words[value] }))
  }
  if (chosen.models.length === 0) return [modes]
  const { current, options } = modelChoices(chosen)
  return [modes, { type: "select", id: modelOption, name: "Model", category: "model", currentValue: current, options }]
}

/** For answers that open a session, in both forms in which clients know modes. */
export const choicesOf = (chosen: Chosen) => ({
  modes: {
    currentModeId: chosen.mode,
    availableModes: modesFor(chosen.initial).map((id) => ({ id, ...words[id] }))
  },
  configOptions: configOptionsOf(chosen)
})
