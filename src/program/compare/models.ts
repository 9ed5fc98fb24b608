/** `--model claude=opus,codex=gpt-6` → the model of each agent, and what is wrong with it; pure. */
import { Option } from "effect"
import { suggestionFor } from "../../contract/suggestions.ts"
import { listed } from "../flagChecks/lists.ts"

export interface Models {
  /** By the name of the agent. One that is not in it has its configured model. */
  readonly models: ReadonlyMap<string, string>
  readonly problems: ReadonlyArray<string>
}

const unknownAgent = (name: string, agents: ReadonlyArray<string>): string => {
  if (agents.length === 0) return `--model ${name}: the agents are missing: --agents claude,codex`
  const near = suggestionFor(name, agents)
  return `--model ${name}: not one of --agents. ${near === undefined ? listed(agents) : `Did you mean ${near}?`}`
}

/** `agents`: those that are asked. */
export const modelsIn = (flag: Option.Option<string>, agents: ReadonlyArray<string>): Models => {
  const models = new Map<string, string>()
  const problems: Array<string> = []
  for (const item of Option.getOrElse(flag, () => "").split(",")) {
    const [before = "", after] = item.split(/=(.*)/s)
    const [name, model] = [before.trim().toLowerCase(), after?.trim()]
    if (item.trim() === "") continue
    if (model === undefined) {
      problems.push(`--model ${before.trim()}: the agent is missing: --model ${agents[0] ?? "claude"}=${before.trim()}`)
    } else if (!agents.includes(name)) problems.push(unknownAgent(name, agents))
    else if (model === "") problems.push(`--model ${name}: a model is missing, as the CLI names it`)
    else if (models.has(name)) problems.push(`--model: names ${name} twice`)
    else models.set(name, model)
  }
  const isEmpty = Option.isSome(flag) && models.size === 0 && problems.length === 0
  return { models, problems: isEmpty ? ["--model: is empty"] : problems }
}
