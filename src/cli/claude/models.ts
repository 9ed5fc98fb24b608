/** The models of Claude Code (2.1.330): they are in its answer to the first request of a live session. */
import { AgentFailed } from "../../contract/AgentError.ts"
import { below, jsonOf, listed, type ModelsQuestion } from "../Models.ts"
import { livePlan } from "./live/command.ts"

const requestId = "models"

export const models: ModelsQuestion = {
  plan: (options, context) => livePlan({}, options, context),
  dialogue: () => ({
    open: [{ type: "control_request", request_id: requestId, request: { subtype: "initialize" } }],
    line: (text) => {
      const json = jsonOf(text)
      const response = below(json, "response")
      if (below(json, "type") !== "control_response" || below(response, "request_id") !== requestId) return {}
      const error = below(response, "error")
      if (below(response, "subtype") === "error") {
        const detail = typeof error === "string" ? error : "Claude Code refused the request"
        return { outcome: new AgentFailed({ code: "control_request", category: "other", detail }) }
      }
      const outcome = listed(below(response, "response", "models"), {
        id: "value",
        name: "displayName",
        efforts: (fields) => below(fields, "supportedEffortLevels"),
        isDefault: (fields) => below(fields, "value") === "default"
      })
      return { outcome }
    }
  })
}
