/** The models of Claude Code (2.1.330): they are in its answer to the first request of a live session. */
import { AgentFailed } from "../../contract/AgentError.ts"
import { at, parsed } from "../jsonFields.ts"
import { listed, type ModelsQuestion } from "../Models.ts"
import { livePlan } from "./command.ts"

const requestId = "models"

export const models: ModelsQuestion = {
  plan: (options, context) => livePlan({}, options, context),
  dialogue: () => ({
    open: [{ type: "control_request", request_id: requestId, request: { subtype: "initialize" } }],
    line: (text) => {
      const json = parsed(text)
      const response = at(json, "response")
      if (at(json, "type") !== "control_response" || at(response, "request_id") !== requestId) return {}
      const error = at(response, "error")
      if (at(response, "subtype") === "error") {
        const detail = typeof error === "string" ? error : "Claude Code refused the request"
        return { outcome: new AgentFailed({ code: "control_request", category: "other", detail }) }
      }
      const outcome = listed(at(response, "response", "models"), {
        id: "value",
        name: "displayName",
        efforts: (fields) => at(fields, "supportedEffortLevels"),
        isDefault: (fields) => at(fields, "value") === "default"
      })
      return { outcome }
    }
  })
}
