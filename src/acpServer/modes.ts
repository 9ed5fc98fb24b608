/** The permission modes as modes and as a choice of the protocol; pure. `bypass` is there only for whom began with it. */
import type { PermissionMode } from "../types/AgentExecuteParams.ts"

const words: Readonly<Record<PermissionMode, { readonly name: string; readonly description: string }>> = {
  default: { name: "Ask", description: "Asks before it acts, as the agent does by default" },
  plan: { name: "Plan", description: "Only reads, and plans" },
  "accept-edits": { name: "Accept edits", description: "Changes files in the working directory without asking" },
  bypass: { name: "Bypass", description: "Does everything without asking" }
}

const everybody: ReadonlyArray<PermissionMode> = ["default", "plan", "accept-edits"]

/** Those that a client may choose, by the mode with which the program was started. */
export const modesFor = (initial: PermissionMode): ReadonlyArray<PermissionMode> =>
  initial === "bypass" ? [...everybody, "bypass"] : everybody

export const modeOf = (initial: PermissionMode, id: string): PermissionMode | undefined =>
  modesFor(initial).find((mode) => mode === id)

export interface Choices {
  readonly initial: PermissionMode
  readonly mode: PermissionMode
}

/** In answers that open a session: both forms in which clients know modes. */
export const choicesOf = ({ initial, mode }: Choices) => ({
  modes: { currentModeId: mode, availableModes: modesFor(initial).map((id) => ({ id, ...words[id] })) },
  configOptions: configOptionsOf({ initial, mode })
})

export const modeOption = "mode"

export const configOptionsOf = ({ initial, mode }: Choices) => [
  {
    type: "select",
    id: modeOption,
    name: "Mode",
    description: "What the agent may do without asking",
    category: "mode",
    currentValue: mode,
    options: modesFor(initial).map((value) => ({ value, ...words[value] }))
  }
]
