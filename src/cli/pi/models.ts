/** The models of Pi (1.6.0) that it has credentials for: `get_available_models` of `pi --mode rpc`. */
import { AgentFailed } from "../../contract/AgentError.ts"
import { efforts } from "../../contract/CliSupport.ts"
import { at, listAt, parsed, textAt } from "../jsonFields.ts"
import { listed, type ModelsQuestion } from "../Models.ts"
import { livePlan } from "./command.ts"

/** All others a model has unless it excludes them. */
const onlyIfMapped: ReadonlySet<string> = new Set(["xhigh", "max"])

/** `thinkingLevelMap` has the provider's word for a level, null for one that the model does not take. */
const effortsOf = (fields: object) => {
  if (at(fields, "reasoning") !== true) return undefined
  return efforts.pi.filter((effort) => {
    const mapped = at(fields, "thinkingLevelMap", effort)
    return mapped === undefined ? !onlyIfMapped.has(effort) : mapped !== null
  })
}

const keys = { id: "id", name: "name", efforts: effortsOf }

const named = (model: unknown) => {
  const [provider, id] = [textAt(model, "provider"), textAt(model, "id")]
  return { ...Object(model), id: provider === undefined || id === undefined ? undefined : `${provider}/${id}` }
}

export const models: ModelsQuestion = {
  plan: (options, context) => livePlan({ ephemeral: true }, options, context),
  dialogue: () => ({
    open: [{ id: "models", type: "get_available_models" }],
    line: (text) => {
      const line = parsed(text)
      if (at(line, "type") !== "response" || at(line, "id") !== "models") return {}
      if (at(line, "success") !== true) {
        const detail = textAt(line, "error") ?? "Pi lists no models, without a reason"
        return { outcome: new AgentFailed({ code: "models_refused", category: "other", detail }) }
      }
      return { outcome: listed(listAt(line, "data", "models").map(named), keys) }
    }
  })
}
